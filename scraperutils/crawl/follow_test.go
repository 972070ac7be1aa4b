package crawl_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/scope"
)

// pages has a web answer with these pages, by URL; others are not there. A text that begins with "->" is a redirect, "<?xml" a sitemap.
func (w *web) pages(pages map[string]string) {
	w.answer = func(r *scraperutils.Request, _ int) (*scraperutils.Response, error) {
		text, ok := pages[r.URL.String()]
		if !ok {
			return status(404), nil
		}
		if to, moved := strings.CutPrefix(text, "->"); moved {
			return status(301, "Location", to), nil
		}
		a := page(r)
		a.Body = []byte(text)
		if strings.HasPrefix(text, "\x1f\x8b") {
			a.Header.Set("Content-Type", "application/gzip")
		}
		a.Sitemaps = strings.Fields(pages[r.URL.Host])
		return a, nil
	}
}

// links is a page that leads to others.
func links(to ...string) string {
	var b strings.Builder
	for _, l := range to {
		fmt.Fprintf(&b, "<a href=%q>x</a>", l)
	}
	return b.String()
}

func (w *web) askedOnce(t *testing.T) []string {
	t.Helper()
	for u, n := range w.asked {
		assert.Equal(t, 1, n, u)
	}
	return slices.Sorted(maps.Keys(w.asked))
}

func (c *crew) traps(t *testing.T) (rules map[string]int) {
	t.Helper()
	all, err := c.memory.Open().Traps(t.Context(), 0)
	require.NoError(t, err)
	rules = map[string]int{}
	for _, trap := range all {
		rules[trap.Host.String()+" "+trap.Rule] += trap.Count
	}
	return rules
}

func zipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return b.String()
}

// What is in scope of a page's links is fetched, each once, in whatever spelling; with where it was found and how far that is.
func TestLinksAreFollowed(t *testing.T) {
	for name, c := range map[string]struct {
		scope scope.Scope
		add   []string
		want  string
		traps map[string]int
	}{
		"none":             {scope.Scope{}, []string{"http://a.example/"}, "http://a.example/", nil},
		"host":             {scope.Scope{Kind: scope.Host}, []string{"http://a.example/"}, "http://a.example/ http://a.example/1 http://a.example/2 http://a.example/3", nil},
		"two hosts added":  {scope.Scope{Kind: scope.Host}, []string{"http://a.example/", "http://www.b.example/9"}, "http://a.example/ http://a.example/1 http://a.example/2 http://a.example/3 http://www.b.example/ http://www.b.example/9", nil},
		"domain":           {scope.Scope{Kind: scope.Domain}, []string{"http://a.example/", "http://b.example/9"}, "http://a.example/ http://a.example/1 http://a.example/2 http://a.example/3 http://b.example/9 http://www.b.example/ http://x.a.example/", nil},
		"all":              {scope.Scope{Kind: scope.All}, []string{"http://a.example/"}, "http://a.example/ http://a.example/1 http://a.example/2 http://a.example/3 http://c.example/ http://www.b.example/ http://x.a.example/", nil},
		"one deep":         {scope.Scope{Kind: scope.All, Depth: 1}, []string{"http://a.example/"}, "http://a.example/ http://a.example/1 http://a.example/2 http://x.a.example/", nil},
		"three of a host":  {scope.Scope{Kind: scope.Host, PerHost: 3}, []string{"http://a.example/"}, "http://a.example/ http://a.example/1 http://a.example/2", map[string]int{"a.example limit a host": 1}},
		"a host of queues": {scope.Scope{Kind: scope.Host, Variants: 2}, []string{"http://q.example/"}, "http://q.example/ http://q.example/?q=1 http://q.example/?q=3", map[string]int{"q.example query variants": 3}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var all []crawl.Entry
				for _, u := range c.add {
					all = append(all, entry(u))
				}
				crew := newCrew(t, all...)
				crew.web.pages(map[string]string{
					"http://a.example/":     links("1", "/2", "HTTP://A.example:80/x/../1#y", "mailto:x", "http://x.a.example/"),
					"http://a.example/1":    links("/3", "/1?sid=5", "http://www.b.example"),
					"http://a.example/2":    links("http://c.example/", "/", "3"),
					"http://a.example/3":    links("/1"),
					"http://www.b.example/": links("/"),
					"http://b.example/9":    links("/9"),
					"http://q.example/":     links("?q=1", "?q=2", "?q=3", "?q=4", "?q=5"),
				})
				crew.run(t, func(w *crawl.Worker) { w.Scope = c.scope })
				assert.Equal(t, strings.Fields(c.want), crew.web.askedOnce(t))
				if c.traps != nil {
					assert.Equal(t, c.traps, crew.traps(t))
				}
				if name == "all" {
					u := crew.url(t, "http://www.b.example/")
					assert.Equal(t, "http://a.example/1", u.Via)
					assert.Equal(t, 2, u.Depth)
				}
			})
		})
	}
}

// However the answers come, what is fetched is what is within so many links, each page once; also what lies behind a page that was first
// found on a long way, because the short one leads over a slow host, by way of a redirect and of a sitemap.
func TestDepthIsThatOfTheShortestWay(t *testing.T) {
	pages := map[string]string{
		"http://a.example/":            links("/1", "http://slow.example/", "http://moved.example/"),
		"http://a.example/1":           links("/2"),
		"http://a.example/2":           links("/3"),
		"http://a.example/3":           links("/4", "http://b.example/"),
		"http://a.example/4":           links("/5"),
		"http://a.example/5":           links("/6"),
		"http://slow.example/":         links("http://a.example/3"),
		"http://moved.example/":        "->http://b.example/deep",
		"http://b.example/":            links("/deep"),
		"http://b.example/deep":        links("/deeper"),
		"b.example":                    "http://c.example/sitemap.xml",
		"http://c.example/sitemap.xml": `<urlset><url><loc>http://c.example/named</loc></url></urlset>`,
		"http://c.example/named":       links("/on"),
		"http://c.example/on":          links("/and/on"),
	}
	want := map[string]int{
		"http://a.example/": 0, "http://a.example/1": 1, "http://a.example/2": 2, "http://slow.example/": 1, "http://a.example/3": 2, "http://a.example/4": 3, "http://b.example/": 3,
		"http://moved.example/": 1, "http://b.example/deep": 1, "http://b.example/deeper": 2, "http://c.example/sitemap.xml": 2, "http://c.example/named": 2, "http://c.example/on": 3,
	}
	for _, slow := range []string{"none", "slow.example", "moved.example", "a.example", "b.example", "c.example"} {
		t.Run(slow, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCrew(t, entry("http://a.example/"))
				c.web.pages(pages)
				c.web.latency = func(r *scraperutils.Request) time.Duration {
					if strings.HasPrefix(r.URL.Host, slow) || slow == "moved.example" && r.URL.Host == "slow.example" {
						return time.Minute
					}
					return 100 * time.Millisecond
				}
				c.run(t, func(w *crawl.Worker) { w.Scope = scope.Scope{Kind: scope.All, Depth: 3} })
				assert.Equal(t, slices.Sorted(maps.Keys(want)), c.web.askedOnce(t))
				for u, depth := range want {
					assert.Equal(t, depth, c.url(t, u).Depth, u)
				}
			})
		})
	}
}

// Where links are followed a redirect is a link: nothing is fetched twice, loops end, and what was added may move to another host.
func TestRedirectsAsLinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t, entry("http://a.example/"))
		c.web.pages(map[string]string{
			"http://a.example/":             "->http://www.a.example/",
			"http://www.a.example/":         links("/old", "/new", "/loop", "/away"),
			"http://www.a.example/a":        links("http://a.example/x"),
			"http://a.example/x":            "x",
			"http://www.a.example/old":      "->/new",
			"http://www.a.example/new":      links("/a"),
			"http://www.a.example/loop":     "->/loop?z=1",
			"http://www.a.example/loop?z=1": "->/loop",
			"http://www.a.example/away":     "->http://elsewhere.example/",
		})
		c.run(t, func(w *crawl.Worker) { w.Scope.Kind = scope.Host })
		assert.Equal(t, strings.Fields("http://a.example/ http://a.example/x http://www.a.example/ http://www.a.example/a http://www.a.example/away "+
			"http://www.a.example/loop http://www.a.example/loop?z=1 http://www.a.example/new http://www.a.example/old"), c.web.askedOnce(t))
		assert.Equal(t, c.url(t, "http://a.example/").ID, c.url(t, "http://www.a.example/").ID, "the visit goes on there")
	})
}

// What was followed goes on after a restart, by another worker too: seeds, depths and series are the frontier's.
func TestFollowingGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t, entry("http://a.example/"), entry("http://b.example/"))
		pages := map[string]string{"http://a.example/": links("/0/0"), "http://b.example/": links("/1")}
		for i := range 200 { // a series, which leads to the other host at its end
			pages[fmt.Sprintf("http://a.example/0/%d", i)] = links(fmt.Sprint("/0/", i+1))
		}
		pages["http://a.example/0/30"] = links("/0/31", "http://b.example/2", "http://c.example/")
		c.web.pages(pages)
		for n := 3; n < 200; n += 3 { // workers that end after three pages each
			c.run(t, func(w *crawl.Worker) { w.Scope.Kind, w.MaxPages = scope.Host, n })
		}
		asked := c.web.askedOnce(t)
		assert.Contains(t, asked, "http://b.example/2", "a host that was added, found by a later worker")
		assert.NotContains(t, asked, "http://c.example/")
		assert.Contains(t, asked, "http://a.example/0/71", "it led to something new on the way")
		assert.NotContains(t, asked, "http://a.example/0/72")
		assert.Equal(t, map[string]int{"a.example series of pages": 1}, c.traps(t))
	})
}

// A host that is added while a crawl runs has its links followed, and links to it count from then on.
func TestHostAddedMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t, entry("http://a.example/1"))
		pages := map[string]string{"http://b.example/": links("/1")}
		for i := range 100 {
			pages[fmt.Sprint("http://a.example/", i)] = links(fmt.Sprint("/", i+1), fmt.Sprint("http://b.example/from-", i))
		}
		c.web.pages(pages)
		c.web.latency = func(*scraperutils.Request) time.Duration { return time.Second }
		go func() {
			time.Sleep(time.Minute)
			_, err := c.memory.Open().Add(context.Background(), time.Now(), []crawl.Entry{entry("http://b.example/")})
			assert.NoError(t, err)
		}()
		c.run(t, func(w *crawl.Worker) { w.Scope = scope.Scope{Kind: scope.Host, Series: -1} })
		asked := c.web.askedOnce(t)
		assert.Contains(t, asked, "http://b.example/1")
		assert.NotContains(t, asked, "http://b.example/from-20")
		assert.Contains(t, asked, "http://b.example/from-40")
		assert.Contains(t, asked, "http://b.example/from-99")
	})
}

// A handler has each page before it counts; one that fails has it again, and at last it is a failure that says so.
func TestHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t, entry("http://a.example/"))
		c.web.pages(map[string]string{"http://a.example/": links("/good", "/late", "/never", "/panics"), "http://a.example/good": "good", "http://a.example/late": "late",
			"http://a.example/never": links("/unseen"), "http://a.example/panics": "x"})
		var mu sync.Mutex
		handled := map[string]int{}
		c.run(t, func(w *crawl.Worker) {
			w.Scope.Kind = scope.Host
			w.Sinks = nil
			w.Handle = func(_ context.Context, p *crawl.Page) error {
				mu.Lock()
				defer mu.Unlock()
				assert.NotEmpty(t, p.Body)
				handled[p.Final]++
				switch n := handled[p.Final]; {
				case strings.HasSuffix(p.URL, "/late") && n < 3, strings.HasSuffix(p.URL, "/never"):
					return errors.New("the database is locked")
				case strings.HasSuffix(p.URL, "/panics"):
					panic("oh")
				}
				assert.NotEqual(t, crawl.StateDone, c.url(t, p.URL).State, "it does not count yet")
				return nil
			}
		})
		assert.Equal(t, map[string]int{"http://a.example/": 1, "http://a.example/good": 1, "http://a.example/late": 3, "http://a.example/never": 4, "http://a.example/panics": 4}, handled)
		assert.Equal(t, map[string]int{"handler": 2}, c.counts(t).FailedBy)
		assert.Equal(t, "handler: the database is locked", c.url(t, "http://a.example/never").Reason)
		assert.Equal(t, "handler: panicked: oh", c.url(t, "http://a.example/panics").Reason)
	})
}
