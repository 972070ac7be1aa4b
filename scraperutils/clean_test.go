package scraperutils_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/multiscraper/multiscraper/scraperutils"
)

func TestClean(t *testing.T) {
	for name, c := range map[string]struct{ text, want, line string }{
		"nothing to do":             {"Shed  & deck", "Shed  & deck", "Shed  & deck"},
		"an escape sequence":        {"DA\x1b[2J1", "DA[2J1", "DA[2J1"},
		"a title for the terminal":  {"\x1b]0;owned\x07DA1", "]0;ownedDA1", "]0;ownedDA1"},
		"bell, backspace, delete":   {"D\x07A\x08/\x7f1", "DA/1", "DA/1"},
		"NUL":                       {"DA\x001", "DA1", "DA1"},
		"controls of eight bits":    {"DA\u009b2J1\u0080", "DA2J1", "DA2J1"},
		"line ends":                 {"a\r\nb\rc\nd", "a\nb\nc\nd", "a b c d"},
		"other line ends":           {"a\u2028b\u2029c\u0085d\ve\ff", "a\nb\nc\nd\ne\nf", "a b c d e f"},
		"white space":               {"a  b\tc \n d\n\n  e", "a  b\tc \n d\n\n  e", "a  b c d e"},
		"white space around":        {" \r\n\x07 a \x1b\t", "a", "a"},
		"no-break spaces stay":      {"\u00a0", "\u00a0", "\u00a0"},
		"right to left":             {"\u202eevil\u202c \u2066x\u2069\u200f", "evil x", "evil x"},
		"what is not seen":          {"\ufeffD\u200bA\u00ad1\u2060\U000e0041", "DA1", "DA1"},
		"letters of other scripts":  {"\u0645\u06cc\u200c\u062e \u0915\u094d\u200d\u0937 \U0001f468\u200d\U0001f469", "\u0645\u06cc\u200c\u062e \u0915\u094d\u200d\u0937 \U0001f468\u200d\U0001f469", "\u0645\u06cc\u200c\u062e \u0915\u094d\u200d\u0937 \U0001f468\u200d\U0001f469"},
		"a number sign that counts": {"\u06001", "\u06001", "\u06001"},
		"bytes that are no text":    {"a\xffb", "a\ufffdb", "a\ufffdb"},
		"nothing is left":           {"\x1b\u202e", "", ""},
		"nothing":                   {"", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, scraperutils.Clean(c.text))
			assert.Equal(t, c.line, scraperutils.CleanLine(c.text))
		})
	}
}

// FuzzClean: what comes out is text without control characters, and cleaning it again changes nothing.
func FuzzClean(f *testing.F) {
	for _, text := range []string{"", "DA 1/2019", "a\r\nb", "\x1b[2J", "\u202e", " \t\n ", "\xff\xfe", "a \n\t b"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		clean, line := scraperutils.Clean(text), scraperutils.CleanLine(text)
		assert.True(t, utf8.ValidString(clean))
		assert.False(t, strings.ContainsFunc(clean, func(r rune) bool {
			return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r)
		}), "%q", clean)
		assert.NotContains(t, line, "\n")
		assert.NotContains(t, line, "\t")
		assert.Equal(t, clean, scraperutils.Clean(clean))
		assert.Equal(t, line, scraperutils.CleanLine(line))
	})
}
