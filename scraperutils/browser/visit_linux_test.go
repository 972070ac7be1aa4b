package browser_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/fixtures/pages"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/browser"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
	"github.com/multiscraper/multiscraper/scraperutils/web/robots"
)

// together runs functions at the same time: pages rest more than they work.
func together(all ...func()) {
	var done sync.WaitGroup
	for _, f := range all {
		done.Go(f)
	}
	done.Wait()
}

// What leads to no document is an error that says what to do about it.
func TestNoDocument(t *testing.T) {
	t.Parallel()
	f := chromium(t)
	s := f.serve(t)
	load := time.Duration(testsize.Of(6, 12)) * time.Second
	strict, err := browser.Open(t.Context(), browser.Options{Dial: silent("silent.example:80", f.dial), Pages: 4, Limits: browser.Limits{Load: load, Unresponsive: 2 * time.Second}})
	require.NoError(t, err)
	defer strict.Close()
	var mu sync.Mutex
	var checks []func()
	check := func(name string, b *browser.Browser, v browser.Visit, kind browser.Kind, class scraperutils.Class) {
		checks = append(checks, func() {
			_, err := b.Visit(t.Context(), v)
			mu.Lock()
			defer mu.Unlock()
			var failed *browser.PageError
			if assert.ErrorAs(t, err, &failed, name) {
				assert.Equal(t, kind, failed.Kind, "%s: %s", name, err)
				assert.Equal(t, class, scraperutils.ClassOf(err), "%s: %s", name, err)
				assert.NotContains(t, err.Error(), "secret", name)
			}
		})
	}
	check("a name that nobody has", f.Browser, browser.Visit{URL: "http://nowhere.invalid/"}, browser.KindNet, scraperutils.ClassDNS)
	check("a port that nobody listens on", f.Browser, browser.Visit{URL: strings.TrimSuffix(s.URL("http", "static"), "/") + ":81/"}, browser.KindNet, scraperutils.ClassConnect)
	check("a certificate that nobody vouches for", strict, browser.Visit{URL: s.URL("https", "static")}, browser.KindNet, scraperutils.ClassTLS)
	check("a server that says nothing", strict, browser.Visit{URL: "http://silent.example/"}, browser.KindLoad, scraperutils.ClassTimeout)
	check("a page that wants a password", f.Browser, browser.Visit{URL: s.URL("http", "auth")}, browser.KindPassword, scraperutils.ClassHTTP4xx)
	check("a wrong password", f.Browser, browser.Visit{URL: s.URL("http", "auth"), Username: "x", Password: "secret"}, browser.KindPassword, scraperutils.ClassHTTP4xx)
	check("a file", f.Browser, browser.Visit{URL: "file:///etc/passwd"}, browser.KindRefused, scraperutils.ClassOther)
	check("a page of the browser", f.Browser, browser.Visit{URL: "chrome://version"}, browser.KindRefused, scraperutils.ClassOther)
	check("no address", f.Browser, browser.Visit{URL: "http://"}, browser.KindRefused, scraperutils.ClassOther)
	check("parameters that are none", f.Browser, browser.Visit{URL: "http://a.example/", Parameters: map[string]any{"actions": "click"}}, browser.KindRefused, scraperutils.ClassOther)
	if testsize.Full() { // another browser; that of the command refuses them, too
		private, err := browser.Open(t.Context(), browser.Options{Pages: 4})
		require.NoError(t, err)
		defer private.Close()
		local := httptest.NewServer(http.NotFoundHandler())
		defer local.Close()
		check("a private address", private, browser.Visit{URL: local.URL}, browser.KindRefused, scraperutils.ClassOther)
		check("a name for one", private, browser.Visit{URL: strings.Replace(local.URL, "127.0.0.1", "user:secret@localhost", 1)}, browser.KindRefused, scraperutils.ClassOther)
	}
	together(checks...)
}

// silent has one address connect to a server that reads and never answers.
func silent(address string, dial func(ctx context.Context, network, address string) (net.Conn, error)) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, to string) (net.Conn, error) {
		if to != address {
			return dial(ctx, network, to)
		}
		ours, theirs := net.Pipe()
		go func() { _, _ = io.Copy(io.Discard, theirs) }() // until ours is closed
		return ours, nil
	}
}

// A page can't read files, and can't reach what the browser is not to reach, by frames, redirects or scripts.
func TestPagesReachNothingElse(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 10)
	hidden := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked <- r.URL.String() }))
	defer hidden.Close()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/to" {
			http.Redirect(w, r, hidden.URL+"/redirected", http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, `<iframe src="file:///etc/passwd"></iframe><iframe src="%[1]s/framed"></iframe><img src="%[1]s/image"><img src="/to">
			<script>fetch("%[1]s/fetched", {mode: "no-cors"}); new WebSocket("%[2]s/socket"); navigator.sendBeacon("%[1]s/beacon", "x");
			new RTCPeerConnection({iceServers: [{urls: "stun:127.0.0.1:3478"}]}).createDataChannel("x")</script>`, hidden.URL, strings.Replace(hidden.URL, "http", "ws", 1))
	}))
	defer s.Close()
	chromium(t)
	b, err := browser.Open(t.Context(), browser.Options{Dial: publicOnly(s)})
	require.NoError(t, err)
	defer b.Close()
	var got told
	result, err := b.Visit(t.Context(), browser.Visit{URL: "http://public.example/", OnRequest: got.add})
	require.NoError(t, err)
	assert.NotContains(t, result.HTML, "root:")
	assert.Empty(t, asked)
	for _, r := range got.all { // nothing else went out
		assert.True(t, strings.HasPrefix(r.URL, "http://public.example/"), r.URL)
	}
}

// Hidden text, dialogs and frames do not keep a page from its links and its final document.
func TestResult(t *testing.T) {
	t.Parallel()
	f := chromium(t)
	s := f.serve(t)
	together(func() {
		result, err := f.Visit(t.Context(), browser.Visit{URL: s.URL("http", "static"), Outlinks: true})
		require.NoError(t, err)
		assert.Equal(t, []string{s.URL("http", "static") + "more", s.URL("http", "static") + "from-frame"}, result.Outlinks)
		assert.True(t, strings.HasPrefix(result.HTML, "<!DOCTYPE html>\n<html lang=\"en\">"), result.HTML)
		assert.Equal(t, "text/html; charset=utf-8", result.Header.Get("Content-Type"))
		assert.Equal(t, 11, result.Requests)
		assert.Greater(t, result.Took, 2*time.Second)
	}, func() {
		result, err := f.Visit(t.Context(), browser.Visit{URL: s.URL("http", "static") + "redirect/1?to=/", WithoutBehaviors: true})
		require.NoError(t, err)
		assert.Equal(t, s.URL("http", "static"), result.URL)
		assert.Equal(t, 1, result.Redirects)
		assert.Nil(t, result.Outlinks)
	}, func() {
		result, err := f.Visit(t.Context(), browser.Visit{URL: s.URL("http", "static") + "nothing.html"})
		require.NoError(t, err)
		assert.Equal(t, 404, result.Status)
	}, func() {
		result, err := f.Visit(t.Context(), browser.Visit{URL: s.URL("http", "download") + "file/x.bin"})
		require.NoError(t, err)
		assert.Equal(t, []string{s.URL("http", "download") + "file/x.bin"}, result.Downloads)
		assert.Empty(t, result.HTML)
	}, func() {
		var got told
		v := browser.Visit{URL: s.URL("http", "redirects") + "redirect/out?to=http://redirects.elsewhere." + domain(s) + "/frame", OnRequest: got.add,
			UserAgent: "archive/1.0", Header: map[string]string{"X-Reason": "test"}, WithoutBehaviors: true}
		_, err := f.Visit(t.Context(), v)
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(got.all), 2)
		for i, r := range got.all {
			assert.Equal(t, "archive/1.0", r.Header["User-Agent"])
			_, there := r.Header["X-Reason"]
			assert.Equal(t, i == 0, there, "only to the host of the visit")
		}
	})
}

func domain(s *pages.Server) string {
	u, _ := url.Parse(s.URL("http", "static"))
	return u.Hostname()[strings.LastIndex(u.Hostname(), ".")+1:]
}

// A scraper gets the page as it is after its scripts, and what the host's robots.txt says of it.
func TestClient(t *testing.T) {
	t.Parallel()
	f := chromium(t)
	s := f.serve(t)
	get := func(u string) *scraperutils.Request {
		parsed, err := url.Parse(u)
		require.NoError(t, err)
		return &scraperutils.Request{Method: http.MethodGet, URL: parsed, Header: http.Header{"X-From": {"a scraper"}}}
	}
	rules := func(context.Context, *url.URL) (*robots.Rules, error) {
		return robots.Parse([]byte("User-agent: *\nCrawl-delay: 3\nDisallow: /frame"), robots.Product), nil
	}
	var sent told
	client := &browser.Client{Browser: f.Browser, Rules: rules, OnRequest: func(_ *scraperutils.Request, r browser.Request) { sent.add(r) }}
	response, err := client.Do(t.Context(), get(s.URL("http", "static")))
	require.NoError(t, err)
	assert.Equal(t, 200, response.Status)
	assert.Equal(t, 3*time.Second, response.CrawlDelay)
	assert.Equal(t, "text/html; charset=utf-8", response.Header.Get("Content-Type"))
	assert.Contains(t, string(response.Body), "<h1>A page</h1>")
	assert.Len(t, sent.all, 11)
	assert.Equal(t, "a scraper", sent.all[0].Header["X-From"])
	response, err = client.Do(t.Context(), get(s.URL("http", "static")+"frame"))
	assert.Equal(t, scraperutils.ClassRobots, scraperutils.ClassOf(err))
	assert.Equal(t, 3*time.Second, response.CrawlDelay)
	post := get(s.URL("http", "static"))
	post.Method = http.MethodPost
	_, err = client.Do(t.Context(), post)
	assert.ErrorContains(t, err, "GET alone")
	small := get(s.URL("http", "static"))
	small.MaxBody = 10
	_, err = client.Do(t.Context(), small)
	var large *scraperutils.TooLargeError
	assert.ErrorAs(t, err, &large)
}

// A browser that is not there is an error that names what is looked for.
func TestNoBrowser(t *testing.T) {
	_, err := browser.Open(t.Context(), browser.Options{Path: "/no/such/browser"})
	assert.ErrorContains(t, err, "no browser: /no/such/browser is no program: expected Chromium, such as Debian's package chromium-headless-shell")
	t.Setenv("PATH", t.TempDir())
	_, err = browser.Open(t.Context(), browser.Options{})
	assert.ErrorContains(t, err, "no browser: none of chromium-headless-shell")
	t.Setenv("PATH", "/usr/bin:/bin")
	_, err = browser.Open(t.Context(), browser.Options{Path: "/bin/echo"})
	assert.ErrorContains(t, err, "/bin/echo does not say its version as Chromium does")
}
