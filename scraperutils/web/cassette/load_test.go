package cassette_test

import (
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/web/cassette"
)

func TestLoad(t *testing.T) {
	c, err := cassette.Load("testdata/kyogle.yml")
	require.NoError(t, err)
	require.Len(t, c.Interactions, 2)
	first, second := c.Interactions[0], c.Interactions[1]
	assert.Equal(t, "GET", first.Request.Method)
	assert.Equal(t, "https://council.example/register?page=1&from=14%2F05%2F2019", first.Request.URL)
	assert.Equal(t, http.Header{"Accept": {"*/*"}}, first.Request.Header)
	assert.Equal(t, 200, first.Response.Status)
	assert.Equal(t, "OK", first.Response.Message)
	assert.Equal(t, []string{"a=1; path=/", "b=2; path=/"}, first.Response.Header["Set-Cookie"])
	assert.Equal(t, "DA 1/2019,\r\n DA 2/2019", bytesOf(t, first.Response.Body))
	assert.Equal(t, time.Date(2019, 5, 14, 14, 0, 0, 0, time.UTC), first.RecordedAt)
	assert.Equal(t, "page=2", bytesOf(t, second.Request.Body))
	assert.Equal(t, "\xff\x00\xfe", bytesOf(t, second.Response.Body))
	assert.False(t, c.Truncated)
}

func TestBodies(t *testing.T) {
	for name, c := range map[string]struct{ yaml, want, err string }{
		"text":                     {yaml: "      string: hello", want: "hello"},
		"literal":                  {yaml: "      string: |\n        a\n         b\n", want: "a\n b\n"},
		"number":                   {yaml: "      string: 1.50", want: "1.50"},
		"null":                     {yaml: "      string:", want: ""},
		"missing":                  {yaml: "      other: x", want: ""},
		"!binary":                  {yaml: "      string: !binary |-\n        aGVs\n        bG8=", want: "hello"},
		"!!binary":                 {yaml: "      string: !!binary aGVsbG8=", want: "hello"},
		"folded !!binary":          {yaml: "      string: !!binary \"aGVs\n        bG8=\"", want: "hello"},
		"!binary and an encoding":  {yaml: "      string: !binary 6Q==\n      encoding: ISO-8859-1", want: "\xe9"},
		"base64_string":            {yaml: "      base64_string: |\n        aGVsbG8=\n", want: "hello"},
		"text for ISO-8859-1":      {yaml: "      string: é\n      encoding: iso-8859-1", want: "\xe9"},
		"ASCII in any encoding":    {yaml: "      string: hello\n      encoding: GBK", want: "hello"},
		"unknown encoding":         {yaml: "      string: é\n      encoding: GBK", err: "its encoding is not known"},
		"no character of it":       {yaml: "      string: €\n      encoding: ISO-8859-1", err: "no character of its encoding"},
		"no base64":                {yaml: "      string: !binary '***'", err: "not valid base64"},
		"base64 without its end":   {yaml: "      string: !binary aGVsbG8", err: "not valid base64"},
		"text that looks like one": {yaml: "      string: '!binary aGVsbG8='", want: "!binary aGVsbG8="},
	} {
		t.Run(name, func(t *testing.T) {
			path := writeText(t, one("      encoding: UTF-8\n      string: hello", c.yaml))
			loaded, err := cassette.Load(path)
			require.NoError(t, err)
			got, err := ask(t, loaded.Player(), "GET", "http://council.example/")
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				assert.ErrorContains(t, err, "play interaction 1 of "+path+", GET http://council.example/: response body: ")
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
}

// What VCR may write otherwise than usual, or a person by hand.
func TestLoadLeniently(t *testing.T) {
	for name, c := range map[string]struct {
		yaml string
		want func(i *cassette.Interaction) any
		is   any
	}{
		"a header value alone":     {one("", ""), func(i *cassette.Interaction) any { return i.Response.Header }, http.Header{"Server": {"nginx"}}},
		"no headers":               {one("    headers:\n      Accept:\n      - text/html", "    headers:"), func(i *cassette.Interaction) any { return i.Request.Header }, http.Header(nil)},
		"a header without values":  {one("      - text/html", ""), func(i *cassette.Interaction) any { return i.Request.Header }, http.Header{}},
		"header names in any case": {one("Accept:", "aCCept:"), func(i *cassette.Interaction) any { return i.Request.Header.Get("Accept") }, "text/html"},
		"base64 in a header":       {one("Server: nginx", "Server: !binary 6Q=="), func(i *cassette.Interaction) any { return i.Response.Header.Get("Server") }, "\xe9"},
		"quoted status":            {one("code: 200", "code: '200'"), func(i *cassette.Interaction) any { return i.Response.Status }, 200},
		"body alone":               {one("body:\n      encoding: UTF-8\n      string: hello", "body: hello"), func(i *cassette.Interaction) any { b, _ := i.Response.Body.Bytes(); return string(b) }, "hello"},
		"no time":                  {one("  recorded_at: Tue, 14 May 2019 14:00:00 GMT\n", ""), func(i *cassette.Interaction) any { return i.RecordedAt.IsZero() }, true},
		"YAML's time":              {one("Tue, 14 May 2019 14:00:00 GMT", "2019-05-14 14:00:00.000000000 Z"), func(i *cassette.Interaction) any { return i.RecordedAt.Unix() }, int64(1557842400)},
		"aliases":                  {one("- text/html", "- &1 text/html\n      Other:\n      - *1"), func(i *cassette.Interaction) any { return i.Request.Header.Get("Other") }, "text/html"},
		"aliases of keys":          {one("method: get", "&1 method: get\n    *1 : put"), func(i *cassette.Interaction) any { return i.Request.Method }, "PUT"},
		"unknown keys":             {one("---", "---\nother: [1, {a: b}]"), func(i *cassette.Interaction) any { return i.Request.Method }, "GET"},
	} {
		t.Run(name, func(t *testing.T) {
			loaded, err := cassette.Load(writeText(t, c.yaml))
			require.NoError(t, err)
			require.Len(t, loaded.Interactions, 1)
			assert.Equal(t, c.is, c.want(&loaded.Interactions[0]))
		})
	}
}

func TestLoadErrors(t *testing.T) {
	for name, c := range map[string]struct{ yaml, want string }{
		"empty":             {"", "the file is empty; expected a mapping with http_interactions"},
		"not YAML":          {"a: [b", "not YAML: line 1: did not find expected ',' or ']'"},
		"not a mapping":     {"- a", "the document is a list; expected a mapping"},
		"text":              {"<html>", "the document is text; expected a mapping"},
		"something else":    {"recorded_with: VCR 3.0.1", "it has no http_interactions; expected a list of them"},
		"null interactions": {"http_interactions:", "http_interactions is empty; expected a list"},
		"mapped":            {"http_interactions: {a: b}", "http_interactions is a mapping; expected a list"},
		"empty interaction": {"http_interactions:\n-", "interaction 1 (line 2): it is empty; expected a mapping"},
		"no request":        {"http_interactions:\n- response: {status: {code: 200}}", "interaction 1 (line 2): request.method is missing; expected a method such as get"},
		"no response":       {"http_interactions:\n- request: {method: get, uri: 'http://a.example/'}", "interaction 1 (line 2): response.status.code is missing; expected a number such as 200"},
		"no method":         {one("    method: get\n", ""), "interaction 1 (line 3): request.method is missing; expected a method such as get"},
		"no uri":            {one("uri: http://council.example/", "uri:"), "interaction 1 (line 3): request.uri is missing; expected an absolute URL such as https://host/path"},
		"relative uri":      {one("http://council.example/", "/register"), `interaction 1 (line 3): request.uri is "/register"; expected an absolute URL such as https://host/path`},
		"uri of no host":    {one("http://council.example/", "http:///register"), `interaction 1 (line 3): request.uri is "http:///register"; expected an absolute URL such as https://host/path`},
		"uri of no web":     {one("http://council.example/", "ftp://me:secret@council.example/"), `interaction 1 (line 3): request.uri is "ftp://%3CREDACTED%3E@council.example/"; expected an absolute URL such as https://host/path`},
		"listed uri":        {one("uri: http://council.example/", "uri: [a]"), "interaction 1 (line 3): request.uri is a list; expected text"},
		"status of letters": {one("code: 200", "code: fine"), `interaction 1 (line 3): response.status.code is "fine"; expected a number such as 200`},
		"status of none":    {one("code: 200", "code: 2000"), "interaction 1 (line 3): response.status.code is 2000; expected a number from 0 to 999"},
		"status alone":      {one("status:\n      code: 200\n      message: OK", "status: 200"), "interaction 1 (line 3): response.status is text; expected a mapping"},
		"headers of text":   {one("headers:\n      Server: nginx", "headers: nginx"), "interaction 1 (line 3): response.headers is text; expected a mapping"},
		"header of mapping": {one("Server: nginx", "Server: {a: b}"), "interaction 1 (line 3): response.headers.Server is a mapping; expected a list"},
		"header of lists":   {one("- text/html", "- [a]"), "interaction 1 (line 3): request.headers.Accept is a list; expected text"},
		"header no base64":  {one("Server: nginx", "Server: !binary '*'"), "interaction 1 (line 3): response.headers.Server is not valid base64: illegal base64 data at input byte 0"},
		"body listed":       {one("body:\n      encoding: UTF-8\n      string: hello", "body: [a]"), "interaction 1 (line 3): response.body is a list; expected a mapping"},
		"body of lists":     {one("string: hello", "string: [a]"), "interaction 1 (line 3): response.body.string is a list; expected text"},
		"unknown cut":       {one("string: hello", "cut: short"), `interaction 1 (line 3): response.body.cut is "short"; expected "interrupted", "not kept" or nothing`},
		"time":              {one("Tue, 14 May 2019 14:00:00 GMT", "yesterday"), `interaction 1 (line 3): recorded_at is "yesterday"; expected a time such as Tue, 14 May 2019 14:00:00 GMT`},
		"the second":        {one("", "") + "- {}", "interaction 2 (line 19): request.method is missing; expected a method such as get"},
	} {
		t.Run(name, func(t *testing.T) {
			path := writeText(t, c.yaml)
			_, err := cassette.Load(path)
			assert.EqualError(t, err, "load cassette "+path+": "+c.want)
		})
	}
}

func TestLoadUnreadable(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing.yml")
	_, err := cassette.Load(missing)
	require.ErrorIs(t, err, fs.ErrNotExist)
	assert.ErrorContains(t, err, missing)

	folder := t.TempDir()
	_, err = cassette.Load(folder)
	require.Error(t, err)
	assert.ErrorContains(t, err, folder)
}

// A file of some kilobytes can't be made to stand for gigabytes.
func TestLoadAliasBomb(t *testing.T) {
	values := strings.Repeat("a,", 5_000)
	names := strings.Repeat("*i,", 5_000)
	bomb := "x: &i {request: {method: get, uri: 'http://a.example/', headers: {A: [" + values + "]}}, response: {status: {code: 200}}}\n" +
		"http_interactions: [" + names + "]"
	path := writeText(t, bomb)
	_, err := cassette.Load(path)
	assert.ErrorContains(t, err, "its aliases (*name) repeat more than the file holds")
}

// Whatever a file holds, loading it ends in a cassette of which all can be asked for, or in an error of one line.
func FuzzLoad(f *testing.F) {
	kyogle, err := os.ReadFile("testdata/kyogle.yml")
	require.NoError(f, err)
	f.Add(kyogle)
	f.Add([]byte(one("", "")))
	f.Add([]byte("http_interactions: []"))
	f.Add([]byte("http_interactions: []\nfailures:\n- {method: get, uri: http://a.example/, class: dns, message: no such host, after: 0}"))
	f.Add([]byte("a: &a [*a]\nhttp_interactions: *a"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := cassette.Parse(data)
		if err != nil {
			assert.NotContains(t, err.Error(), "\n")
			return
		}
		assert.LessOrEqual(t, len(c.Interactions), len(data))
		p := c.Player()
		for _, i := range c.Interactions {
			if i.Superseded {
				continue
			}
			req, err := http.NewRequestWithContext(t.Context(), i.Request.Method, i.Request.URL, nil)
			if err != nil {
				continue // a URL or method that no client of Go can ask for
			}
			resp, err := p.RoundTrip(req)
			if err != nil {
				var noMatch *cassette.NoMatchError
				assert.NotErrorAs(t, err, &noMatch)
				continue
			}
			assert.NoError(t, resp.Body.Close())
		}
	})
}
