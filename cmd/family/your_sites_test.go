package family

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// The page about one's own sites is right: its files, saved as it says, are a program that does what its commands say.
func TestYourOwnSites(t *testing.T) {
	testsize.SkipUnlessFull(t) // TestModuleRuns of scaffold compiles a module
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "your-own-sites.md"))
	require.NoError(t, err)
	page := string(text)
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	dir := t.TempDir()
	files := regexp.MustCompile("(?s)Save as `([^`]+)`:\n\n```[a-z]+\n(.*?)```\n").FindAllStringSubmatch(page, -1)
	require.Len(t, files, 4)
	for _, f := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, f[1]), []byte(f[2]), 0o600))
	}
	formatted, err := exec.Command("gofmt", "-l", dir).CombinedOutput()
	require.NoError(t, err)
	assert.Empty(t, string(formatted))

	// What fetches the module is left out: it stands beside the page.
	module, err := os.ReadFile(filepath.Join("testdata", "families", "go.mod"))
	if err != nil {
		t.Skip("the module of the families is not here: it is no part of this module's download")
	}
	there := regexp.MustCompile(`(?m)^replace .*$`).ReplaceAllString(string(module), "replace github.com/multiscraper/multiscraper => "+root)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(there), 0o600))
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o600))

	run := func(line string) string {
		c := exec.CommandContext(t.Context(), "sh", "-c", line)
		c.Dir, c.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod '-ldflags=-s -w'", "GOPROXY=off", "GOWORK=off")
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%s: %s", line, out)
		return string(out)
	}
	run("go build -o quotes .")
	printed := map[string]string{}
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(page, -1) {
		for line := range strings.Lines(block[1]) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "mkdir") || strings.HasPrefix(line, "go mod") || strings.HasPrefix(line, "go get") {
				continue
			}
			printed[line] = run(strings.Replace(line, "go run .", "./quotes", 1)) // go run would build it anew for each line
		}
	}
	assert.Equal(t, 2, strings.Count(printed["go run . --fixtures"], "verdict=ok records=2"), printed["go run . --fixtures"])
	assert.Contains(t, printed["go run . export --db try.sqlite"], "Number 2 of love")
	assert.Contains(t, printed["go run . --fixtures --misbehave love=layout || true"], "no div.quote")
	assert.Contains(t, printed["go run . page love --db try.sqlite"], "Our new web site")
	assert.Contains(t, printed["go run . --fixtures --failed"], "site=love verdict=ok")
}
