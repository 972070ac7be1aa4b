package jsonl

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/durable"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/sinktest"
)

// read reads lines.
func read(b []byte) (pages []*crawl.Page, err error) {
	for line := range strings.Lines(string(b)) {
		if !strings.HasSuffix(line, "\n") {
			return nil, errors.New("a line without end")
		}
		p, err := sinktest.ParseLine(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return nil, err
		}
		pages = append(pages, p)
	}
	return pages, nil
}

type file struct{ path string }

func (f file) Open() (crawl.Sink, error) { return Open(f.path) }
func (f file) Pages() ([]*crawl.Page, error) {
	b, err := os.ReadFile(f.path)
	if err != nil {
		return nil, err
	}
	return read(b)
}

type stream struct {
	mu  sync.Mutex
	out bytes.Buffer
}

func (s *stream) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Write(b)
}
func (s *stream) Open() (crawl.Sink, error) { return NewStream(s), nil }
func (s *stream) Pages() ([]*crawl.Page, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return read(s.out.Bytes())
}

func TestSink(t *testing.T) {
	t.Run("file", func(t *testing.T) {
		sinktest.Run(t, func(t *testing.T) sinktest.Store { return file{filepath.Join(t.TempDir(), "pages.jsonl")} })
	})
	t.Run("stream", func(t *testing.T) {
		sinktest.Run(t, func(*testing.T) sinktest.Store { return &stream{} })
	})
}

func TestALineSaysWhatThereIsOfAPage(t *testing.T) {
	const head = `{"id":"1","url":"http://a.example/","final":"http://a.example/b","status":200,"at":"2026-01-02T03:04:05.678Z","took_ms":120,`
	for name, c := range map[string]struct {
		kind, body string
		want       string
	}{
		"text":                           {"text/html", "<p>é\n", `"type":"text/html","attempts":2,"body":"<p>é\n"}`},
		"no type":                        {"", "x", `"type":"","attempts":2,"body":"x"}`},
		"an empty page":                  {"text/plain", "", `"type":"text/plain","attempts":2,"body":""}`},
		"control characters":             {"text/plain", "\x00\x1b\x7f\u0085\u009b\u2028 \u00a0", `"type":"text/plain","attempts":2,"body":"\u0000\u001b\u007f\u0085\u009b\u2028 ` + "\u00a0" + `"}`},
		"control characters, two bytes":  {"text/plain", "é\u009b31m", `"type":"text/plain","attempts":2,"body":"é\u009b31m"}`},
		"charset of the header":          {"text/html; charset=ISO-8859-1", "caf\xe9", `"type":"text/html","attempts":2,"charset":"windows-1252","body":"café"}`},
		"charset of the header, ASCII":   {"text/html; charset=ISO-2022-JP", "\x1b$B$\"\x1b(B", `"type":"text/html","attempts":2,"charset":"iso-2022-jp","body":"あ"}`},
		"charset of the meta tag":        {"text/html", "<meta charset=koi8-r>\xc1", `"type":"text/html","attempts":2,"charset":"koi8-r","body":"<meta charset=koi8-r>а"}`},
		"no charset, not UTF-8":          {"text/html", "caf\xe9", `"type":"text/html","attempts":2,"charset":"windows-1252","body":"café"}`},
		"an unknown charset, UTF-8":      {"text/html; charset=x-nobody", "é", `"type":"text/html","attempts":2,"body":"é"}`},
		"it breaks UTF-8":                {"text/html; charset=utf-8", "caf\xe9", `"type":"text/html","attempts":2,"body_base64":"Y2Fm6Q=="}`},
		"two ways to say the same":       {"text/html; charset=shift_jis", "\xfa\x54", `"type":"text/html","attempts":2,"body_base64":"+lQ="}`},
		"it breaks Shift-JIS":            {"text/html; charset=shift_jis", "\x81", `"type":"text/html","attempts":2,"body_base64":"gQ=="}`},
		"no text":                        {"image/png", "\x89PNG", `"type":"image/png","attempts":2,"body_base64":"iVBORw=="}`},
		"text by content":                {"application/json", `{"a":"<&>"}`, `"type":"application/json","attempts":2,"body":"{\"a\":\"<&>\"}"}`},
		"a charset that hides scripts":   {"text/html; charset=hz-gb-2312", "~{", `"type":"text/html","attempts":2,"body_base64":"fns="}`},
		"a byte order mark, two bytes":   {"text/plain", "\xff\xfeh\x00", `"type":"text/plain","attempts":2,"charset":"utf-16le","body":"` + "\ufeff" + `h"}`},
		"a byte order mark, three bytes": {"text/plain", "\ufeffh", `"type":"text/plain","attempts":2,"body":"` + "\ufeff" + `h"}`},
	} {
		t.Run(name, func(t *testing.T) {
			p := sinktest.Page("http://a.example/", c.kind, []byte(c.body))
			p.ID, p.Final, p.Attempts = "1", "http://a.example/b", 2
			got, err := Append(nil, p)
			require.NoError(t, err)
			assert.Equal(t, head+c.want, string(got))
		})
	}
}

func TestAnUnchangedPageHasNoBody(t *testing.T) {
	p := sinktest.Page("http://a.example/", "", nil)
	p.Status, p.Unchanged = 304, true
	got, err := Append([]byte("before "), p)
	require.NoError(t, err)
	assert.Contains(t, string(got), `before {"id"`)
	assert.Contains(t, string(got), `"unchanged":true}`)
}

func TestATornLineIsCutAtTheNextOpen(t *testing.T) {
	for name, c := range map[string]struct{ left, want string }{
		"whole lines":          {"{\"a\":1}\n{\"a\":2}\n", "{\"a\":1}\n{\"a\":2}\n"},
		"half a line":          {"{\"a\":1}\n{\"a\":", "{\"a\":1}\n"},
		"only half a line":     {"{\"a", ""},
		"half of a large line": {"{\"a\":1}\n" + strings.Repeat("x", 300_000), "{\"a\":1}\n"},
		"nothing":              {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "pages.jsonl")
			require.NoError(t, os.WriteFile(path, []byte(c.left), 0o600))
			f, err := Open(path)
			require.NoError(t, err)
			require.NoError(t, f.Store(t.Context(), sinktest.Pages(7, 1)))
			require.NoError(t, f.Close())
			got, err := os.ReadFile(path)
			require.NoError(t, err)
			line, err := Append(nil, sinktest.Pages(7, 1)[0])
			require.NoError(t, err)
			assert.Equal(t, c.want+string(line)+"\n", string(got))
		})
	}
}

func TestAFileOfLinesHasOneWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pages.jsonl")
	f, err := Open(path)
	require.NoError(t, err)
	defer f.Close()
	_, err = Open(path)
	var locked *durable.LockedError
	require.ErrorAs(t, err, &locked)
	_, err = Open(filepath.Join(path, "below"))
	require.Error(t, err)
}

func TestAReaderThatGoesAwayIsAnErrorForGood(t *testing.T) {
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	defer writer.Close()
	require.NoError(t, reader.Close())
	s := NewStream(writer)
	for range 2 {
		err = s.Store(t.Context(), sinktest.Pages(7, 1))
		require.ErrorIs(t, err, syscall.EPIPE)
		var gone *GoneError
		require.ErrorAs(t, err, &gone)
		assert.True(t, gone.Permanent())
	}
}

// A reader that does not read holds nobody beyond the context.
func TestAReaderThatDoesNotReadIsNotWaitedForForEver(t *testing.T) {
	reader, writer := io.Pipe()
	defer reader.Close()
	ctx, cancel := context.WithCancel(t.Context())
	s := NewStream(writer)
	context.AfterFunc(ctx, func() { _ = s.Close() })
	go func() { _, _ = reader.Read(make([]byte, 1)); cancel() }()
	require.ErrorIs(t, s.Store(ctx, sinktest.Pages(7, 1)), context.Canceled)
}

func BenchmarkAppend(b *testing.B) {
	p := sinktest.Page("http://a.example/", "text/html; charset=utf-8", []byte(strings.Repeat("<p class=\"x\">Some text é of a page.</p>\n", 900)))
	var line []byte
	b.SetBytes(int64(len(p.Body)))
	for b.Loop() {
		line, _ = Append(line[:0], p)
	}
}

func TestMain(m *testing.M) {
	os.Exit(sinktest.Main(m, func(path string) (crawl.Sink, error) { return Open(path) }))
}

func TestAKillTearsNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("kills a process")
	}
	path := filepath.Join(t.TempDir(), "pages.jsonl")
	sinktest.Killed(t, path, file{path}, 1, 4)
}

func TestAFullDiskLosesNothing(t *testing.T) {
	sinktest.Full(t, func(path string) sinktest.Store { return file{path} })
}
