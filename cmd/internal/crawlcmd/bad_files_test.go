package crawlcmd_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// input is what somebody hands in as a list of URLs.
type input struct {
	text    string
	new     int
	refused int
	says    string // of what was refused, or of why the rest was not read
	unread  bool   // it could not be read to its end
}

// inputs are lists with something wrong in them. HOST is a host of each one's own.
var inputs = map[string]input{
	"nothing":                    {"", 0, 0, "holds no URL", false},
	"blank lines":                {"\n\r\n \t\n", 0, 0, "holds no URL", false},
	"comments":                   {"# http://HOST/\n#\n", 0, 0, "holds no URL", false},
	"a byte order mark alone":    {"\ufeff", 0, 0, "holds no URL", false},
	"words":                      {"http://HOST/1\nnonsense\nhttp://HOST/2\n", 2, 1, `line 2: "nonsense": no URL`, false},
	"another scheme":             {"ftp://HOST/\nhttp://HOST/2\n", 1, 1, "line 1: ", false},
	"a user in the URL":          {"http://me:secret@HOST/\nhttp://HOST/2\n", 1, 1, "line 1: ", false},
	"control characters":         {"http://HOST/\x1b]0;x\x07\x00\n\x1b[31m\n", 1, 1, "line 2: ", false},
	"several in a line":          {"http://HOST/1 http://HOST/2\nhttp://HOST/3", 1, 1, "line 1: ", false},
	"no line break at the end":   {"http://HOST/1\nhttp://HOST/2", 2, 0, "", false},
	"carriage returns":           {"http://HOST/1\r\nx\r\nhttp://HOST/2\r\n", 2, 1, "line 2: ", false},
	"a line without an end":      {"http://HOST/" + strings.Repeat("x", 2<<20) + "\nhttp://HOST/2\n", 1, 1, "line 1: longer than 1048576 bytes", false},
	"bytes of no text":           {"\x00\x01\x02\xff\xfe\nhttp://HOST/2\n", 1, 1, "line 1: ", false},
	"a picture":                  {"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", 0, 2, "line 1: ", false},
	"a program":                  {"\x7fELF\x02\x01\x01\x00", 0, 1, "line 1: ", false},
	"a table without URLs":       {"a,b\n1,2\n", 0, 2, "line 1: ", false},
	"a table's head alone":       {"url,title\n", 0, 0, "holds no URL", false},
	"a table with a short row":   {"title,url\none,http://HOST/1\ntwo\nthree,http://HOST/3\n", 2, 1, "line 3: ", false},
	"a table with a bad URL":     {"title;url\none;http://HOST/1\ntwo;two\n", 1, 1, "line 3: ", false},
	"a table with open quotes":   {"url,title\nhttp://HOST/1,\"one\nhttp://HOST/2,two\nhttp://HOST/3,three\n", 3, 0, "", false},
	"a table, a bad priority":    {"url,priority\nhttp://HOST/1,high\nhttp://HOST/2,10\nhttp://HOST/3,3\n", 1, 2, "line 2: ", false},
	"JSON lines, one broken":     {`{"url":"http://HOST/1"}` + "\n{broken\n" + `{"url":"http://HOST/2"}`, 2, 1, "line 2: ", false},
	"JSON lines, other types":    {`{"url":5}` + "\n" + `{"url":["http://HOST/"]}` + "\n" + `{"link":{}}` + "\n" + `{"link":"http://HOST/2"}`, 1, 3, `line 1: "url" is no string`, false},
	"JSON lines, other fields":   {`{"uri":"http://HOST/"}` + "\n" + `{}` + "\n" + `{"url":""}` + "\n" + `{"url":"http://HOST/2"}`, 1, 3, "no field url or link", false},
	"JSON lines, bad priorities": {`{"url":"http://HOST/1","priority":10}` + "\n" + `{"url":"http://HOST/2","priority":"x"}` + "\n" + `{"url":"http://HOST/3","priority":9}`, 1, 2, "line 1: priority 10: expected 0 to 9", false},
	"JSON lines, null":           {"null\n" + `{"url":null}` + "\n" + `{"url":"http://HOST/2"}`, 1, 2, "line 1: ", false},
	"JSON lines, an array":       {`{"url":"http://HOST/1"}` + "\n" + `["http://HOST/2"]` + "\n", 1, 1, "line 2: ", false},
	"deep JSON":                  {`{"url":` + strings.Repeat("[", 20_000) + "\n" + `{"url":"http://HOST/2"}`, 1, 1, "line 1: ", false},
	"an array cut off":           {`["http://HOST/1","http://HOST/2"`, 2, 0, "read JSON", true},
	"an array of numbers":        {`[1,2,"http://HOST/1"]`, 1, 2, "line 1: ", false},
	"an array of arrays":         {`[["http://HOST/0"],"http://HOST/1"]`, 1, 1, "line 1: ", false},
	"an array and more":          {`["http://HOST/1"] x`, 1, 0, "read JSON: line 1: ", true},
	"an empty array":             {`[]`, 0, 0, "holds no URL", false},
	"an open array":              {`[`, 0, 0, "read JSON", true},
	"a sitemap cut off":          {`<urlset><url><loc>http://HOST/1</loc></url><url><loc>http://HOS`, 1, 0, "read XML", true},
	"a sitemap, one bad URL":     {`<urlset><url><loc>http://HOST/1</loc></url><url><loc>nowhere</loc></url></urlset>`, 1, 1, "nowhere", false},
	"an empty sitemap":           {`<urlset/>`, 0, 0, "holds no URL", false},
	"a page":                     {`<!doctype html><html><body><a href="http://HOST/1">one</a></body></html>`, 0, 0, "XML", true},
	"XML with an entity":         {`<!DOCTYPE x [<!ENTITY a "http://HOST/">]><urlset><url><loc>&a;</loc></url></urlset>`, 0, 1, "line 1: ", false},
	"gzip cut off":               {string(packed("http://HOST/1\nhttp://HOST/2\n")[:12]), 0, 0, "unexpected EOF", true},
	"an array after another":     {`["http://HOST/1"]["http://HOST/2"]`, 1, 0, "more behind the array", true},
	"gzip of nothing":            {string(packed("")), 0, 0, "holds no URL", false},
	"gzip, then not":             {string(packed("http://HOST/1\n")) + "x", 1, 0, "unexpected EOF", true},
	"gzip of a bad list":         {string(packed("x\nhttp://HOST/1\n")), 1, 1, `line 1: "x"`, false},
	"text that ends in UTF-16":   {"\xff\xfeh\x00t\x00t\x00p\x00:\x00/\x00/\x00H\x00O\x00S\x00T\x00/\x00\n\x00x", 1, 1, "line 2: ", false},
}

func packed(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return b.Bytes()
}

// of gives an input to a host of its own.
func (i input) of(host string) string {
	if z, err := gzip.NewReader(strings.NewReader(i.text)); err == nil && z != nil {
		return i.text
	}
	host = (host + strings.Repeat("-", 4))[:4] // as long as HOST, so that nothing else changes
	return strings.ReplaceAll(i.text, "HOST", host)
}

// Whatever a list holds, what is a URL in it is added, what is none is named with its line, and the exit code says whether anything came of
// it and whether all of it could be read.
func TestBadLists(t *testing.T) {
	t.Parallel()
	for name, in := range inputs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			code, out, complaints := call(t, folder, "add", "-f", write(t, folder, "list", in.of("host")))
			want := 0
			switch {
			case in.unread && in.new+in.refused > 0:
				want = 1
			case in.new == 0:
				want = 2
			}
			assert.Equal(t, want, code, complaints)
			assert.Contains(t, complaints, in.says)
			assert.Equal(t, in.refused, strings.Count(complaints, "list: line "), complaints)
			if in.says == "" {
				assert.Empty(t, complaints)
			}
			if in.new > 0 {
				assert.Contains(t, out, plural(in.new)+" added, 0 known already")
			}
			assert.NotContains(t, complaints, "secret")
			assert.NotContains(t, complaints, "\x1b")
			assert.Less(t, len(complaints), 700)
		})
	}
}

func plural(n int) string {
	if n == 1 {
		return "1 URL"
	}
	return string(rune('0'+n)) + " URLs"
}

// A program that posts the same lists is told the same: 202 where all was read and something was added or known, 400 where nothing was, or
// not all could be read. What is added counts in either case.
func TestBadPosts(t *testing.T) {
	t.Parallel()
	web, folder := newWeb(t), t.TempDir()
	at := freeAddress(t)
	p := start(t, folder, "--keep", "--proxy", web.proxy(), "--no-delay", "--warc", "off", "--listen", at)
	await(t, func() bool {
		response, err := http.Get("http://" + at + "/healthz")
		return err == nil && response.Body.Close() == nil
	})
	for name, in := range inputs {
		response, err := http.Post("http://"+at+"/urls?again=true", "application/octet-stream", strings.NewReader(in.of("post")))
		require.NoError(t, err, name)
		var got struct {
			New, Known, Again, Refused int
			Lines                      []string
			Error                      string
		}
		require.NoError(t, json.NewDecoder(response.Body).Decode(&got), name)
		require.NoError(t, response.Body.Close())
		want := http.StatusAccepted
		if in.unread || in.new == 0 {
			want = http.StatusBadRequest
		}
		assert.Equal(t, want, response.StatusCode, name)
		assert.Equal(t, in.new, got.New+got.Known+got.Again, name)
		assert.Equal(t, in.refused, got.Refused, name)
		assert.Len(t, got.Lines, in.refused, name)
		said := strings.Join(append(got.Lines, got.Error), "\n")
		assert.Contains(t, said, in.says, name)
		assert.NotContains(t, said, "secret", name)
	}
	assert.Nil(t, p.ProcessState, "it still runs")
	assert.FileExists(t, filepath.Join(folder, "frontier.sqlite"))
}
