package agent_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
)

// answers is a transport that has a page of its own for each path.
type answers map[string]string

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Request: r, Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}},
		Body: io.NopCloser(strings.NewReader(a[r.URL.Path])), ContentLength: int64(len(a[r.URL.Path])),
	}, nil
}

// Of large pages one is read at a time, until its reader goes on to the next request or ends.
func TestLargePagesAreReadOneAtATime(t *testing.T) {
	out := answers{"/large": strings.Repeat("x", 1<<20), "/small": "x"}
	for name, goesOn := range map[string]func(t *testing.T, a *agent.Agent){
		"until the next request": func(t *testing.T, a *agent.Agent) {
			_, err := a.Get(t.Context(), "http://a.example/small")
			require.NoError(t, err)
		},
		"until the next large page": func(t *testing.T, a *agent.Agent) {
			go func() {
				_, _ = a.Get(t.Context(), "http://a.example/large")
				a.Close()
			}()
		},
		"until the end": func(_ *testing.T, a *agent.Agent) { a.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gate := agent.NewGate()
				first := agent.New(agent.Config{Fetch: fetch.Config{Transport: out}, Gate: gate})
				second := agent.New(agent.Config{Fetch: fetch.Config{Transport: out}, Gate: gate})
				_, err := first.Get(t.Context(), "http://a.example/large")
				require.NoError(t, err)
				read := false
				go func() {
					_, _ = second.Get(t.Context(), "http://b.example/large")
					read = true
					second.Close()
				}()
				synctest.Wait()
				assert.False(t, read, "the first page is still being read")
				third := agent.New(agent.Config{Fetch: fetch.Config{Transport: out}, Gate: gate})
				_, err = third.Get(t.Context(), "http://c.example/small")
				require.NoError(t, err, "small pages do not wait")
				goesOn(t, first)
				synctest.Wait()
				assert.True(t, read)
			})
		})
	}
	t.Run("who waits can be cancelled", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			gate := agent.NewGate()
			first := agent.New(agent.Config{Fetch: fetch.Config{Transport: out}, Gate: gate})
			_, err := first.Get(t.Context(), "http://a.example/large")
			require.NoError(t, err)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			second := agent.New(agent.Config{Fetch: fetch.Config{Transport: out}, Gate: gate})
			_, err = second.Get(ctx, "http://b.example/large")
			require.ErrorIs(t, err, context.DeadlineExceeded)
			second.Close()
			first.Close()
			_, err = second.Get(t.Context(), "http://b.example/large")
			require.NoError(t, err, "nobody is inside any more")
		})
	})
}

// A site that sets ever more cookies does not get them all back.
func TestCookiesAreLimited(t *testing.T) {
	var sent []int
	a, base := site(t, func(w http.ResponseWriter, r *http.Request) {
		sent = append(sent, len(r.Cookies()))
		_, err := r.Cookie("huge")
		assert.Error(t, err, "no browser keeps that")
		http.SetCookie(w, &http.Cookie{Name: "session", Value: fmt.Sprint(len(sent)), Path: "/"})
		http.SetCookie(w, &http.Cookie{Name: "huge", Value: strings.Repeat("x", 5000), Path: "/"})
		for i := range 300 {
			http.SetCookie(w, &http.Cookie{Name: fmt.Sprintf("a%d_%d", len(sent), i), Value: "1", Path: "/"})
		}
		if c, err := r.Cookie("session"); err == nil {
			fmt.Fprint(w, c.Value)
		}
	})
	for range 3 {
		p, err := a.Get(t.Context(), base)
		require.NoError(t, err)
		if len(sent) > 1 {
			assert.Equal(t, fmt.Sprint(len(sent)-1), p.Text, "those that are known still change")
		}
	}
	assert.Equal(t, []int{0, 180, 180}, sent)
}

// What a page has of any size is not sent, nor repeated in an error.
func TestWhatIsTooLargeToSend(t *testing.T) {
	long := strings.Repeat("x", 16<<10+1)
	p, _ := served(t, utf8HTML, "<form id=get><input name=a value="+long+"></form><form id=post method=post><input name=a value="+strings.Repeat("é", 3<<20)+"></form>")
	tooLarge := func(t *testing.T, err error, want string) {
		t.Helper()
		var large *scraperutils.TooLargeError
		require.ErrorAs(t, err, &large)
		assert.ErrorContains(t, err, want)
		assert.Less(t, len(err.Error()), 1000)
	}
	t.Run("a link", func(t *testing.T) {
		_, err := p.Get(t.Context(), long)
		tooLarge(t, err, "the address has more than 16 KiB")
	})
	t.Run("a form in the address", func(t *testing.T) {
		f, err := p.Form("#get")
		require.NoError(t, err)
		_, err = f.Submit(t.Context(), nil)
		tooLarge(t, err, "the address has more than 16 KiB")
	})
	t.Run("a form that grows", func(t *testing.T) {
		f, err := p.Form("#post")
		require.NoError(t, err)
		_, err = f.Submit(t.Context(), nil)
		tooLarge(t, err, "the form has more than 12 MiB")
	})
	t.Run("a form", func(t *testing.T) {
		f, err := p.Form("#post")
		require.NoError(t, err)
		f.Set("b", strings.Repeat("x", 12<<20))
		_, err = f.Submit(t.Context(), nil)
		tooLarge(t, err, "the form has more than 12 MiB")
	})
}

// An error names some of what was found, and of each its beginning.
func TestErrorsQuoteLittle(t *testing.T) {
	p, _ := served(t, utf8HTML, "<p>")
	found := slices.Repeat([]string{strings.Repeat("é", 10_000)}, 100_000)
	err := p.Missing(strings.Repeat("x", 1<<20), found...)
	var layout *scraperutils.LayoutError
	require.ErrorAs(t, err, &layout)
	assert.Less(t, len(err.Error()), 10_000)
	assert.ErrorContains(t, err, "and 99960 more")
}

// A body that grows when it is read as text stops at the limit of bodies.
func TestTextsAreLimited(t *testing.T) {
	for _, c := range []struct{ charset, three string }{ // what becomes three bytes of UTF-8
		{"utf-8", "\x80"},
		{"windows-1252", "\x80"},
		{"utf-16le", "\x00\x4e"},
		{"shift_jis", "\xb1"}, // half-width
	}[:testsize.Of(2, 4)] {
		contentType, body := "text/html; charset="+c.charset, bytes.Repeat([]byte(c.three), 7<<20)
		t.Run(contentType, func(t *testing.T) {
			a, base := site(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", contentType)
				_, _ = w.Write(body)
			})
			_, err := a.Get(t.Context(), base)
			var large *scraperutils.TooLargeError
			require.ErrorAs(t, err, &large)
			assert.ErrorContains(t, err, "the body, in UTF-8, has more than 20 MiB")
		})
	}
}

// Only what is short and may be HTML is parsed to find out why a page is another one.
func TestPagesThatAreNotParsedToBeExplained(t *testing.T) {
	const maintenance = "<h1>Scheduled maintenance</h1>"
	for name, c := range map[string]struct {
		text string
		want scraperutils.Class
	}{
		"HTML":              {"<html>" + maintenance, scraperutils.ClassMaintenance},
		"without html":      {"\n " + maintenance, scraperutils.ClassMaintenance},
		"XHTML":             {"<?xml version='1.0'?><!DOCTYPE html><HTML>" + maintenance + "</HTML>", scraperutils.ClassMaintenance},
		"XML":               {"<?xml version='1.0'?><a>" + maintenance, scraperutils.ClassLayout},
		"JSON":              {`{"a": "` + maintenance + `"}`, scraperutils.ClassLayout},
		"large":             {maintenance + strings.Repeat("x", 256<<10), scraperutils.ClassLayout},
		"a wall":            {"<body>ca<b>ptcha</b>", scraperutils.ClassBlocked},
		"nothing":           {"", scraperutils.ClassLayout},
		"a script of words": {"<body><script>captcha</script><style>captcha</style>x", scraperutils.ClassLayout},
		"a long page":       {"<body>captcha" + strings.Repeat(" x", 2100), scraperutils.ClassLayout},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := served(t, utf8HTML, c.text)
			assert.Equal(t, c.want, scraperutils.ClassOf(p.Missing("table")))
		})
	}
}
