package crawl_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/scope"
)

// Sitemaps that a robots.txt names are read, packed ones too, and what they name; they are no pages.
func TestSitemaps(t *testing.T) {
	pages := map[string]string{
		"a.example":                   "/index.xml http://b.example/other.xml relative:nonsense",
		"http://a.example/":           "front",
		"http://a.example/index.xml":  `<sitemapindex><sitemap><loc>http://a.example/1.xml.gz</loc></sitemap></sitemapindex>`,
		"http://a.example/1.xml.gz":   zipped(`<urlset><url><loc>http://a.example/orphan</loc></url><url><loc>http://b.example/</loc></url><url><loc>http://a.example/gone</loc></url></urlset>`),
		"http://a.example/orphan":     links("/deep"),
		"http://a.example/deep":       "deep",
		"http://b.example/other.xml":  "",
		"http://plain.example/feed":   "->/rss",
		"http://plain.example/rss":    `<rss><channel><item><link>http://plain.example/news</link></item></channel></rss>`,
		"http://plain.example/news":   "news",
		"http://plain.example/robots": "",
	}
	for off, want := range map[bool]string{
		false: "http://a.example/ http://a.example/1.xml.gz http://a.example/deep http://a.example/gone http://a.example/index.xml http://a.example/orphan",
		true:  "http://a.example/",
	} {
		synctest.Test(t, func(t *testing.T) {
			c := newCrew(t, entry("http://a.example/"))
			c.web.pages(pages)
			c.run(t, func(w *crawl.Worker) { w.Scope, w.NoSitemaps = scope.Scope{Kind: scope.Host, Depth: 2}, off })
			assert.Equal(t, strings.Fields(want), c.web.askedOnce(t))
			if off {
				return
			}
			assert.Len(t, c.sink.pages, 3, "front, orphan, deep")
			assert.Equal(t, 1, c.url(t, "http://a.example/orphan").Depth, "what a sitemap names is as near as the sitemap")
			assert.Equal(t, crawl.StateDone, c.url(t, "http://a.example/1.xml.gz").State)
		})
	}
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t, entry("http://plain.example/feed"))
		c.web.pages(pages)
		c.run(t, func(w *crawl.Worker) { w.Scope.Kind = scope.Host })
		assert.Equal(t, strings.Fields("http://plain.example/feed http://plain.example/news http://plain.example/rss"), c.web.askedOnce(t))
	})
}

// A sitemap of 50,000 entries is added in pieces.
func TestLargeSitemap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var text strings.Builder
		text.WriteString("<urlset>")
		for i := range 60_000 {
			fmt.Fprintf(&text, "<url><loc>http://a.example/%d</loc></url>", i)
		}
		c := newCrew(t, entry("http://a.example/"))
		c.web.pages(map[string]string{"a.example": "/map.xml", "http://a.example/": "front", "http://a.example/map.xml": text.String() + "</urlset>"})
		c.run(t, func(w *crawl.Worker) { w.Scope.Kind, w.MaxPages = scope.Host, 10 })
		assert.Equal(t, 50_002, c.counts(t).Waiting+c.counts(t).Done+c.counts(t).Failed, "as many as a sitemap may have")
		assert.Len(t, c.web.asked, 10)
	})
}
