package db

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLockFileText(t *testing.T) {
	at := time.Date(2025, 5, 7, 10, 0, 0, 0, time.FixedZone("", 10*60*60))
	text := holder(4711, at, []string{"/usr/bin/scrape", "--db", "my data.sqlite\n"})
	assert.Equal(t, "pid 4711 since 2025-05-07T10:00:00+10:00 /usr/bin/scrape --db my data.sqlite\n", text)
	e, ok := parseHolder(text)
	require.True(t, ok)
	e.Path = "data.sqlite"
	assert.Equal(t, `database "data.sqlite" is in use by process 4711 since 2025-05-07T10:00:00+10:00 `+
		`(/usr/bin/scrape --db my data.sqlite): wait until it has ended`, e.Error())
}

// Who has a database is known while it is open and no longer, and looking hinders nobody.
func TestHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data.sqlite")
	assert.Zero(t, Holder(path), "nobody has opened it")
	d, err := Open(t.Context(), path, Options{})
	require.NoError(t, err)
	assert.Equal(t, os.Getpid(), Holder(path))
	require.NoError(t, d.Close())
	assert.Zero(t, Holder(path), "the lock file stays, the lock does not")
}

// FuzzLockFileText: any text is read without harm, and what is read is written as it was.
func FuzzLockFileText(f *testing.F) {
	for _, text := range []string{"", "pid", "pid 1 since", "pid 1 since now x", "pid -1 since 2025-05-07T10:00:00Z x",
		"pid 0 since 2025-05-07T10:00:00Z", "pid x since 2025-05-07T10:00:00Z", "pid 1 since 2025-05-07T10:00:00Z scrape --db x\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, ok := parseHolder(text)
		if !ok {
			assert.Equal(t, &LockedError{}, e)
			return
		}
		assert.Positive(t, e.PID)
		again, ok := parseHolder(holder(e.PID, e.Since, []string{e.Command}))
		require.True(t, ok)
		assert.Equal(t, e.Command, again.Command)
		assert.True(t, e.Since.Truncate(time.Second).Equal(again.Since))
	})
}
