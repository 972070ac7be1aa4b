package browsecmd

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the documentation of the settings anew")

// The documentation has the settings as they are.
func TestSettingsAreDocumented(t *testing.T) {
	const before, after = "<!-- settings: go generate ./cmd/internal/browsecmd -->\n\n", "\n<!-- end of settings -->"
	path := filepath.Join("..", "..", "..", "docs", "browse.md")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	head, rest, found := strings.Cut(string(text), before)
	require.True(t, found)
	table, tail, found := strings.Cut(rest, after)
	require.True(t, found)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(head+before+declared.Table()+after+tail), 0o666))
		return
	}
	assert.Equal(t, declared.Table(), table)
}
