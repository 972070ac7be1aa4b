package family

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The program of the README compiles where it says.
func TestProgramOfTheReadme(t *testing.T) {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	_, program, _ := strings.Cut(string(readme), "```go\n")
	program, _, found := strings.Cut(program, "```\n")
	require.True(t, found)

	source, overlay := filepath.Join(t.TempDir(), "main.go"), filepath.Join(t.TempDir(), "overlay.json")
	require.NoError(t, os.WriteFile(source, []byte(program), 0o600))
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(root, "cmd/first/main.go"): source}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(overlay, replace, 0o600))
	// That compiles, and links nothing.
	out, err := exec.Command("go", "list", "-export", "-overlay", overlay, module+"cmd/first").CombinedOutput()
	assert.NoError(t, err, "%s", out)
}
