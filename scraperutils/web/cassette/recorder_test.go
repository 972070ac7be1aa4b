package cassette_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/web/cassette"
)

// What a client saw while it was recorded, it sees again from the file.
func TestRecordThenReplay(t *testing.T) {
	t.Run("in memory", func(t *testing.T) { testRecordThenReplay(t, nil) })
	t.Run("on disk", func(t *testing.T) { testRecordThenReplay(t, spool(t, 0)) })
}

func testRecordThenReplay(t *testing.T, spool *cassette.Spool) {
	site := newSite(t)
	pages := []struct{ method, path, body string }{
		{"GET", "/gzip", ""}, {"GET", "/binary", ""}, {"GET", "/text?page=1", ""}, {"GET", "/text?page=2", ""},
		{"GET", "/text?page=1", ""}, {"GET", "/chunks", ""}, {"GET", "/redirect", ""}, {"GET", "/empty", ""}, {"HEAD", "/text", ""},
		{"POST", "/echo", "a=1&b=\xff"}, {"GET", "/broken", ""}, {"GET", "/nowhere", ""}, {"GET", "/headers", ""},
	}
	recorder := cassette.NewRecorder(site.Client().Transport, cassette.Options{Spool: spool})
	var saw []answer
	began := time.Now().Truncate(time.Second)
	for _, p := range pages {
		saw = append(saw, visit(t, &http.Client{Transport: recorder}, p.method, site.URL+p.path, p.body))
	}
	assert.Equal(t, "<h1>Applications</h1>", gunzipped(t, saw[0].Body))
	assert.Equal(t, binaryBody, saw[1].Body)
	assert.Contains(t, saw[6].Body, "redirected")
	assert.True(t, saw[10].ReadErr)

	path := filepath.Join(t.TempDir(), "new", "folder", "kyogle.yml")
	require.NoError(t, recorder.Write(path))
	site.Close()
	c, err := cassette.Load(path)
	require.NoError(t, err)
	require.Len(t, c.Interactions, len(pages)+1, "the redirect is two")
	assert.False(t, c.Truncated)
	player := c.Player()
	for i, p := range pages {
		want := saw[i]
		if p.path == "/headers" {
			want.Header["Set-Cookie"] = []string{"session=<REDACTED>; path=/; HttpOnly", "seen=; Max-Age=0"}
		}
		if p.path == "/chunks" {
			want.Length = int64(len(want.Body)) // unknown to who saw it, known to who recorded it
		}
		assert.Equal(t, want, visit(t, &http.Client{Transport: player}, p.method, site.URL+p.path, ""), p.path)
	}
	for i, n := range c.Interactions {
		assert.False(t, n.RecordedAt.Before(began), "interaction %d", i+1)
		wantBody := map[string]string{"POST": "a=1&b=\xff"}[n.Request.Method]
		assert.Equal(t, wantBody, bytesOf(t, n.Request.Body), "interaction %d", i+1)
		assert.Equal(t, []string{"gzip"}, n.Request.Header["Accept-Encoding"])
	}
}

// A transport that decodes by itself is recorded as it answers: without the encoding.
func TestRecordDecodingTransport(t *testing.T) {
	site := newSite(t)
	recorder := cassette.NewRecorder(nil, cassette.Options{})
	for _, rt := range []func() http.RoundTripper{
		func() http.RoundTripper { return recorder },
		func() http.RoundTripper { return recorder.Cassette().Player() },
	} {
		got, err := ask(t, rt(), "GET", site.URL+"/gzip")
		require.NoError(t, err)
		assert.Equal(t, "<h1>Applications</h1>", got)
	}
}

// The order of a recording is that in which exchanges came to their end.
func TestRecordingOrder(t *testing.T) {
	site := newSite(t)
	recorder := cassette.NewRecorder(site.Client().Transport, cassette.Options{})
	var open []*http.Response
	for i := range 3 {
		open = append(open, begin(t, recorder, "GET", fmt.Sprint(site.URL, "/text?page=", i)))
	}
	assert.Empty(t, recorder.Cassette().Interactions)
	for _, i := range []int{2, 0, 1} {
		_, err := io.ReadAll(open[i].Body)
		require.NoError(t, err)
	}
	for _, resp := range open {
		require.NoError(t, resp.Body.Close())
	}
	var order []string
	for _, n := range recorder.Cassette().Interactions {
		order = append(order, n.Request.URL[len(site.URL):])
	}
	assert.Equal(t, []string{"/text?page=2", "/text?page=0", "/text?page=1"}, order)
}

func TestBodiesReadInPart(t *testing.T) {
	for name, c := range map[string]struct {
		method, path string
		read         int
		want         string
		cut          cassette.Cut
	}{
		"some of it":                  {"GET", "/binary", 2, "\x00\xff", cassette.Interrupted},
		"all that was announced":      {"GET", "/binary", len(binaryBody), binaryBody, cassette.Whole},
		"all of what has no length":   {"GET", "/chunks", 7, "part 0\n", cassette.Interrupted},
		"nothing":                     {"GET", "/binary", 0, "", cassette.Interrupted},
		"nothing where nothing comes": {"GET", "/empty", 0, "", cassette.Whole},
		"nothing where HEAD asks":     {"HEAD", "/binary", 0, "", cassette.Whole},
	} {
		t.Run(name, func(t *testing.T) {
			site := newSite(t)
			recorder := cassette.NewRecorder(site.Client().Transport, cassette.Options{})
			resp := begin(t, recorder, c.method, site.URL+c.path)
			_, err := io.ReadFull(resp.Body, make([]byte, c.read))
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
			require.NoError(t, resp.Body.Close(), "closing twice records once")
			all := recorder.Cassette().Interactions
			require.Len(t, all, 1)
			assert.Equal(t, c.want, bytesOf(t, all[0].Response.Body))
			assert.Equal(t, c.cut, all[0].Response.Body.Cut)
		})
	}
}

// A client that reads what was announced and no further has read all.
func TestBodyWithoutItsEnd(t *testing.T) {
	recorder := cassette.NewRecorder(fake(func(*http.Request) *http.Response {
		return &http.Response{StatusCode: 200, ContentLength: 5, Body: io.NopCloser(strings.NewReader("hello"))}
	}), cassette.Options{})
	resp := begin(t, recorder, "GET", "http://a.example/")
	_, err := io.ReadFull(resp.Body, make([]byte, 5))
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.Equal(t, cassette.Whole, recorder.Cassette().Interactions[0].Response.Body.Cut)
}

// A transport may begin to send a body, fail and begin again.
func TestRequestBodySentAgain(t *testing.T) {
	recorder := cassette.NewRecorder(fake(func(req *http.Request) *http.Response {
		_, err := io.ReadFull(req.Body, make([]byte, 2))
		assert.NoError(t, err)
		again, err := req.GetBody()
		assert.NoError(t, err)
		all, err := io.ReadAll(again)
		assert.NoError(t, err)
		return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(string(all)))}
	}), cassette.Options{})
	got := visit(t, &http.Client{Transport: recorder}, "POST", "http://a.example/", "a=1")
	assert.Equal(t, "a=1", got.Body)
	assert.Equal(t, "a=1", bytesOf(t, recorder.Cassette().Interactions[0].Request.Body))
}

// The bodies of requests are kept whether or not the client can send them again.
func TestRequestBodies(t *testing.T) {
	site := newSite(t)
	for name, body := range map[string]io.Reader{
		"can be sent again": strings.NewReader("a=1"),
		"can't":             bufio.NewReader(strings.NewReader("a=1")),
		"empty":             http.NoBody,
	} {
		t.Run(name, func(t *testing.T) {
			recorder := cassette.NewRecorder(site.Client().Transport, cassette.Options{})
			req, err := http.NewRequestWithContext(t.Context(), "POST", site.URL+"/echo", body)
			require.NoError(t, err)
			resp, err := recorder.RoundTrip(req)
			require.NoError(t, err)
			assert.Same(t, req, resp.Request)
			echo, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
			all := recorder.Cassette().Interactions
			require.Len(t, all, 1)
			assert.Equal(t, string(echo), bytesOf(t, all[0].Request.Body))
			assert.Equal(t, cassette.Whole, all[0].Request.Body.Cut)
			assert.Equal(t, body != http.NoBody, len(echo) > 0)
		})
	}
}

// A transport that fails is passed through and leaves no trace.
func TestRecordFailure(t *testing.T) {
	broken := errors.New("broken")
	recorder := cassette.NewRecorder(failing{broken}, cassette.Options{})
	_, err := ask(t, recorder, "GET", "http://a.example/")
	assert.ErrorIs(t, err, broken)
	assert.Empty(t, recorder.Cassette().Interactions)
}

type failing struct{ err error }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }

// A recorder keeps to its size: the first exchanges and the latest stay, and it says how many are missing.
func TestRecorderIsFull(t *testing.T) {
	site := sized(t)
	for name, o := range map[string]cassette.Options{
		"of bodies":           {MaxBytes: 100_000},
		"of bodies, on disk":  {MaxBytes: 100_000, Spool: spool(t, 0)},
		"because the disk is": {Spool: spool(t, 6*cassette.BlockSize)},
	} {
		t.Run(name, func(t *testing.T) {
			recorder := cassette.NewRecorder(site.Client().Transport, o)
			defer recorder.Close()
			for _, size := range []int{20_000, 40_000, 30_000, 20_001, 80_000, 20_002} {
				if o.MaxBytes == 0 && size == 80_000 {
					continue
				}
				got, err := ask(t, recorder, "GET", fmt.Sprintf("%s/%d", site.URL, size))
				require.NoError(t, err)
				assert.Len(t, got, size, "the client gets all")
			}
			path := filepath.Join(t.TempDir(), "full.yml")
			require.NoError(t, recorder.Write(path))
			c, err := cassette.Load(path)
			require.NoError(t, err)
			assert.True(t, c.Truncated)
			var sizes []int
			for _, n := range c.Interactions {
				sizes = append(sizes, len(bytesOf(t, n.Response.Body)))
			}
			if o.MaxBytes == 0 { // all of the five exchanges were the first ones, which never go
				assert.Equal(t, []int{20_000, 40_000, 0, 0, 0}, sizes)
				assert.Zero(t, c.Missing)
				return
			}
			assert.Equal(t, []int{20_000, 30_000, 20_001, 0, 20_002}, sizes)
			assert.Equal(t, 1, c.Missing)
			_, err = ask(t, c.Player(), "GET", site.URL+"/80000")
			assert.ErrorContains(t, err, "it was not kept, the recorder was full")
			_, err = ask(t, c.Player(), "GET", site.URL+"/40000")
			assert.ErrorContains(t, err, "(which is truncated: 1 missing)")
		})
	}
}

// A long session keeps its first exchanges and, of the others, the latest, where its failure is.
func TestLongSession(t *testing.T) {
	site := sized(t)
	for name, o := range map[string]cassette.Options{
		"full of bodies":  {MaxBytes: 40_000, Spool: spool(t, 0)},
		"full of headers": {MaxHeadBytes: 30_000},
		"on a full disk":  {Spool: spool(t, 25*cassette.BlockSize)},
	} {
		t.Run(name, func(t *testing.T) {
			recorder := cassette.NewRecorder(site.Client().Transport, o)
			defer recorder.Close()
			for i := range 100 {
				_, err := ask(t, recorder, "GET", fmt.Sprintf("%s/1000?page=%d", site.URL, i))
				require.NoError(t, err)
			}
			c := recorder.Cassette()
			n := len(c.Interactions)
			require.Greater(t, n, 10)
			require.Less(t, n, 100)
			assert.Equal(t, 100-n, c.Missing)
			for i, interaction := range c.Interactions {
				page := i
				if i >= 5 {
					page = i + 100 - n
				}
				assert.True(t, strings.HasSuffix(interaction.Request.URL, fmt.Sprintf("?page=%d", page)), "%d: %s", i, interaction.Request.URL)
				assert.Len(t, bytesOf(t, interaction.Response.Body), 1000)
			}
		})
	}
}

func TestConcurrentRecording(t *testing.T) {
	const clients, pages = 8, 200
	recorder := cassette.NewRecorder(fake(func(req *http.Request) *http.Response {
		return &http.Response{StatusCode: 200, ContentLength: -1, Body: io.NopCloser(strings.NewReader(req.URL.Path))}
	}), cassette.Options{MaxBytes: 1 << 20})
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			for page := range pages {
				_, err := ask(t, recorder, "GET", fmt.Sprintf("http://a.example/%d/%d", i, page))
				assert.NoError(t, err)
			}
			recorder.Cassette()
		})
	}
	all.Wait()
	c := recorder.Cassette()
	assert.Len(t, c.Interactions, clients*pages)
	for _, n := range c.Interactions {
		assert.Equal(t, n.Request.URL, "http://a.example"+bytesOf(t, n.Response.Body))
	}
}

// fake is a transport that answers at once.
type fake func(*http.Request) *http.Response

func (f fake) RoundTrip(req *http.Request) (*http.Response, error) { return f(req), nil }

// begin sends a request whose answer is read later.
func begin(t testing.TB, rt http.RoundTripper, method, url string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	require.NoError(t, err)
	resp, err := rt.RoundTrip(req)
	require.NoError(t, err)
	return resp
}

// sized answers with as many bytes as its path says.
func sized(t testing.TB) *httptest.Server {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var n int
		_, _ = fmt.Sscanf(r.URL.Path, "/%d", &n)
		_, _ = io.WriteString(w, strings.Repeat("x", n))
	}))
	t.Cleanup(site.Close)
	return site
}
