package authorities_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities"
	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/authorities/register/registertest"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// councils is the folder of recorded councils. A test that needs it is skipped where it is missing.
func councils(t *testing.T) string {
	t.Helper()
	folder := filepath.Join("..", "..", "shared", "councils")
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("no recorded councils: %v", err)
	}
	return folder
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, into))
}

func recordingsIn(t *testing.T, folder, platform string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "cassettes", platform, "*.yml"))
	require.NoError(t, err)
	return names
}

// Every recorded council (in make test, two of each platform) gives the records that it must give, field by field.
func TestRecordedCouncils(t *testing.T) {
	folder := councils(t)
	var index []struct {
		Platform, Authority string
		AsOf                string `json:"as_of"`
		Records, Rejected   int
	}
	readJSON(t, filepath.Join(folder, "index.json"), &index)
	listed := []string{}
	for _, c := range index {
		listed = append(listed, filepath.Join(folder, "cassettes", c.Platform, c.Authority+".yml"))
	}
	feeds, recordings := recordingsIn(t, folder, "atdis"), recordingsIn(t, folder, "*")
	assert.ElementsMatch(t, recordings, append(listed, feeds...), "every recording is played, here or as a feed")
	known, err := authorities.Load()
	require.NoError(t, err)
	played := map[string]int{}
	for _, c := range index {
		if played[c.Platform]++; played[c.Platform] > testsize.Of(2, len(index)) {
			continue
		}
		t.Run(c.Platform+"/"+c.Authority, func(t *testing.T) {
			entries, err := known.Select([]string{c.Platform + "/" + c.Authority})
			require.NoError(t, err)
			var want []map[string]string
			readJSON(t, filepath.Join(folder, "expected", c.Platform, c.Authority+".json"), &want)
			require.Len(t, want, c.Records)
			got, err := registertest.Replay(t, entries[0].Scraper, filepath.Join(folder, "cassettes", c.Platform, c.Authority+".yml"), c.AsOf)
			require.NoError(t, err)
			assert.Equal(t, want, got.Rows())
			assert.Len(t, got.Rejected, c.Rejected)
		})
	}
}

// The names that platforms are known to use for columns mean what they mean, and those that are passed over mean nothing.
func TestRecordedColumnNames(t *testing.T) {
	var vocabulary map[string]struct {
		Columns map[string][]string
	}
	readJSON(t, filepath.Join(councils(t), "vocabulary.json"), &vocabulary)
	tested := 0
	known, err := authorities.Load()
	require.NoError(t, err)
	for platform, is := range vocabulary {
		entries, err := known.Select([]string{platform + "/*"})
		require.NoError(t, err)
		scraper, ok := entries[0].Scraper.(interface{ Vocabulary() register.Vocabulary })
		if !ok {
			continue // its columns are those of one meaning each, found by the platform itself
		}
		for meaning, names := range is.Columns {
			if !slices.Contains([]string{"council_reference", "address", "description", "date_received", "ignored"}, meaning) {
				continue // a meaning of this platform alone
			}
			want := register.Meaning(strings.Replace(meaning, "ignored", "", 1))
			for _, name := range names {
				tested++
				assert.Equal(t, want, scraper.Vocabulary().Meaning(name), "%s: %s", platform, name)
			}
		}
	}
	assert.Positive(t, tested)
}
