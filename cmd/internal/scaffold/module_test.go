package scaffold

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// offline is the environment of a machine without a network. vet, which looks at all that a program is made of, is a line of its own.
func offline() []string {
	return append(os.Environ(), "GOFLAGS=-mod=readonly -vet=off '-ldflags=-s -w'", "GOPROXY=off")
}

// root is the folder of this project.
func root(t *testing.T) string {
	t.Helper()
	folder, err := filepath.Abs(filepath.Join("..", "..", ".."))
	require.NoError(t, err)
	return folder
}

// written writes a module beside this project.
func written(t *testing.T) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "libraries")
	m := Module{Name: "libraries", Module: "example.org/libraries", Version: "v0.0.0", Replace: root(t)}
	files, err := m.Write(dir)
	require.NoError(t, err)
	for _, file := range []string{"go.mod", "go.sum", "main.go", "main_test.go", "registry.yml", "catalog/catalog.go", "testdata/riverside.csv", ".gitignore", "Makefile", "README.md"} {
		assert.Contains(t, files, file)
	}
	return dir
}

// commands returns the lines of code of a page, without their comments.
func commands(page string) (all []string) {
	for line := range strings.Lines(page) {
		if code, ok := strings.CutPrefix(line, "    "); ok {
			code, _, _ = strings.Cut(code, " # ")
			all = append(all, strings.TrimSpace(code))
		}
	}
	return all
}

// What is written runs at once and without a network, by the words of its own README. make test only sees that it compiles.
func TestModuleRuns(t *testing.T) {
	t.Parallel()
	dir := written(t)
	formatted, err := exec.Command("gofmt", "-l", dir).CombinedOutput()
	require.NoError(t, err)
	assert.Empty(t, string(formatted))

	readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
	require.NoError(t, err)
	tried, _, found := strings.Cut(string(readme), "## Every night")
	require.True(t, found)
	lines := commands(tried)
	require.Contains(t, lines, "go run . --fixtures --db try.sqlite")
	require.Contains(t, lines, "go test ./...")
	lines = slices.Concat([]string{"go build -o program ."}, lines, []string{"go vet ./..."})
	if !testsize.Full() {
		lines = []string{"go list -export ./..."} // compiles all of it and links nothing, which costs most
	}
	for _, line := range lines {
		c := exec.Command("sh", "-c", strings.Replace(line, "go run .", "./program", 1)) // go run would build it anew for each line
		c.Dir, c.Env = dir, offline()
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%s: %s", line, out)
		switch line {
		case "go run . --fixtures --db try.sqlite":
			assert.Equal(t, 2, strings.Count(string(out), " verdict=ok records=7 "), string(out))
		case "go run . export --db try.sqlite":
			assert.Equal(t, 15, strings.Count(string(out), "\n"), "a line of names and 14 books: %s", out)
		case "go run . --fixtures --failed --db try.sqlite":
			assert.Contains(t, string(out), "library=riverside verdict=ok")
			assert.NotContains(t, string(out), "hilltop")
		}
	}
}

// A folder that is not empty stays as it is, and a name that is no command is refused.
func TestRefused(t *testing.T) {
	full := filepath.Join(t.TempDir(), "full")
	require.NoError(t, os.MkdirAll(full, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(full, "mine.txt"), nil, 0o600))
	own := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(own, "go.mod"), []byte("module other\n"), 0o600))
	for name, c := range map[string]struct {
		m    Module
		dir  string
		want string
	}{
		"not empty":       {Module{Name: "full", Module: "full", Version: "v0.1.0"}, full, "expected a folder that is empty, or not there yet; this one has mine.txt"},
		"no name":         {Module{Name: "My Sites", Module: "m", Version: "v0.1.0"}, filepath.Join(own, "x"), `dir: can't use "My Sites": expected a folder whose name begins with a small letter`},
		"another project": {Module{Name: "x", Module: "x", Version: "v0.0.0", Replace: own}, filepath.Join(own, "x"), "it is not the module " + project},
		"no project":      {Module{Name: "x", Module: "x", Version: "v0.0.0", Replace: filepath.Join(own, "nowhere")}, filepath.Join(own, "x"), "no such file or directory"},
		"a file":          {Module{Name: "x", Module: "x", Version: "v0.1.0"}, filepath.Join(own, "go.mod"), "not a directory"},
	} {
		files, err := c.m.Write(c.dir)
		assert.ErrorContains(t, err, c.want, name)
		assert.Empty(t, files, name)
		assert.NoDirExists(t, filepath.Join(own, "x"), name)
	}
	entries, err := os.ReadDir(full)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
}

// A stranger's module asks for a version, and says how it is fetched.
func TestModuleOfAVersion(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "courts")
	files, err := Module{Name: "courts", Module: "courts", Version: "v0.1.0"}.Write(dir)
	require.NoError(t, err)
	assert.False(t, slices.Contains(files, "go.sum"))
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	require.NoError(t, err)
	assert.Equal(t, "module courts\n\ngo 1.26.0\n\nrequire "+project+" v0.1.0\n", string(mod))
	readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
	require.NoError(t, err)
	assert.Contains(t, commands(string(readme)), "go mod tidy")
}
