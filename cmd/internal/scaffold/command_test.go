package scaffold

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
)

// The command says what it has written, and what to do next.
func TestCommand(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gazettes")
	var out bytes.Buffer
	code, err := (&Command{Dir: dir, Replace: root(t)}).Run(t.Context(), cli.NewConsole("scrape", nil, &out, &out))
	require.NoError(t, err)
	assert.Equal(t, cli.ExitOK, code)
	assert.Contains(t, out.String(), "Written to "+dir+": go.mod, go.sum, ")
	assert.Contains(t, out.String(), "\n    cd "+dir+"\n    go test ./...\n    go run . --fixtures\n")
	assert.FileExists(t, filepath.Join(dir, "catalog", "catalog.go"))
}

// A binary that was built from a folder has a new module use that folder.
func TestOrigin(t *testing.T) {
	version, folder := origin()
	assert.Equal(t, "v0.0.0", version)
	assert.Equal(t, root(t), folder)
}
