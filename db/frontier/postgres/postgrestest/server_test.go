package postgrestest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// A server is started once, keeps what it was told over a restart, and leaves nothing behind.
func TestAServerLeavesNothingBehind(t *testing.T) {
	testsize.SkipUnlessFull(t) // TestContract of db/frontier/postgres has such a server
	var first Server
	defer first.Close()
	s := Server{Durable: true, Like: &first}
	defer s.Close()
	url := s.Schema(t)
	assert.NotEqual(t, url, s.Schema(t), "each test has its own")
	Exec(t, url, "create table kept (n int)")
	assert.NotEqual(t, first.URL(t), s.URL(t), "two servers")
	assert.Zero(t, Number(t, first.URL(t), "select count(*) from pg_tables where tablename = 'kept'"))
	for _, end := range []func(){s.Stop, s.Kill} {
		end()
		assert.False(t, s.answers())
		require.NoError(t, s.Start())
		Exec(t, url, "insert into kept values (1)")
	}
	assert.Positive(t, s.CPU())
	folder := s.folder
	s.Close()
	assert.False(t, s.answers())
	assert.True(t, first.answers(), "it is another")
	assert.NoDirExists(t, folder)
	commands, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	for _, path := range commands {
		text, _ := os.ReadFile(path) // it may have ended
		assert.NotContains(t, string(text), folder)
	}
}
