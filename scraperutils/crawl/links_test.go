package crawl_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// linksOf are what a page at depth 3 leads to.
func linksOf() []crawl.Entry {
	host := func(name, port string) scraperutils.Host { return scraperutils.Host{Name: name, Port: port} }
	return []crawl.Entry{
		{Host: host("b.example", "8080"), URL: "http://b.example:8080/", Depth: 4, Priority: 2, Series: 3, Limit: 100, Variants: 10_000},
		{Host: host("a.example", "443"), URL: "https://a.example/section/1", Depth: 4, Priority: 2, Variants: 10_000},
		{Host: host("a.example", "443"), URL: "https://a.example/section/2", Depth: 4, Priority: 2, Variants: 10_000},
		{Host: host("a.example", "443"), URL: "https://a.example/moved", Depth: 3},
		{Host: host("2001:db8::1", "80"), URL: "http://[2001:db8::1]/s.xml", Depth: 4, Sitemap: true},
	}
}

// What a page leads to comes out as it went in, as far from what was added as the page is now, and within the bound.
func TestLinks(t *testing.T) {
	packed := crawl.PackLinks(3, 4, linksOf())
	assert.Equal(t, 3, packed.Depth())
	for depth, farthest := range map[int]int{3: 4, 1: 2, 0: 1} {
		want := linksOf()
		for i := range want {
			want[i].Depth, want[i].Via = want[i].Depth-3+depth, "https://via.example/"
			assert.LessOrEqual(t, want[i].Depth, farthest)
		}
		got, err := packed.At(depth, "https://via.example/")
		require.NoError(t, err)
		assert.ElementsMatch(t, want, got, depth)
	}
	got, err := packed.At(4, "")
	require.NoError(t, err)
	require.Len(t, got, 1, "the others are beyond the bound")
	assert.Equal(t, "https://a.example/moved", got[0].URL)
	got, err = crawl.PackLinks(3, 0, linksOf()).At(100, "")
	require.NoError(t, err)
	assert.Len(t, got, len(linksOf()), "there is no bound")
}

func TestLinksDamaged(t *testing.T) {
	packed := crawl.PackLinks(3, 4, linksOf())
	whole := 0
	for n := range packed {
		if got, err := packed[:n].At(3, ""); err == nil {
			assert.Less(t, len(got), len(linksOf()))
			whole++
		}
	}
	assert.Equal(t, len(linksOf()), whole, "it ends after one of them, or before the first")
}

func FuzzLinks(f *testing.F) {
	f.Add([]byte(crawl.PackLinks(3, 4, linksOf())))
	f.Fuzz(func(t *testing.T, packed []byte) {
		entries, err := crawl.Links(packed).At(0, "via")
		if err != nil {
			return
		}
		again, err := crawl.PackLinks(0, 0, entries).At(0, "via")
		require.NoError(t, err)
		require.ElementsMatch(t, entries, again)
	})
}

func BenchmarkPackLinks(b *testing.B) {
	entries := make([]crawl.Entry, 30)
	for i := range entries {
		host := scraperutils.Host{Name: "www.example.org", Port: "443"}
		entries[i] = crawl.Entry{Host: host, URL: fmt.Sprintf("https://www.example.org/section-%d/page-%d.html", i%5, i*7919), Depth: 3, Variants: 10_000}
	}
	var packed crawl.Links
	for b.Loop() {
		packed = crawl.PackLinks(2, 5, entries)
	}
	b.ReportMetric(float64(len(packed))/30, "bytes/link")
}
