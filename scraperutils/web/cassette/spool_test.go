package cassette_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/testsize"
	"github.com/multiscraper/multiscraper/scraperutils/web/cassette"
)

func spool(t testing.TB, limit int64) *cassette.Spool {
	t.Helper()
	s := cassette.NewSpool(t.TempDir(), limit)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return s
}

// big answers with pages of a size whose bytes are that of the page's number.
func big(size int) fake {
	return func(req *http.Request) *http.Response {
		var n int
		_, _ = fmt.Sscanf(req.URL.Path, "/%d", &n)
		page := bytes.Repeat([]byte{byte(n)}, size)
		return &http.Response{StatusCode: 200, Header: http.Header{}, ContentLength: -1, Body: io.NopCloser(bytes.NewReader(page))}
	}
}

// Recorders with megabytes each, a hundred of them where all tests are run, take next to no memory.
func TestSpooledBodiesTakeNoMemory(t *testing.T) {
	const pages, size = 4, 1 << 20
	recorders := testsize.Of(25, 100)
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	shared := spool(t, 0)
	var all []*cassette.Recorder
	for range recorders {
		r := cassette.NewRecorder(big(size), cassette.Options{MaxBytes: 20 << 20, MaxHeadBytes: 1 << 19, Spool: shared})
		for n := range pages {
			_, err := ask(t, r, "GET", fmt.Sprintf("http://a.example/%d", n))
			require.NoError(t, err)
		}
		all = append(all, r)
	}
	took := heap() - before
	t.Logf("%d MiB of bodies take %d KiB of memory", recorders*pages*size>>20, took>>10)
	assert.Less(t, took, int64(8<<20))
	assert.Len(t, bytesOf(t, all[7].Cassette().Interactions[2].Response.Body), size)
	runtime.KeepAlive(all)
}

// What a recorder gives up, others use again, and none sees what is another's.
func TestRecordersShareASpool(t *testing.T) {
	const recorders, rounds, pages, size = 8, 5, 10, 40_000
	shared := spool(t, 0)
	var wg sync.WaitGroup
	for i := range recorders {
		wg.Go(func() {
			for range rounds {
				r := cassette.NewRecorder(big(size), cassette.Options{MaxBytes: 200_000, Spool: shared})
				for n := range pages {
					_, err := ask(t, r, "GET", fmt.Sprintf("http://a.example/%d", i*pages+n))
					assert.NoError(t, err)
				}
				for _, n := range r.Cassette().Interactions {
					var page int
					_, err := fmt.Sscanf(n.Request.URL, "http://a.example/%d", &page)
					assert.NoError(t, err)
					assert.True(t, bytesOf(t, n.Response.Body) == strings.Repeat(string([]byte{byte(page)}), size), "page %d", page)
				}
				r.Close()
			}
		})
	}
	wg.Wait()
	assert.LessOrEqual(t, shared.Blocks()*cassette.BlockSize, int64(recorders*(200_000+size+2*5*cassette.BlockSize)))
}

// The file has no name, so that nothing is left of it however the process ends.
func TestSpoolLeavesNothing(t *testing.T) {
	folder := t.TempDir()
	s := cassette.NewSpool(folder, 0)
	r := cassette.NewRecorder(big(100_000), cassette.Options{Spool: s})
	_, err := ask(t, r, "GET", "http://a.example/1")
	require.NoError(t, err)
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Empty(t, left)
	require.NoError(t, s.Close())
	require.NoError(t, s.Close(), "twice")
}

// Where there is no disk, nothing is kept of bodies, and the client does not notice.
func TestSpoolThatCannotBeWritten(t *testing.T) {
	closed := cassette.NewSpool(t.TempDir(), 0)
	require.NoError(t, closed.Close())
	for name, s := range map[string]*cassette.Spool{
		"no folder": cassette.NewSpool(filepath.Join(t.TempDir(), "nowhere"), 0),
		"closed":    closed,
		"full":      cassette.NewSpool(t.TempDir(), 1*cassette.BlockSize),
	} {
		t.Run(name, func(t *testing.T) {
			r := cassette.NewRecorder(big(100_000), cassette.Options{Spool: s})
			got, err := ask(t, r, "GET", "http://a.example/1")
			require.NoError(t, err)
			assert.Len(t, got, 100_000)
			path := filepath.Join(t.TempDir(), "kyogle.yml")
			require.NoError(t, r.Write(path))
			c, err := cassette.Load(path)
			require.NoError(t, err)
			require.Len(t, c.Interactions, 1)
			assert.Equal(t, cassette.NotKept, c.Interactions[0].Response.Body.Cut)
			assert.True(t, c.Truncated)
			require.NoError(t, s.Close())
		})
	}
}

// A recorder that is closed passes on and keeps nothing, even of what was under way.
func TestClosedRecorder(t *testing.T) {
	s := spool(t, 0)
	r := cassette.NewRecorder(big(100_000), cassette.Options{Spool: s})
	resp := begin(t, r, "GET", "http://a.example/1")
	_, err := io.ReadFull(resp.Body, make([]byte, 50_000))
	require.NoError(t, err)
	r.Close()
	rest, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	assert.Len(t, rest, 50_000)
	require.NoError(t, resp.Body.Close())
	assert.Empty(t, r.Cassette().Interactions)
	taken := s.Blocks()
	other := cassette.NewRecorder(big(int(taken)*cassette.BlockSize), cassette.Options{Spool: s})
	_, err = ask(t, other, "GET", "http://a.example/2")
	require.NoError(t, err)
	assert.Equal(t, taken, s.Blocks(), "its room is used again")
}
