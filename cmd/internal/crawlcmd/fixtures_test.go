package crawlcmd_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The built-in web has hosts of every manner, and a crawl bears them all: what can be fetched is, what can't says why, and those that
// take longer hold nobody up.
func TestBuiltInSites(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	code, _, complaints := call(t, folder, "--fixtures", "--no-delay", "--retry-after", "0.1", "--down", "0.1", "--run-timeout", "3")
	assert.Equal(t, 124, code)
	assert.Equal(t, "ERROR: Script exceeded maximum allowed runtime of 3 seconds!\n", complaints)
	var status struct {
		Ready, Waiting, Done, Failed, Hosts int
		FailedBy                            map[string]int `json:"failed_by"`
	}
	require.NoError(t, json.Unmarshal([]byte(good(t, folder, "status", "--json")), &status))
	assert.Equal(t, 20, status.Hosts)
	assert.GreaterOrEqual(t, status.Done, 75, "all but those of two busy, two dead and two guarded hosts")
	assert.Equal(t, 4, status.FailedBy["robots"])
	assert.Equal(t, 100, status.Ready+status.Waiting+status.Done+status.Failed)
}
