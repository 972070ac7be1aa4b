package authorities_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/multiscraper/multiscraper/authorities"
)

// A row that is written is the row that is read, whatever its address has.
func TestRowsAreReadAsWritten(t *testing.T) {
	registry, err := authorities.Load()
	require.NoError(t, err)
	for _, e := range registry.All() {
		row := authorities.Row(
			authorities.Pair{Key: "authority", Value: authorities.Quoted(e.Label)},
			authorities.Pair{Key: "platform", Value: "masterview"}, // needs no options
			authorities.Pair{Key: "url", Value: authorities.Quoted(e.URL)},
			authorities.Pair{Key: "state", Value: authorities.Quoted(e.State)},
		)
		got, err := authorities.ParseRow(row)
		require.NoError(t, err, row)
		assert.Equal(t, []string{e.Label, e.URL, e.State}, []string{got.Label, got.URL, got.State}, row)
	}
}

func FuzzQuoted(f *testing.F) {
	for _, text := range []string{"", "NSW", "NO", "1", "null", "~", "a: b", "a, b", "{}", "#", "a #b", "?a=b", "http://h/x?a=1&b=2#c", "'", `"`, "\\", "\n", "\x1b[2J", "\u2028", "é", "- a", "!a", "&a", "*a", "%", "@", strings.Repeat("long ", 100)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return
		}
		quoted := authorities.Quoted(text)
		require.NotContains(t, quoted, "\n")
		var rows []struct{ A, B string }
		require.NoError(t, yaml.Unmarshal([]byte("- {a: "+quoted+", b: c}"), &rows), quoted)
		assert.Equal(t, text, rows[0].A, quoted)
		assert.Equal(t, "c", rows[0].B, quoted)
	})
}
