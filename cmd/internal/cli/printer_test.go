package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// printed is what a Printer makes of a text, however it comes.
func printed(t testing.TB, pieces ...string) string {
	t.Helper()
	var out strings.Builder
	p := NewPrinter(&out)
	for _, piece := range pieces {
		n, err := p.Write([]byte(piece))
		require.NoError(t, err)
		require.Equal(t, len(piece), n)
	}
	return out.String()
}

// Nothing that is printed moves the cursor, renames the window or turns the text around.
func TestPrinter(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"plain text":                {"Kyogle:\t12 \"records\" \\ 100 %\n", "Kyogle:\t12 \"records\" \\ 100 %\n"},
		"letters of others":         {"Wāgga ‘Straße’ 12 m² – 東京\u00a0½\u3000é\n", "Wāgga ‘Straße’ 12 m² – 東京\u00a0½\u3000é\n"},
		"the screen is cleared":     {"\x1b[2J", `\u001b[2J`},
		"the window has a new name": {"\x1b]0;owned\a", `\u001b]0;owned\u0007`},
		"a line is overwritten":     {"failed\rok    \b\b", `failed\u000dok    \u0008\u0008`},
		"the rest of C0":            {"\x00\v\f\x0e\x1f\x7f", `\u0000\u000b\u000c\u000e\u001f\u007f`},
		"C1: CSI, NEL, OSC":         {"\u009b2J\u0085\u009d", `\u009b2J\u0085\u009d`},
		"text turned around":        {"\u202egpj.exe\u202c\u2066\u2067\u2068\u2069", `\u202egpj.exe\u202c\u2066\u2067\u2068\u2069`},
		"marks of direction":        {"\u200e\u200f\u061c", `\u200e\u200f\u061c`},
		"other ends of a line":      {"a\u2028b\u2029c", `a\u2028b\u2029c`},
		"hidden between letters":    {"ky\u200bo\u200cg\u200dl\u2060e\ufeff\u00ad", `ky\u200bo\u200cg\u200dl\u2060e\ufeff\u00ad`},
		"no characters at all":      {"\ue000\uffff", `\ue000\uffff`},
		"four bytes":                {"a \U0001F600 \U000E0041", "a \ufffd \ufffd"},
		"no UTF-8":                  {"\x9b2J \xc3( \xff", "\ufffd2J \ufffd( \ufffd"},
		"no UTF-8, but long enough": {"\xed\xa0\x80 \xc0\x9b \xf8\x88\x80\x80\x9b", "\ufffd\ufffd\ufffd \ufffd\ufffd \ufffd\ufffd\ufffd\ufffd\ufffd"},
		"a replacement":             {"\ufffd", "\ufffd"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, printed(t, c.text))
			assert.Equal(t, c.want, printed(t, strings.Split(c.text, "")...), "character by character")
			var bytes []string
			for i := range len(c.text) {
				bytes = append(bytes, c.text[i:i+1])
			}
			bytes = append(bytes, ".") // ends a character that has no end
			assert.Equal(t, c.want+".", printed(t, bytes...), "byte by byte")
		})
	}
}

// JSON says the same behind a Printer as before it.
func TestPrinterKeepsJSON(t *testing.T) {
	said := map[string]string{"a": "\x1b[2J\x7f\u009b\u202e\u2028\u200b\\u001b\ue000"}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	require.NoError(t, encoder.Encode(said))
	shown := printed(t, text.String())
	assert.NotContains(t, shown, "\u202e")
	var read map[string]string
	require.NoError(t, json.Unmarshal([]byte(shown), &read), shown)
	assert.Equal(t, said, read)
}

// Whatever comes, in whatever pieces: text comes out, and always the same.
func FuzzPrinter(f *testing.F) {
	f.Add([]byte("a\x1b[2J\u202e\U0001F600\xe2\x80"), 3)
	f.Add([]byte("\xe2\x80\xae\xc2\x9b"), 1)
	f.Fuzz(func(t *testing.T, text []byte, at int) {
		at = min(max(at, 0), len(text))
		whole := printed(t, string(text), "\n")
		assert.Equal(t, whole, printed(t, string(text[:at]), string(text[at:]), "\n"))
		assert.True(t, utf8.ValidString(whole))
		for _, r := range whole {
			assert.True(t, r <= 0xffff && (unicode.IsGraphic(r) || r == '\n' || r == '\t'), "%q", r)
		}
	})
}
