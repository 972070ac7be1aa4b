package cassette_test

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/web/cassette"
)

func TestSecretsInHeaders(t *testing.T) {
	for name, c := range map[string]struct{ header, value, inRequest, inResponse string }{
		"authorization":          {"Authorization", "Basic bWU6aHVudGVy", "<REDACTED>", "Basic bWU6aHVudGVy"},
		"proxy's authorization":  {"Proxy-Authorization", "Basic x", "<REDACTED>", "Basic x"},
		"cookies sent":           {"Cookie", "a=1; b=2", "<REDACTED>", "a=1; b=2"},
		"header in any case":     {"cookie", "a=1", "<REDACTED>", "a=1"},
		"cookie set":             {"Set-Cookie", "a=1; path=/", "a=1; path=/", "a=<REDACTED>; path=/"},
		"cookie with equals":     {"Set-Cookie", "a=1=2", "a=1=2", "a=<REDACTED>"},
		"cookie emptied":         {"Set-Cookie", "a=; Max-Age=0", "a=; Max-Age=0", "a=; Max-Age=0"},
		"cookie without a name":  {"Set-Cookie", "topsecret; path=/", "topsecret; path=/", "<REDACTED>; path=/"},
		"user and password":      {"Location", "http://me:hunter@a.example/x?a@b", "http://%3CREDACTED%3E@a.example/x?a@b", "http://%3CREDACTED%3E@a.example/x?a@b"},
		"user alone":             {"Referer", "http://me@a.example/", "http://%3CREDACTED%3E@a.example/", "http://%3CREDACTED%3E@a.example/"},
		"no user":                {"Location", "http://a.example/me@x", "http://a.example/me@x", "http://a.example/me@x"},
		"a mail address":         {"From", "me@a.example", "me@a.example", "me@a.example"},
		"secret":                 {"X-Proxy", "key s3/cr&t!", "key <REDACTED>", "key <REDACTED>"},
		"secret escaped for URL": {"X-Proxy", "http://a.example/?k=s3%2Fcr%26t", "http://a.example/?k=<REDACTED>", "http://a.example/?k=<REDACTED>"},
		"longest secret first":   {"X-Proxy", "s3/cr&t-and-more s3/cr&t", "<REDACTED> <REDACTED>", "<REDACTED> <REDACTED>"},
	} {
		t.Run(name, func(t *testing.T) {
			rec := recording("http://a.example/")
			rec.Interactions[0].Request.Header = http.Header{c.header: {c.value}}
			rec.Interactions[0].Response.Header = http.Header{c.header: {c.value}}
			rec.Interactions[0].Response.Message = "s3/cr&t"
			_, read := written(t, rec, "", "s3/cr&t", "s3/cr&t!", "s3/cr&t-and-more")
			assert.Equal(t, c.inRequest, read.Interactions[0].Request.Header.Get(c.header))
			assert.Equal(t, "<REDACTED>", read.Interactions[0].Response.Message)
			assert.Equal(t, c.inResponse, read.Interactions[0].Response.Header.Get(c.header))
		})
	}
}

func TestSecretsInURLs(t *testing.T) {
	for name, c := range map[string]struct{ url, want string }{
		"user and password":    {"https://me:hunter@a.example:8443/x", "https://%3CREDACTED%3E@a.example:8443/x"},
		"at sign in the path":  {"http://a.example/@@horizondap@@/x", "http://a.example/@@horizondap@@/x"},
		"secret in the path":   {"http://a.example/key/8080/x", "http://a.example/key/<REDACTED>/x"},
		"secret in the query":  {"http://a.example/?key=8080", "http://a.example/?key=<REDACTED>"},
		"not host and port":    {"http://a8080.example:8080/", "http://a8080.example:8080/"},
		"not the scheme":       {"https://a.example", "https://a.example"},
		"escaped, in a query":  {"http://a.example/?key=a%2Fb+c", "http://a.example/?key=<REDACTED>"},
		"escaped, in a path":   {"http://a.example/key/a%2Fb%20c/x", "http://a.example/key/<REDACTED>/x"},
		"in a query's URL too": {"http://a.example/?to=http://me:hunter@b.example/", "http://a.example/?to=http://%3CREDACTED%3E@b.example/"},
	} {
		t.Run(name, func(t *testing.T) {
			_, read := written(t, recording(c.url), "8080", "https", "a/b c")
			assert.Equal(t, c.want, read.Interactions[0].Request.URL)
			_, err := ask(t, read.Player(), "GET", c.want)
			assert.NoError(t, err, "it can be asked for")
		})
	}
}

func TestSecretsInBodies(t *testing.T) {
	const secret = "s3cr&t"
	plain := "x"
	clean := gzipped(t, plain)
	for name, c := range map[string]struct {
		body []byte
		want string
	}{
		"text":                {[]byte("password=s3cr&t."), "password=<REDACTED>."},
		"of a form":           {[]byte("password=s3cr%26t&a=1"), "password=<REDACTED>&a=1"},
		"of a page":           {[]byte(`value="s3cr&amp;t"`), `value="<REDACTED>"`},
		"not quite text":      {[]byte("\xe9 s3cr&t"), "\xe9 <REDACTED>"},
		"gzip without any":    {clean, string(clean)},
		"no gzip after all":   {[]byte("\x1f\x8b s3cr&t"), "\x1f\x8b <REDACTED>"},
		"what a proxy echoes": {[]byte("Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("me:s3cr&t"))), "Proxy-Authorization: Basic <REDACTED>"},
		"in a page's link":    {[]byte(`<a href="http://you:pw@b.example/x">, "u":"http:\/\/you:pw@b.example"`), `<a href="http://%3CREDACTED%3E@b.example/x">, "u":"http:\/\/%3CREDACTED%3E@b.example"`},
		"in a link's query":   {[]byte("/login?to=http%3A%2F%2Fyou%3Apw%40b.example%2F"), "/login?to=http%3A%2F%2F%3CREDACTED%3E%40b.example%2F"},
		"mail addresses":      {[]byte(`<a href="http://a.example">me@a.example</a> http://a.example, me@b.example; http://a.example/@me`), `<a href="http://a.example">me@a.example</a> http://a.example, me@b.example; http://a.example/@me`},
	} {
		t.Run(name, func(t *testing.T) {
			rec := recording("http://a.example/")
			rec.Interactions[0].Request.Body = cassette.NewBody(c.body)
			rec.Interactions[0].Response.Body = cassette.NewBody(c.body)
			_, read := written(t, rec, secret, "me:"+secret)
			assert.Equal(t, c.want, bytesOf(t, read.Interactions[0].Request.Body))
			assert.Equal(t, c.want, bytesOf(t, read.Interactions[0].Response.Body))
		})
	}
	for name, c := range map[string]struct {
		body []byte
		want string
	}{
		"gzip":             {gzipped(t, "is s3cr&t!"), "is <REDACTED>!"},
		"gzip of too much": {gzipped(t, strings.Repeat("x", cassette.MostDecoded)+secret), strings.Repeat("x", cassette.MostDecoded)},
	} {
		t.Run(name, func(t *testing.T) {
			rec := recording("http://a.example/")
			rec.Interactions[0].Response.Body = cassette.NewBody(c.body)
			_, read := written(t, rec, secret)
			got := gunzipped(t, bytesOf(t, read.Interactions[0].Response.Body))
			assert.True(t, c.want == got, "%d bytes instead of %d", len(got), len(c.want))
		})
	}
}

// A page that is deflated in either way holds no secret, and one without any stays as it is.
func TestSecretsInDeflatedBodies(t *testing.T) {
	deflated := func(text string, to func(io.Writer) io.WriteCloser) []byte {
		var b bytes.Buffer
		w := to(&b)
		_, err := io.WriteString(w, text)
		require.NoError(t, errors.Join(err, w.Close()))
		return b.Bytes()
	}
	bare := func(w io.Writer) io.WriteCloser { f, _ := flate.NewWriter(w, 9); return f }
	wrapped := func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }
	for name, c := range map[string]struct {
		body []byte
		same bool
	}{
		"zlib":             {deflated("is hunter2", wrapped), false},
		"bare":             {deflated("is hunter2", bare), false},
		"without a secret": {deflated("is nothing", wrapped), true},
		"no deflate":       {[]byte("\xff no deflate"), true},
	} {
		t.Run(name, func(t *testing.T) {
			rec := recording("http://a.example/")
			rec.Interactions[0].Response.Header = http.Header{"Content-Encoding": {"deflate"}}
			rec.Interactions[0].Response.Body = cassette.NewBody(c.body)
			_, read := written(t, rec, "hunter2")
			got := bytesOf(t, read.Interactions[0].Response.Body)
			if c.same {
				assert.Equal(t, string(c.body), got)
				return
			}
			r, err := zlib.NewReader(strings.NewReader(got))
			require.NoError(t, err)
			text, err := io.ReadAll(r)
			require.NoError(t, err)
			assert.Equal(t, "is <REDACTED>", string(text))
		})
	}
}

// User and password of a URL that was asked for are secrets wherever they come up again, also where its exchange was dropped.
func TestUserOfAURLIsASecret(t *testing.T) {
	site := fake(func(r *http.Request) *http.Response {
		return &http.Response{StatusCode: 200, Header: http.Header{}, Request: r, ContentLength: -1,
			Body: io.NopCloser(strings.NewReader("you are me:hunter2, Basic " + base64.StdEncoding.EncodeToString([]byte("me:hunter2"))))}
	})
	recorder := cassette.NewRecorder(site, cassette.Options{MaxHeadBytes: 3000})
	for i := range 20 {
		url := "http://a.example/"
		if i == 3 {
			url = "http://me:hunter2@a.example/"
		}
		_, err := ask(t, recorder, "GET", url)
		require.NoError(t, err)
	}
	path := filepath.Join(t.TempDir(), "a.yml")
	require.NoError(t, recorder.Write(path))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Contains(t, string(text), "you are <REDACTED>, Basic <REDACTED>")
	assert.NotContains(t, string(text), "hunter2")
}

// A login through a proxy with all kinds of passwords leaves none of them in the file, and the flow can be played.
func TestNoSecretIsWritten(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/login" {
			http.SetCookie(w, &http.Cookie{Name: "session", Value: "cookie-hunter2", Path: "/"})
			http.Redirect(w, r, "http://me:hunter2@"+r.Host+"/welcome", http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, "your password is hunter2")
	}))
	defer site.Close()
	login := strings.Replace(site.URL, "://", "://me:hunter2@", 1) + "/login"
	recorder := cassette.NewRecorder(site.Client().Transport, cassette.Options{Secrets: []string{"hunter2"}})
	visit(t, &http.Client{Transport: recorder}, "POST", login, "password=hunter2")
	path := filepath.Join(t.TempDir(), "kyogle.yml")
	require.NoError(t, recorder.Write(path))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.NotContains(t, string(text), "hunter2")
	assert.NotContains(t, string(text), "bWU6aHVudGVyMg", "as base64")

	c, err := cassette.Load(path)
	require.NoError(t, err)
	got := visit(t, &http.Client{Transport: c.Player()}, "POST", login, "password=hunter2")
	assert.Equal(t, "your password is <REDACTED>", got.Body)
}
