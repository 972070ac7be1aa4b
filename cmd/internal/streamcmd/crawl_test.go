package streamcmd_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db/frontier"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/stream/streamtest"
)

// web is hosts of any name behind one proxy, which counts what it is asked for.
type web struct {
	mu    sync.Mutex // guards asked
	asked map[string]int
}

func (w *web) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" {
		http.NotFound(out, r)
		return
	}
	w.mu.Lock()
	w.asked[r.URL.String()]++
	w.mu.Unlock()
	out.Header().Set("Content-Type", "text/html")
	_, _ = fmt.Fprint(out, "<title>a page</title>")
}

// From the stream to the page: both commands are killed again and again, each page is fetched, and once each but around kills of the crawl.
func TestStreamToCrawl(t *testing.T) {
	t.Parallel()
	records, kills := 300, 1
	if full {
		records, kills = 10_000, 5
	}
	const hosts, inFlight = 20, 32
	w := &web{asked: map[string]int{}}
	proxy := httptest.NewServer(w)
	defer proxy.Close()
	s, folder := streamtest.NewStream(t, servers.Endpoint(t, streamtest.Kinesalite), 2), t.TempDir()
	place := filepath.Join(folder, "frontier.sqlite")
	var all []streamtest.Entry
	for i := range records {
		all = append(all, streamtest.Entry{Key: fmt.Sprint(i % 50), Data: fmt.Appendf(nil, `{"id":%d,"page":"http://h%d.example/%d"}`, i, i%hosts, i)})
	}
	all = append(all, streamtest.Entry{Key: "1", Data: []byte(`{"id":0}`)}, streamtest.Entry{Key: "2", Data: []byte("ftp://no.example/")})
	s.Put(t, all...)
	fetch := func() *child {
		return start(t, asCrawl, nil, "--frontier", place, "--keep", "--proxy", strings.TrimPrefix(proxy.URL, "http://"), "--no-delay", "--scope", "none", "--warc", "off", "--jsonl", filepath.Join(folder, "pages.jsonl"), "--requests", fmt.Sprint(inFlight))
	}
	feed := func() *child {
		return start(t, asStream, nil, flags(s, folder, "--crawl", place, "--field", "page", "--batch", "100")...)
	}
	fetched := func() int {
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.asked)
	}
	for kill := range kills {
		a, b := fetch(), feed()
		await(t, func() bool { return fetched() >= (kill+1)*records/(kills+2) })
		b.kill()
		a.kill()
	}
	a, b := fetch(), feed()
	await(t, func() bool { return fetched() >= records && done(t, place) >= records })
	for _, c := range []*child{a, b} {
		require.NoError(t, c.Process.Signal(syscall.SIGTERM))
		assert.Equal(t, 143, c.end())
	}
	total := 0
	for _, n := range w.asked {
		total += n
	}
	assert.Len(t, w.asked, records)
	assert.LessOrEqual(t, total, records+kills*inFlight, "once each, but for what was in flight at a kill")
	letters := deadLetters(t, folder)
	require.Len(t, letters, 2)
	t.Logf("%d pages, %d kills of both: %d requests", records, kills, total)
}

// done counts the URLs of a frontier that are done.
func done(t testing.TB, place string) int {
	t.Helper()
	f, err := frontier.Join(t.Context(), place, frontier.Options{Existing: true})
	require.NoError(t, err)
	defer f.Close()
	counts, err := crawl.Frontier(f).Counts(t.Context(), time.Now())
	require.NoError(t, err)
	return counts.Done
}
