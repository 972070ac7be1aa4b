package family

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What all families share says nothing of one of them. The log of runs has the columns that it always had.
func TestSharedRoomsKnowNoFamily(t *testing.T) {
	words := regexp.MustCompile(`(?i)council|planning|australia|authority_label|MORPH_`)
	logTables := filepath.Join("scraperutils", "run", "runlog", "tables.go")
	root := filepath.Join("..", "..")
	for _, room := range []string{"scheduler", "scraperutils", "db", "cmd/family", "cmd/internal/cli", "cmd/internal/egress", "fixtures/web", "fixtures/misbehave"} {
		err := filepath.WalkDir(filepath.Join(root, room), func(path string, d fs.DirEntry, err error) error {
			require.NoError(t, err)
			name := strings.TrimPrefix(path, root+string(filepath.Separator))
			switch {
			case d.IsDir() && (d.Name() == "testdata" || d.Name() == "conformance"): // those are for tests alone
				return filepath.SkipDir
			case d.IsDir() || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			for n, line := range strings.Split(string(text), "\n") {
				if found := words.FindString(line); found != "" && (name != logTables || found != "authority_label") {
					assert.Fail(t, found, "%s:%d", name, n+1)
				}
			}
			return nil
		})
		require.NoError(t, err)
	}
}
