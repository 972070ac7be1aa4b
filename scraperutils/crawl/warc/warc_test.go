package warc

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/sinktest"
)

func TestSink(t *testing.T) {
	for name, o := range map[string]Options{
		"gzip":  {},
		"plain": {Plain: true},
		"full":  {MaxSize: 1},
	} {
		t.Run(name, func(t *testing.T) {
			sinktest.Run(t, func(t *testing.T) sinktest.Store { return place{filepath.Join(t.TempDir(), "warc"), o} })
		})
	}
}

// write stores pages in a new folder.
func write(t testing.TB, o Options, pages ...*crawl.Page) (folder string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "warc")
	w, err := Open(folder, o)
	require.NoError(t, err)
	require.NoError(t, w.Store(t.Context(), pages))
	require.NoError(t, w.Close())
	return folder
}

// odd is what servers answer that is hard to keep.
func odd() (pages []*crawl.Page) {
	add := func(change func(*crawl.Page)) {
		p := sinktest.Page("http://odd.example/"+string(rune('a'+len(pages))), "text/html; charset=utf-8", []byte("<p>odd"))
		change(p)
		pages = append(pages, p)
	}
	add(func(p *crawl.Page) { p.Header.Set("X-Split", "a\r\nWARC/1.1\r\n\r\nContent-Length: 0\r\n\r\n") })
	add(func(p *crawl.Page) { p.Header.Set("X-Large", strings.Repeat("x", 1<<20)) })
	add(func(p *crawl.Page) {
		p.Header = http.Header{"a b:\r\n": {"1"}, "": {"2"}, "Ä": {"3"}, "x-y": {"\x00\x7f"}}
	})
	add(func(p *crawl.Page) { p.Header.Del("Content-Type"); p.Type = "" })
	add(func(p *crawl.Page) { p.Status = 999 })
	add(func(p *crawl.Page) {
		p.Header["Content-Length"] = []string{"7", "6", "6"}
		p.Header["content-encoding"] = []string{"gzip"}
		p.Header["Transfer-Encoding"] = []string{"chunked"}
	})
	add(func(p *crawl.Page) { p.ID = "no UUID\r\n" })
	add(func(p *crawl.Page) { p.Final = "http://odd.example/%0d%0a?a=ü b\r\nX: y" })
	add(func(p *crawl.Page) { p.Request = nil })
	add(func(p *crawl.Page) {
		p.Unchanged, p.Status, p.Body, p.Before = true, http.StatusNotModified, nil, p.At.Add(-time.Hour)
		p.Header.Set("Content-Length", "1234")
	})
	add(func(p *crawl.Page) {
		*p = *sinktest.Page(p.URL, "text/plain", bytes.Repeat([]byte("large "), 2*batchSize/6))
	})
	add(func(p *crawl.Page) { p.Unchanged, p.Before = true, p.At.Add(-time.Hour) })
	return pages
}

func TestWhatServersAnswerFitsRecords(t *testing.T) {
	pages := odd()
	for _, plain := range []bool{false, true} {
		all := records(t, write(t, Options{Plain: plain}, pages...))
		require.Len(t, all, 1+2*len(pages))
		for i, p := range pages {
			answer, request := all[1+2*i], all[2+2*i]
			a, body, err := answer.answer()
			require.NoError(t, err, p.URL)
			assert.Equal(t, p.Status, a.StatusCode)
			assert.Equal(t, "sha256:"+p.Digest, answer.Get("WARC-Payload-Digest"))
			assert.Equal(t, answer.Get("WARC-Record-ID"), request.Get("WARC-Concurrent-To"))
			assert.Empty(t, a.Header.Get("Content-Encoding"))
			assert.Empty(t, a.TransferEncoding)
			assert.Empty(t, answer.Get("X"), "a target can't add a header")
			if !p.Unchanged {
				assert.Equal(t, string(p.Body), string(body))
				assert.EqualValues(t, len(p.Body), a.ContentLength)
			}
		}
		last := all[len(all)-6]
		assert.Equal(t, "revisit", last.Get("WARC-Type"))
		assert.Equal(t, profileNotModified, last.Get("WARC-Profile"))
		assert.Equal(t, "2026-01-02T02:04:05.678Z", last.Get("WARC-Refers-To-Date"))
		same := all[len(all)-2]
		assert.Equal(t, profileDigest, same.Get("WARC-Profile"))
		assert.Equal(t, pages[len(pages)-1].Final, same.Get("WARC-Refers-To-Target-URI"))
		assert.NotContains(t, string(same.block), "<p>odd", "a revisit has no body")
	}
}

func TestARequestIsTheOneThatTheAnswerCameOf(t *testing.T) {
	p := sinktest.Page("http://a.example/old", "text/html", []byte("x"))
	p.Final = "http://a.example:8080/new?q=1"
	request := ofType(records(t, write(t, Options{}, p)), "request")[0]
	assert.Equal(t, p.Final, request.Get("WARC-Target-URI"))
	assert.Equal(t, "GET /new?q=1 HTTP/1.1\r\nHost: a.example:8080\r\nAccept: text/html\r\n\r\n", string(request.block))
}

func TestAFullFileGetsItsNameAndTheNextBegins(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "warc")
	w, err := Open(folder, Options{MaxSize: 1, Prefix: "p", now: func() time.Time { return time.Unix(0, 0) }})
	require.NoError(t, err)
	for i := range 3 {
		require.NoError(t, w.Store(t.Context(), sinktest.Pages(i, 1)))
	}
	paths := files(t, folder)
	require.Len(t, paths, 3)
	for i, path := range paths {
		assert.Regexp(t, `^p-19700101T000000Z-0000[123]-\d+\.warc\.gz$`, strings.TrimSuffix(filepath.Base(path), openSuffix))
		assert.Equal(t, i == 2, strings.HasSuffix(path, openSuffix))
		all, err := readFile(path)
		require.NoError(t, err)
		require.Len(t, all, 3)
		assert.Equal(t, "warcinfo", all[0].Get("WARC-Type"))
		assert.Equal(t, strings.TrimSuffix(filepath.Base(path), openSuffix), all[0].Get("WARC-Filename"))
		assert.Equal(t, all[0].Get("WARC-Record-ID"), all[1].Get("WARC-Warcinfo-ID"))
	}
	require.NoError(t, w.Close())
	for _, path := range files(t, folder) {
		assert.NotContains(t, path, openSuffix)
	}
}

// Writers and openers beside each other: each has its own files, none takes or breaks another's.
func TestWritersShareAFolder(t *testing.T) {
	folder := t.TempDir()
	second := func() time.Time { return time.Unix(0, 0) } // all would choose the same names
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for j := range 10 {
				w, err := Open(folder, Options{MaxSize: 1000, now: second})
				if !assert.NoError(t, err) {
					return
				}
				for k := range 3 {
					assert.NoError(t, w.Store(t.Context(), sinktest.Pages(i*1000+j*10+k, 1)))
				}
				assert.NoError(t, w.Close())
			}
		})
	}
	all.Wait()
	got := map[string]bool{}
	for _, r := range ofType(records(t, folder), "response") {
		got[r.Get("WARC-Record-ID")] = true
	}
	assert.Len(t, got, 120)
	for _, path := range files(t, folder) {
		assert.NotContains(t, path, openSuffix)
	}
}

func TestOptionsThatCannotBe(t *testing.T) {
	_, err := Open(t.TempDir(), Options{Prefix: "../x"})
	require.ErrorContains(t, err, `prefix "../x" of WARC files: expected a name without a folder`)
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err = Open(file, Options{})
	require.ErrorContains(t, err, "make the folder of WARC files")
}

// checked is what the reader of testdata says of a record.
type checked struct {
	Path, Version, Type, SHA256 string
	Headers                     map[string]string
	Status                      string
	HTTP                        [][2]string
	Size                        int
}

// check reads files with a reader that nobody here wrote.
func check(t *testing.T, paths ...string) (all []checked) {
	t.Helper()
	if _, err := os.Stat("testdata/node_modules/warcio"); err != nil {
		t.Skip("testdata/node_modules is missing: run npm ci in scraperutils/crawl/warc/testdata")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is missing")
	}
	command := exec.Command(node, append([]string{"testdata/check.mjs"}, paths...)...)
	var out, said bytes.Buffer
	command.Stdout, command.Stderr = &out, &said
	require.NoError(t, command.Run(), said.String())
	assert.Empty(t, said.String(), "the reader warns of nothing")
	for decoder := json.NewDecoder(&out); decoder.More(); {
		var c checked
		require.NoError(t, decoder.Decode(&c))
		all = append(all, c)
	}
	return all
}

func TestAnotherReaderReadsEveryRecord(t *testing.T) {
	pages := append(sinktest.Pages(0, 60), odd()...)
	gzipped, plain := write(t, Options{MaxSize: 100_000}, pages...), write(t, Options{Plain: true}, pages...)
	all := check(t, append(files(t, gzipped), files(t, plain)...)...)
	byType, byID := map[string]int{}, map[string]*crawl.Page{}
	for _, p := range pages {
		byID[recordID(p.ID)] = p
	}
	for _, c := range all {
		byType[c.Type]++
		assert.Equal(t, "WARC/1.1", c.Version)
		if c.Type != "response" && c.Type != "revisit" {
			continue
		}
		p := byID[c.Headers["warc-record-id"]]
		require.NotNil(t, p, "%v", c)
		switch c.Type {
		case "response":
			assert.Equal(t, len(p.Body), c.Size, p.URL)
			assert.Equal(t, c.Headers["warc-payload-digest"], "sha256:"+c.SHA256, p.URL)
			fallthrough
		case "revisit":
			assert.Equal(t, strings.NewReplacer("\r", " ", "\n", " ").Replace(p.Final), c.Headers["warc-target-uri"])
			assert.Regexp(t, `^HTTP/1\.1 \d\d\d`, c.Status)
		}
	}
	answers := 2 * (len(pages) - 2)
	assert.Equal(t, map[string]int{"warcinfo": 2, "response": answers, "revisit": 4, "request": answers + 4}, byType)
}
