package warc

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/durable"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/sinktest"
)

func TestMain(m *testing.M) {
	os.Exit(sinktest.Main(m, func(folder string) (crawl.Sink, error) {
		return Open(folder, Options{Plain: filepath.Base(folder) == "plain"})
	}))
}

func TestAKillTearsNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("kills a process")
	}
	for name, o := range map[string]Options{"gzip": {}, "plain": {Plain: true}} {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), name)
			sinktest.Killed(t, folder, place{folder, o}, 1, 4)
		})
	}
}

func TestAFullDiskLosesNothing(t *testing.T) {
	for name, o := range map[string]Options{"gzip": {}, "plain": {Plain: true}, "full files": {MaxSize: 1}} {
		t.Run(name, func(t *testing.T) {
			var p place
			sinktest.Full(t, func(folder string) sinktest.Store { p = place{folder, o}; return p })
			for _, path := range files(t, p.folder) {
				assert.NotContains(t, path, openSuffix, "what could not be begun is gone")
			}
		})
	}
}

// whole is a file of three records.
func whole(t testing.TB, plain bool) []byte {
	t.Helper()
	paths := files(t, write(t, Options{Plain: plain}, sinktest.Page("http://a.example/", "text/html", []byte("<p>\r\nWARC/1.1\r\n"))))
	require.Len(t, paths, 1)
	b, err := os.ReadFile(paths[0])
	require.NoError(t, err)
	return b
}

// A file that a kill has left may end anywhere: it keeps its whole records, whatever stands behind them.
func TestWhatWasLeftIsCutBehindItsLastWholeRecord(t *testing.T) {
	for name, zipped := range map[string]bool{"x.warc.gz": true, "x.warc": false} {
		b := whole(t, !zipped)
		var ends []int // of whole records, as they are found in every part of the file
		for n := range len(b) + 1 {
			end, err := wholeRecords(bytes.NewReader(b[:n]), zipped)
			require.NoError(t, err)
			if len(ends) == 0 || int(end) != ends[len(ends)-1] {
				require.EqualValues(t, n, end, "a record ends where the file does for the first time")
				ends = append(ends, n)
			}
		}
		require.Len(t, ends, 4)
		for count, end := range ends {
			folder := t.TempDir()
			path := filepath.Join(folder, name)
			require.NoError(t, os.WriteFile(path+openSuffix, b[:min(end+40, len(b))], 0o600))
			require.NoError(t, mend(path+openSuffix))
			require.NoFileExists(t, path+openSuffix)
			assert.Len(t, records(t, folder), count)
		}
	}
}

func TestWhatIsBeingWrittenIsLeftAlone(t *testing.T) {
	folder := t.TempDir()
	w, err := Open(folder, Options{})
	require.NoError(t, err)
	require.NoError(t, w.Store(t.Context(), sinktest.Pages(0, 1)))
	other, err := Open(folder, Options{})
	require.NoError(t, err)
	require.NoError(t, other.Close())
	require.NoError(t, w.Store(t.Context(), sinktest.Pages(1, 1)))
	require.NoError(t, w.Close())
	assert.Len(t, records(t, folder), 5)
	require.NoError(t, mend(filepath.Join(folder, "gone.warc.open")))
}

func TestWhatCannotBeMendedIsSaidAtTheEnd(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(folder, "x.warc.open"), 0o700))
	w, err := Open(folder, Options{})
	require.NoError(t, err)
	require.NoError(t, w.Store(t.Context(), sinktest.Pages(0, 1)))
	require.ErrorContains(t, w.Close(), "x.warc.open")
}

func FuzzMend(f *testing.F) {
	for _, plain := range []bool{false, true} {
		b := whole(f, plain)
		f.Add(b, plain)
		f.Add(b[:len(b)-9], plain)
		f.Add(append(bytes.Clone(b), "WARC/1.1\r\nContent-Length: 9223372036854775807\r\n\r\n"...), plain)
		f.Add(append(bytes.Clone(b), "\x1f\x8b\x08\x04\x00\x00\x00\x00\x00\xff\xff\xff"...), plain)
	}
	f.Add([]byte("WARC/1.1\r\nContent-Length: -1\r\n\r\n\r\n\r\n"), true)
	f.Fuzz(func(t *testing.T, left []byte, plain bool) {
		// What stands in front whole stays, whatever comes behind it, and what was mended has nothing more to mend.
		before := whole(t, plain)
		path := filepath.Join(t.TempDir(), "x.warc")
		if !plain {
			path += ".gz"
		}
		require.NoError(t, os.WriteFile(path+openSuffix, append(bytes.Clone(before), left...), 0o600))
		require.NoError(t, mend(path+openSuffix))
		after, err := os.ReadFile(path)
		require.NoError(t, err)
		require.True(t, bytes.HasPrefix(after, before))
		require.True(t, bytes.HasPrefix(append(bytes.Clone(before), left...), after))
		file, err := durable.OpenLeft(path)
		require.NoError(t, err)
		defer file.Close()
		n, err := wholeRecords(file, !plain)
		require.NoError(t, err)
		require.EqualValues(t, len(after), n)
	})
}
