package cassette_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/web/cassette"
)

// written returns the file of a cassette, and what is loaded from it.
func written(t testing.TB, c *cassette.Cassette, secrets ...string) (string, *cassette.Cassette) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kyogle.yml")
	require.NoError(t, c.Write(path, secrets...))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	read, err := cassette.Load(path)
	require.NoError(t, err)
	return string(text), read
}

// A person can read it, and so can VCR.
func TestWrittenFormat(t *testing.T) {
	c := &cassette.Cassette{Truncated: true, Interactions: []cassette.Interaction{{
		Request: cassette.Request{Method: "POST", URL: "http://a.example/?q=1", Header: http.Header{"Accept": {"*/*"}}, Body: cassette.NewBody([]byte("a=1"))},
		Response: cassette.Response{Status: 200, Message: "OK", Header: http.Header{"Date": {"x"}, "Etag": {"x"}, "Server": {"nginx"}, "Age": {"1"}, "Set-Cookie": {"a=", "b=; path=/"}},
			Body: cassette.NewBody([]byte("<p>\r\n  \"é\" \\ \u2028\ufeff\n\n\t</p>\n"))},
		RecordedAt: time.Date(2019, 5, 15, 0, 0, 0, 999, time.FixedZone("", 10*3600)),
	}, {
		Request:  cassette.Request{Method: "GET", URL: "http://a.example/"},
		Response: cassette.Response{Status: 404, Body: cassette.NewBody([]byte{0xff, 0})},
	}}}
	text, _ := written(t, c)
	assert.Equal(t, `---
http_interactions:
- request:
    method: "post"
    uri: "http://a.example/?q=1"
    body:
      encoding: UTF-8
      string: "a=1"
    headers:
      "Accept":
      - "*/*"
  response:
    status:
      code: 200
      message: "OK"
    headers:
      "Age":
      - "1"
      "Date":
      - "x"
      "Etag":
      - "x"
      "Server":
      - "nginx"
      "Set-Cookie":
      - "a="
      - "b=; path=/"
    body:
      encoding: UTF-8
      string: "<p>\r\n\
        \  \"é\" \\ \u2028\uFEFF\n\
        \n\
        \t</p>\n"
  recorded_at: "Tue, 14 May 2019 14:00:00 GMT"
- request:
    method: "get"
    uri: "http://a.example/"
    body:
      encoding: UTF-8
      string: ""
    headers: {}
  response:
    status:
      code: 404
      message: ""
    headers: {}
    body:
      encoding: ASCII-8BIT
      string: !binary |-
        /wA=
truncated: true
recorded_with: multiscraper
`, text)
}

// Others may read it: the folder of a recording is often shared, and it holds no secrets.
// A body that is nothing but line ends, or other characters that are escaped, does not become a file of many times its size.
func TestBodiesThatQuotingWouldSwell(t *testing.T) {
	for name, unit := range map[string]string{"line ends": "\n", "controls": "\x01"} {
		t.Run(name, func(t *testing.T) {
			body := strings.Repeat(unit, 100_000)
			c := &cassette.Cassette{Interactions: []cassette.Interaction{{
				Request:  cassette.Request{Method: "GET", URL: "http://a.example/"},
				Response: cassette.Response{Status: 200, Body: cassette.NewBody([]byte(body))},
			}}}
			text, read := written(t, c)
			assert.Less(t, len(text), 5*len(body))
			got, err := read.Interactions[0].Response.Body.Bytes()
			require.NoError(t, err)
			assert.Equal(t, body, string(got))
		})
	}
}

func TestWrittenFileMode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kyogle.yml")
	require.NoError(t, recording("http://a.example/").Write(path))
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o644), info.Mode())
}

func TestWriteNothing(t *testing.T) {
	_, read := written(t, &cassette.Cassette{})
	assert.Empty(t, read.Interactions)
}

// What was loaded can be written again, whoever wrote it.
func TestWriteWhatWasLoaded(t *testing.T) {
	c, err := cassette.Load("testdata/kyogle.yml")
	require.NoError(t, err)
	_, read := written(t, c)
	c.Interactions[0].Response.Header["Set-Cookie"] = []string{"a=<REDACTED>; path=/", "b=<REDACTED>; path=/"}
	assertSame(t, c, read)
}

func assertSame(t *testing.T, want, got *cassette.Cassette) {
	t.Helper()
	assert.Equal(t, want.Truncated, got.Truncated)
	require.Len(t, got.Interactions, len(want.Interactions))
	for i, w := range want.Interactions {
		g := got.Interactions[i]
		assert.Equal(t, w.Request.Method, g.Request.Method)
		assert.Equal(t, w.Request.URL, g.Request.URL)
		assert.Equal(t, w.Response.Status, g.Response.Status)
		assert.Equal(t, w.Response.Message, g.Response.Message)
		assert.Equal(t, w.RecordedAt, g.RecordedAt)
		for _, h := range [][2]http.Header{{w.Request.Header, g.Request.Header}, {w.Response.Header, g.Response.Header}} {
			assert.Equal(t, len(h[0]), len(h[1]))
			for name := range h[0] {
				assert.Equal(t, h[0][name], h[1][name], name)
			}
		}
		for _, b := range [][2]cassette.Body{{w.Request.Body, g.Request.Body}, {w.Response.Body, g.Response.Body}} {
			assert.Equal(t, bytesOf(t, b[0]), bytesOf(t, b[1]))
			assert.Equal(t, b[0].Cut, b[1].Cut)
		}
	}
}

// A server may answer with less than three digits: what it did is kept all the same, with what came before.
func TestStatusOfNone(t *testing.T) {
	for status, line := range map[int]string{0: "000 OK", 99: "099 OK"} {
		c := recording("http://a.example/", "http://a.example/2")
		c.Interactions[1].Response.Status = status
		path := filepath.Join(t.TempDir(), "kyogle.yml")
		require.NoError(t, c.Write(path))
		loaded, err := cassette.Load(path)
		require.NoError(t, err)
		req, err := http.NewRequestWithContext(t.Context(), "GET", "http://a.example/2", nil)
		require.NoError(t, err)
		resp, err := loaded.Player().RoundTrip(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		assert.Equal(t, status, resp.StatusCode)
		assert.Equal(t, line, resp.Status)
	}
}

func TestWriteErrors(t *testing.T) {
	bad, err := cassette.Load(writeText(t, one("string: hello", "string: !binary '*'")))
	require.NoError(t, err)
	noURL := recording("http://a.example/", "register")
	noMethod := recording("http://a.example/")
	noMethod.Interactions[0].Request.Method = ""
	for name, c := range map[string]struct {
		cassette *cassette.Cassette
		want     string
	}{
		"no URL":    {noURL, `interaction 2: request.uri is "register"; expected an absolute URL such as https://host/path`},
		"no method": {noMethod, "interaction 1: request.method is missing; expected a method such as get"},
		"no base64": {bad, "interaction 1: response body: not valid base64: illegal base64 data at input byte 0"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			path := filepath.Join(folder, "kyogle.yml")
			require.NoError(t, os.WriteFile(path, []byte("as it was"), 0o600))
			assert.EqualError(t, c.cassette.Write(path), "write cassette "+path+": "+c.want)
			left, err := os.ReadDir(folder)
			require.NoError(t, err)
			assert.Len(t, left, 1, "no temporary file stays")
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, "as it was", string(text))
		})
	}
}

func TestWriteWhereNoFileCanBe(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for name, path := range map[string]string{"a folder": folder, "under a file": filepath.Join(file, "kyogle.yml"), "nowhere": "",
		"the folder itself": folder + "/.", "the folder above": filepath.Join(folder, "x") + "/..", "a folder to be": folder + "/new/"} {
		t.Run(name, func(t *testing.T) {
			err := recording("http://a.example/").Write(path)
			require.ErrorContains(t, err, "write cassette "+path+": ")
			assert.NotContains(t, err.Error(), "\n")
		})
	}
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, left, 1)
}

// Any bytes in any place read back as they were.
func FuzzWriteThenLoad(f *testing.F) {
	f.Add("GET", "x?y=1", "Accept", "*/*", "OK", []byte("hello"), []byte("\xff\x00"))
	f.Add("post", "%zz%", "Null", "a: b # c\r\n d", "", []byte("\n \n\t\n  x \r"), []byte("\u0085\u2028\ufeff\uffff\ufffd \U0001F600\x7f\x00"))
	f.Add("PUT", "\xff", strings.Repeat("long", 500), "\xff", "~", []byte(" "), []byte("---\n...\n"))
	f.Fuzz(func(t *testing.T, method, path, name, value, message string, sent, received []byte) {
		if strings.ContainsFunc(method, func(r rune) bool { return r >= utf8.RuneSelf }) || !utf8.ValidString(name) {
			t.Skip("no method or name of a header")
		}
		c := &cassette.Cassette{Truncated: len(sent) > 3, Interactions: []cassette.Interaction{{
			Request:    cassette.Request{Method: strings.ToUpper(method), URL: "http://a.example/" + path, Header: http.Header{}, Body: cassette.NewBody(sent)},
			Response:   cassette.Response{Status: 200 + len(name)%100, Message: message, Header: http.Header{}, Body: cassette.NewBody(received)},
			RecordedAt: time.Unix(int64(len(received)), 0).UTC(),
		}}}
		c.Interactions[0].Response.Body.Cut = []cassette.Cut{cassette.Whole, cassette.NotKept, cassette.Interrupted}[len(value)%3]
		if !secretName(name) && !strings.Contains(value, "@") {
			c.Interactions[0].Request.Header.Add(name, value)
			c.Interactions[0].Response.Header.Add(name, message)
			c.Interactions[0].Response.Header.Add(name, value)
		}
		if text := path + message + string(sent) + string(received); strings.Contains(text, "@") || strings.Contains(text, "%40") {
			t.Skip("may hold a password")
		}
		file, err := cassette.Encode(c)
		if err != nil {
			assert.NotContains(t, err.Error(), "\n")
			return // no URL or method
		}
		read, err := cassette.Parse(file)
		require.NoError(t, err)
		assertSame(t, c, read)
	})
}

func secretName(name string) bool {
	switch http.CanonicalHeaderKey(name) {
	case "Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie":
		return true
	}
	return false
}
