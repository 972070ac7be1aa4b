package authorities_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/multiscraper/multiscraper/authorities"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
)

// A row that is written is the row that is read, whatever its address has.
func TestRowsAreReadAsWritten(t *testing.T) {
	known, err := authorities.Load()
	require.NoError(t, err)
	for _, e := range known.All() {
		row := registry.Row(
			registry.Pair{Key: "authority", Value: registry.Quoted(e.Label)},
			registry.Pair{Key: "platform", Value: "masterview"}, // needs no options
			registry.Pair{Key: "url", Value: registry.Quoted(e.URL)},
			registry.Pair{Key: "state", Value: registry.Quoted(stateOf(e))},
		)
		got, err := authorities.Registry().ParseRow(row)
		require.NoError(t, err, row)
		assert.Equal(t, []string{e.Label, e.URL, stateOf(e)}, []string{got.Label, got.URL, stateOf(got)}, row)
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
		quoted := registry.Quoted(text)
		require.NotContains(t, quoted, "\n")
		var rows []struct{ A, B string }
		require.NoError(t, yaml.Unmarshal([]byte("- {a: "+quoted+", b: c}"), &rows), quoted)
		assert.Equal(t, text, rows[0].A, quoted)
		assert.Equal(t, "c", rows[0].B, quoted)
	})
}
