package egress

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/web/cassette"
)

// Whatever happens, a site has no more than its last three failures, one good recording and one that waits for its verdict.
func TestEvidenceIsBounded(t *testing.T) {
	folder, s := t.TempDir(), Site{Label: "council", Platform: "test"}
	recorder := cassette.NewRecorder(nil, cassette.Options{})
	for day := range 30 {
		n := New(Config{Evidence: folder, At: time.Date(2019, 5, 1+day, 0, 0, 0, 0, time.UTC), Log: zerolog.Nop()})
		var failure error
		if day%3 > 0 || day < 10 {
			failure = errors.New("broken")
		}
		_, err := n.flight.landed(s, recorder, failure)
		require.NoError(t, err)
		switch {
		case day%5 == 0 || day < 10: // it was killed
		case failure != nil:
			n.Settle(s, true, false)
		case day%2 == 0: // it was silent
			n.Settle(s, true, false)
		default:
			n.Settle(s, false, true)
		}
		require.NoError(t, n.Close())
		assert.LessOrEqual(t, filesBelow(t, folder), evidenceKept+2, day)
	}
	assert.FileExists(t, TapePath(filepath.Join(folder, GoodFolder), s))
}

// filesBelow counts the files of a folder.
func filesBelow(t *testing.T, folder string) (n int) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			n++
		}
		return err
	}))
	return n
}

// The recorders of a run write where its recordings will be, as far as that is there.
func TestExisting(t *testing.T) {
	folder := t.TempDir()
	assert.Equal(t, folder, existing(folder))
	assert.Equal(t, folder, existing(filepath.Join(folder, "evidence", "new")))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "file"), nil, 0o600))
	assert.Equal(t, folder, existing(filepath.Join(folder, "file")))
	assert.Equal(t, ".", existing("nowhere"))
}
