package crawl_test

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
)

var now = time.Date(2026, 5, 7, 10, 0, 0, 0, time.UTC)

// tooLarge is an error of a client that stopped reading.
type tooLarge struct{}

func (tooLarge) Error() string    { return "more than 10 MiB" }
func (tooLarge) Unwanted() string { return crawl.Oversized }

func TestFate(t *testing.T) {
	html := http.Header{"Content-Type": {"text/html; charset=utf-8"}}
	answer := func(status int, body string, header http.Header) *scraperutils.Response {
		return &scraperutils.Response{Status: status, Header: header, Body: []byte(body), URL: &url.URL{Scheme: "http", Host: "a.example", Path: "/x/y"}}
	}
	leads := func(to string) http.Header { return http.Header{"Location": {to}} }
	after := func(value string) http.Header { return http.Header{"Retry-After": {value}} }
	again := func(in time.Duration, reason string) crawl.Fate {
		return crawl.Fate{State: crawl.StateRetry, Due: now.Add(in), Reason: reason, Tried: true}
	}
	failed := func(reason string) crawl.Fate {
		return crawl.Fate{State: crawl.StateFailed, Reason: reason, Tried: true}
	}
	done := crawl.Fate{State: crawl.StateDone, Tried: true, Store: true}
	unchanged := crawl.Fate{State: crawl.StateDone, Tried: true, Store: true, Unchanged: true}
	moved := func(to string, redirects int) crawl.Fate {
		u, _ := url.Parse(to)
		return crawl.Fate{State: crawl.StateDone, Tried: true, Reason: "moved: to " + to, Moved: &crawl.Entry{
			Host: scraperutils.HostOf(u), URL: to, Via: "http://a.example/x", Redirects: redirects, ID: "1", Priority: 3, Depth: 2}}
	}
	rest := func(f crawl.Fate) crawl.Fate { f.Rest = true; return f }
	item := crawl.Item{ID: "1", URL: "http://a.example/x", Priority: 3, Depth: 2}
	dns := &net.DNSError{Err: "no such host", Name: "a.example", IsNotFound: true}
	reset := &net.OpError{Op: "read", Err: errors.New("reset")}

	for name, c := range map[string]struct {
		rules    crawl.Rules
		attempts int
		digest   string
		response *scraperutils.Response
		err      error
		want     crawl.Fate
	}{
		"a page":                          {response: answer(200, "page", html), want: done},
		"a page without a type":           {response: answer(200, "page", nil), want: done},
		"xhtml":                           {response: answer(200, "page", http.Header{"Content-Type": {"Application/XHTML+XML"}}), want: done},
		"an answer with another good one": {response: answer(203, "page", html), want: done},
		"the page of the last visit":      {digest: "3660315a9af3df255d8f19ab077e4797822b41488a0e2a04bc6af71213c23274", response: answer(200, "page", html), want: unchanged},
		"304":                             {response: answer(304, "", nil), want: unchanged},
		"an image":                        {response: answer(200, "gif", http.Header{"Content-Type": {"image/gif"}}), want: failed("not-text: image/gif")},
		"an image that is wanted":         {rules: crawl.Rules{Accept: []string{"image/*"}}, response: answer(200, "gif", http.Header{"Content-Type": {"image/gif"}}), want: done},
		"nothing":                         {response: answer(200, "", html), want: failed("empty")},
		"204":                             {response: answer(204, "", nil), want: failed("empty")},
		"too much":                        {err: fmt.Errorf("read: %w", tooLarge{}), response: answer(200, "", html), want: failed("oversized: read: more than 10 MiB")},
		"404":                             {response: answer(404, "gone", html), want: failed("http-404")},
		"410":                             {response: answer(410, "gone", html), want: failed("http-410")},
		"403":                             {response: answer(403, "", html), want: failed("http-403")},
		"501":                             {response: answer(501, "", html), want: failed("http-501")},
		"999":                             {response: answer(999, "", html), want: failed("http-999")},
		"robots.txt":                      {err: &scraperutils.UnprocessableSite{Reason: "forbidden", Kind: scraperutils.ClassRobots}, want: failed("robots")},

		"408": {response: answer(408, "", html), want: again(time.Minute, "http-408")},
		"429": {response: answer(429, "", html), want: again(time.Minute, "http-429")},
		"500": {response: answer(500, "", html), want: again(time.Minute, "http-500")},
		"502": {response: answer(502, "", html), want: again(time.Minute, "http-502")},
		"503": {response: answer(503, "", html), want: again(time.Minute, "http-503")},
		"504": {response: answer(504, "", html), want: again(time.Minute, "http-504")},
		"522": {response: answer(522, "", html), want: again(time.Minute, "http-522")},
		"524": {response: answer(524, "", html), want: again(time.Minute, "http-524")},

		"the third try":             {attempts: 2, response: answer(503, "", html), want: again(4*time.Minute, "http-503")},
		"the last try":              {attempts: 3, response: answer(503, "", html), want: failed("http-503")},
		"the only try":              {rules: crawl.Rules{Retries: -1}, response: answer(503, "", html), want: failed("http-503")},
		"a queue that is kept":      {rules: crawl.Rules{Keep: true}, attempts: 5, response: answer(503, "", html), want: again(time.Hour, "http-503")},
		"its last try":              {rules: crawl.Rules{Keep: true}, attempts: 12, response: answer(503, "", html), want: failed("http-503")},
		"Retry-After that is later": {response: answer(503, "", after("120")), want: again(2*time.Minute, "http-503")},
		"Retry-After that is not":   {response: answer(503, "", after("5")), want: again(time.Minute, "http-503")},
		"Retry-After as a date":     {response: answer(429, "", after("Thu, 07 May 2026 10:05:00 GMT")), want: again(5*time.Minute, "http-429")},

		"no name":             {err: dns, want: rest(again(time.Minute, "dns: "+dns.Error()))},
		"no connection":       {err: refused, want: rest(again(time.Minute, "connect: "+refused.Error()))},
		"cut off":             {err: reset, want: again(time.Minute, "connect: "+reset.Error())},
		"cut off in a page":   {response: answer(200, "", html), err: reset, want: again(time.Minute, "connect: "+reset.Error())},
		"something else":      {err: errors.New("odd"), want: again(time.Minute, "other: odd")},
		"a host that is down": {err: &pace.DownError{Err: refused}, want: crawl.Fate{Rest: true, Reason: "connect"}},

		"a redirect":                 {response: answer(301, "", leads("http://b.example/z#part")), want: moved("http://b.example/z", 1)},
		"a redirect on the host":     {response: answer(302, "", leads("../Z/./q?b=2&a=1")), want: moved("http://a.example/Z/q?a=1&b=2", 1)},
		"a redirect to no web":       {response: answer(302, "", leads("mailto:a@b.example")), want: failed(`redirect: "mailto:…@b.example": other scheme: it must begin with http:// or https://`)},
		"a redirect to no URL":       {response: answer(302, "", leads("http://[::1/")), want: failed(`redirect: "http://[::1/": no URL: its host is no name and no address`)},
		"a redirect with a password": {response: answer(302, "", leads("http://u:p@b.example/")), want: failed(`redirect: "http://…@b.example/": user information: a user or a password in a URL would be stored and shown`)},
		"a redirect to nowhere":      {response: answer(302, "", nil), want: failed("http-302")},
		"one redirect too many":      {rules: crawl.Rules{MaxRedirects: 2}, response: redirected(answer(302, "", leads("/z")), 2), want: failed("redirects: more than 2")},
	} {
		t.Run(name, func(t *testing.T) {
			i := item
			i.Attempts, i.Digest = c.attempts, c.digest
			assert.Equal(t, c.want, c.rules.Fate(crawl.Outcome{Item: i, Response: c.response, Err: c.err, Ended: now}))
		})
	}
}

func redirected(r *scraperutils.Response, n int) *scraperutils.Response {
	r.Redirects = n
	return r
}

func TestGivesUp(t *testing.T) {
	for name, c := range map[string]struct {
		rules crawl.Rules
		downs int // the first that is one too many
	}{
		"a queue that ends": {crawl.Rules{}, 4},
		"one that is kept":  {crawl.Rules{Keep: true}, 73}, // twelve hours of ten minutes
		"no tries":          {crawl.Rules{Retries: -1}, 1},
		"short rests":       {crawl.Rules{Down: time.Second}, 421},
	} {
		t.Run(name, func(t *testing.T) {
			assert.False(t, c.rules.GivesUp(c.downs-1))
			assert.True(t, c.rules.GivesUp(c.downs))
		})
	}
}
