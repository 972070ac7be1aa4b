// Package conformance gives tests what the Ruby gem ScraperUtils, and what saves and imports its records, was seen to do: cases
// in suites, each an input and what came out. They stand beside the repository, in ../shared/conformance; a clone has none, and
// there the tests are skipped. Nothing but tests imports this package.
package conformance

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// Each runs a test for each case of a suite, as one version of the gem has it; "" is any version. Where the suites are not, it
// skips the whole test.
func Each[Case any](t *testing.T, id, version string, test func(*testing.T, Case)) {
	t.Helper()
	for i, text := range read(t, id, version) {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			var line bytes.Buffer
			if err := json.Compact(&line, text); err == nil {
				t.Log(line.String())
			}
			var c Case
			if err := json.Unmarshal(text, &c); err != nil {
				t.Fatalf("the case is of another form: %v", err)
			}
			test(t, c)
		})
	}
}

// Differs says why a case comes out otherwise here than it did in Ruby. The test goes on with what holds instead.
func Differs(t testing.TB, why string) {
	t.Helper()
	t.Logf("differs from Ruby: %s", why)
}

// Replaced skips a case of which nothing is left to test, and says why.
func Replaced(t testing.TB, why string) {
	t.Helper()
	t.Skipf("replaced: %s", why)
}

// Shared is the folder beside the repository with what the project is measured against; it may be missing.
func Shared(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "..", "shared")
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the working directory")
		}
		dir = filepath.Dir(dir)
	}
}

// read returns the cases of a suite.
func read(t *testing.T, id, version string) []json.RawMessage {
	t.Helper()
	path := filepath.Join(Shared(t), "conformance", "scraperutils.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Skipf("the gem's results are not here: %v", err)
	}
	var file struct {
		Suites []struct {
			ID      string
			Version string `json:"gem_version"`
			Cases   []json.RawMessage
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	for _, s := range file.Suites {
		if s.ID == id && (version == "" || s.Version == version) && len(s.Cases) > 0 {
			return s.Cases
		}
	}
	t.Fatalf("no cases of %s %s in %s", id, version, path)
	return nil
}
