package authorities_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities"
	"github.com/multiscraper/multiscraper/authorities/register/registertest"
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

// Every recorded council gives the records that it must give, field by field.
func TestRecordedCouncils(t *testing.T) {
	folder := councils(t)
	var index []struct {
		Platform, Authority string
		AsOf                string `json:"as_of"`
		Rejected            int
	}
	readJSON(t, filepath.Join(folder, "index.json"), &index)
	registry, err := authorities.Load()
	require.NoError(t, err)
	for _, c := range index {
		t.Run(c.Platform+"/"+c.Authority, func(t *testing.T) {
			entries, err := registry.Select([]string{c.Platform + "/" + c.Authority})
			require.NoError(t, err)
			var want []map[string]string
			readJSON(t, filepath.Join(folder, "expected", c.Platform, c.Authority+".json"), &want)
			got, err := registertest.Replay(t, entries[0].Scraper, filepath.Join(folder, "cassettes", c.Platform, c.Authority+".yml"), c.AsOf)
			require.NoError(t, err)
			assert.Equal(t, want, got.Rows())
			assert.Len(t, got.Rejected, c.Rejected)
		})
	}
}
