package cassette_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const binaryBody = "\x00\xff\xfe\r\n\x80"

// newSite is a council's site with everything that makes recording hard.
func newSite(t testing.TB) *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /gzip", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(gzipped(t, "<h1>Applications</h1>"))
	})
	mux.HandleFunc("GET /binary", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, binaryBody) })
	mux.HandleFunc("GET /text", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "DA 1\r\n  é, €\t\n"+r.URL.Query().Get("page"))
	})
	mux.HandleFunc("GET /chunks", func(w http.ResponseWriter, _ *http.Request) {
		for i := range 3 {
			_, _ = fmt.Fprintln(w, "part", i)
			w.(http.Flusher).Flush()
		}
	})
	mux.HandleFunc("GET /headers", func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["X-List"] = []string{"one", "two, three", ""}
		w.Header()["Set-Cookie"] = []string{"session=topsecret; path=/; HttpOnly", "seen=; Max-Age=0"}
		w.WriteHeader(http.StatusTeapot)
	})
	mux.HandleFunc("GET /redirect", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/text?page=redirected", http.StatusFound)
	})
	mux.HandleFunc("POST /echo", func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
	mux.HandleFunc("GET /broken", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "half a page")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	mux.HandleFunc("GET /empty", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)
	return site
}

func gzipped(t testing.TB, s string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := io.WriteString(w, s)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

func gunzipped(t testing.TB, s string) string {
	r, err := gzip.NewReader(strings.NewReader(s))
	require.NoError(t, err)
	b, err := io.ReadAll(r)
	require.NoError(t, err)
	return string(b)
}

// answer is what a client saw of one exchange.
type answer struct {
	Status  string
	Header  http.Header
	Length  int64
	Body    string
	ReadErr bool
}

// visit asks for one page as the client does, redirects included.
func visit(t testing.TB, client *http.Client, method, url, body string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Accept-Encoding", "gzip") // so that bodies stay as they are on the wire
	resp, err := client.Do(req)
	require.NoError(t, err)
	read, err := io.ReadAll(resp.Body)
	require.NoError(t, resp.Body.Close())
	return answer{resp.Status, resp.Header, resp.ContentLength, string(read), err != nil}
}
