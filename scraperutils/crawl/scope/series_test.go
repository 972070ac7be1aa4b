package scope_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/multiscraper/multiscraper/scraperutils/crawl/scope"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/urls"
)

// site is what pages of a host lead to, by their paths.
type site func(path string) []string

// walk crawls a site from its front page in the order in which pages are found, and returns which were asked for and what was left out.
func walk(t *testing.T, s scope.Scope, pages site, most int) (asked map[string]bool, left map[string]int) {
	asked, left = map[string]bool{}, map[string]int{}
	queue := []scope.Found{{URL: parse(t, "http://a.example/")}}
	known := map[urls.URL]bool{queue[0].URL: true}
	for ; len(queue) > 0 && len(asked) < most; queue = queue[1:] {
		page := queue[0]
		asked[page.URL.PathQuery()] = true
		var links []urls.URL
		for _, l := range pages(page.URL.PathQuery()) {
			links = append(links, parse(t, "http://a.example"+l))
		}
		found, _, out := s.Follow(scope.Page(page), links, added(), func(u urls.URL) bool { return known[u] })
		for _, f := range found {
			known[f.URL] = true
		}
		for _, l := range out {
			left[l.Rule] += l.Count
		}
		queue = append(queue, found...)
	}
	return asked, left
}

// numberIn returns the number that a path ends in after a beginning.
func numberIn(path, format string) (n int, ok bool) {
	count, err := fmt.Sscanf(path, format, &n)
	return n, err == nil && count == 1
}

// Endless calendars are left; long lists, books and archives are read to their ends.
func TestSeries(t *testing.T) {
	menu := []string{"/", "/about", "/contact"}
	for name, c := range map[string]struct {
		pages site
		least int // asked for
		most  int
		trap  bool
	}{
		"an endless calendar, with another view of each page": {func(p string) []string {
			if n, ok := numberIn(p, "/calendar/%d"); ok {
				return append(menu, fmt.Sprint("/calendar/", n+1), fmt.Sprintf("/calendar/%d?view=week", n))
			}
			return append(menu, "/calendar/1")
		}, 40, 100, true},
		"a calendar by its query, both ways": {func(p string) []string {
			if n, ok := numberIn(p, "/cal?month=%d"); ok {
				return append(menu, fmt.Sprint("/cal?month=", n+1), fmt.Sprint("/cal?month=", n-1))
			}
			return append(menu, "/cal?month=500")
		}, 40, 100, true},
		"a calendar by its path, with days": {func(p string) []string {
			var y, m int
			if n, err := fmt.Sscanf(p, "/%d/%d", &y, &m); err == nil && n == 2 {
				return append(menu, fmt.Sprintf("/%d/%d", y+m/12, m%12+1), fmt.Sprintf("/%d/%d", y-1, m))
			}
			return append(menu, "/2026/5")
		}, 40, 3000, true},
		"a list of 500 pages, each of which lists articles": {func(p string) []string {
			if n, ok := numberIn(p, "/list/%d"); ok {
				next := append(menu, fmt.Sprintf("/article-%c%c%c", 'a'+n%26, 'a'+n/26%26, 'a'+n/676))
				if n < 500 {
					next = append(next, fmt.Sprint("/list/", n+1))
				}
				return next
			}
			return append(menu, "/list/1")
		}, 3 + 500 + 500, 3 + 500 + 500, false},
		"a list of which half of the pages list what is known": {func(p string) []string {
			if n, ok := numberIn(p, "/list?page=%d"); ok {
				next := append(menu, fmt.Sprintf("/article-%c%c%c", 'a'+n/2%26, 'a'+n/52%26, 'a'+n/1352))
				if n < 500 {
					next = append(next, fmt.Sprint("/list?page=", n+1))
				}
				return next
			}
			return append(menu, "/list?page=1")
		}, 3 + 500 + 250, 3 + 500 + 251, false},
		"10,000 pages of one shape that lead to each other": {func(p string) []string {
			n, _ := numberIn(p, "/p/%d")
			links := []string{"/"}
			for _, to := range []int{2*n + 1, 2*n + 2, (n * 7919) % 10_000, n + 1} {
				if to <= 10_000 {
					links = append(links, fmt.Sprint("/p/", to))
				}
			}
			return links
		}, 10_000, 10_002, false},
		"a story of 40 pages": {func(p string) []string {
			if n, ok := numberIn(p, "/story/%d"); ok && n < 40 {
				return append(menu, fmt.Sprint("/story/", n+1))
			}
			return append(menu, "/story/1")
		}, 3 + 40, 3 + 40, false},
	} {
		t.Run(name, func(t *testing.T) {
			asked, left := walk(t, scope.Scope{Kind: scope.Host}, c.pages, 20_000)
			assert.GreaterOrEqual(t, len(asked), c.least)
			assert.LessOrEqual(t, len(asked), c.most)
			assert.Equal(t, c.trap, left[scope.TrapSeries] > 0, "%v", left)
		})
	}
	endless := func(p string) []string {
		n, _ := numberIn(p, "/%d")
		return []string{fmt.Sprint("/", n+1)}
	}
	asked, left := walk(t, scope.Scope{Kind: scope.Host, Series: -1}, endless, 5000)
	assert.Len(t, asked, 5000, "without a bound")
	assert.Empty(t, left)
}
