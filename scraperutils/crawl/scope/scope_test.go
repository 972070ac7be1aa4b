package scope_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/scope"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/urls"
)

func parse(t testing.TB, raw string) urls.URL {
	t.Helper()
	u, err := urls.Form{MaxLength: 1 << 20}.Parse(raw)
	require.NoError(t, err)
	return u
}

func parseAll(t testing.TB, raw ...string) (all []urls.URL) {
	t.Helper()
	for _, r := range raw {
		all = append(all, parse(t, r))
	}
	return all
}

func added(names ...string) scope.Seeds {
	return func(name string) bool {
		for _, n := range names {
			if n == name {
				return true
			}
		}
		return false
	}
}

func re(patterns ...string) (all []*regexp.Regexp) {
	for _, p := range patterns {
		all = append(all, regexp.MustCompile(p))
	}
	return all
}

func TestWants(t *testing.T) {
	const page = "http://www.example.co.uk/news/"
	host, domain, all := scope.Scope{Kind: scope.Host}, scope.Scope{Kind: scope.Domain}, scope.Scope{Kind: scope.All}
	with := func(s scope.Scope, change func(*scope.Scope)) scope.Scope { change(&s); return s }
	for name, c := range map[string]struct {
		scope scope.Scope
		link  string
		depth int
		want  bool
	}{
		"no scope follows nothing":           {scope.Scope{}, page, 1, false},
		"none follows nothing":               {scope.Scope{Kind: scope.None}, page, 1, false},
		"host: its own":                      {host, "http://www.example.co.uk/x", 1, true},
		"host: with the other scheme":        {host, "https://www.example.co.uk/x", 1, true},
		"host: another port":                 {host, "http://www.example.co.uk:8080/x", 1, false},
		"host: another name of the domain":   {host, "http://example.co.uk/", 1, false},
		"host: one that was added":           {host, "https://seed.example/x", 1, true},
		"host: below one that was added":     {host, "https://www.seed.example/x", 1, false},
		"domain: its own":                    {domain, "http://www.example.co.uk/x", 1, true},
		"domain: another name":               {domain, "https://a.b.example.co.uk:8080/", 1, true},
		"domain: another of the same suffix": {domain, "http://other.co.uk/", 1, false},
		"domain: of one that was added":      {domain, "https://www.seed.example/x", 1, true},
		"domain: an address":                 {domain, "http://192.0.2.1/", 1, false},
		"all":                                {all, "https://any.example:1/", 1, true},
		"as deep as may be":                  {with(all, func(s *scope.Scope) { s.Depth = 3 }), page, 3, true},
		"too deep":                           {with(all, func(s *scope.Scope) { s.Depth = 3 }), page, 4, false},
		"included":                           {with(all, func(s *scope.Scope) { s.Include = re("/a/", "/b/") }), "http://x.example/b/1", 1, true},
		"not included":                       {with(all, func(s *scope.Scope) { s.Include = re("/a/", "/b/") }), "http://x.example/c/1", 1, false},
		"included and excluded":              {with(all, func(s *scope.Scope) { s.Include, s.Exclude = re("/a/"), re(`\.pdf$`) }), "http://x.example/a/1.pdf", 1, false},
		"included, on no host that counts":   {with(host, func(s *scope.Scope) { s.Include = re("/a/") }), "http://x.example/a/", 1, false},
	} {
		assert.Equal(t, c.want, c.scope.Wants(parse(t, page), parse(t, c.link), c.depth, added("seed.example")), name)
	}
}

func TestTrapsByForm(t *testing.T) {
	deep := "http://a.example/" + strings.Repeat("x/y/z/", 7)
	for link, want := range map[string]string{
		"http://a.example/a/b/c":                                 "",
		"http://a.example/a/a/a/":                                "",
		"http://a.example/a/a/a/a":                               scope.TrapRepeats,
		"http://a.example/x/a/b/a/b/a/b/a/b/y":                   scope.TrapRepeats,
		"http://a.example/x/a/b/a/b/a/b/a/y":                     "",
		"http://a.example/a/b/a/c/a/d/a/e":                       "",
		"http://a.example/2024/01/01/01/01/01":                   "",
		"http://a.example//////":                                 scope.TrapRepeats,
		deep:                                                     scope.TrapSegments,
		"http://a.example/" + strings.Repeat("abcdefghi/", 20):   scope.TrapRepeats,
		"http://a.example/" + numbered(20):                       "",
		"http://a.example/" + numbered(21):                       scope.TrapSegments,
		"http://a.example/?" + strings.Repeat("x", 2000-18):      "",
		"http://a.example/?" + strings.Repeat("x", 2000-17):      scope.TrapLength,
		"http://a.example/a?path=/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a": "",
	} {
		assert.Equal(t, want, scope.Scope{}.Trap(parse(t, link)), "%.60s", link)
	}
	none := scope.Scope{Segments: -1, Length: -1}
	assert.Empty(t, none.Trap(parse(t, "http://a.example/"+numbered(1000)+"?"+strings.Repeat("x", 9000))))
}

func numbered(n int) string {
	var parts []string
	for i := range n {
		parts = append(parts, fmt.Sprint("p", i))
	}
	return strings.Join(parts, "/")
}

func TestSameShape(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"http://a.example/calendar/1", "http://a.example/calendar/20000", true},
		{"http://a.example/calendar/1", "http://a.example/calendar/2?view=week", true},
		{"http://a.example/2026/05/", "http://a.example/2031/1/", true},
		{"http://a.example/p1x2", "http://a.example/p33x44", true},
		{"http://a.example/p1", "http://a.example/p", false},
		{"http://a.example/calendar/1", "http://b.example/calendar/1", false},
		{"http://a.example/calendar/1", "https://a.example/calendar/1", false},
		{"http://a.example/a/1", "http://a.example/b/1", false},
		{"http://a.example/1/a", "http://a.example/1/ab", false},
		{"http://a.example/", "http://a.example/", true},
	} {
		assert.Equal(t, c.want, scope.SameShape(parse(t, c.a), parse(t, c.b)), "%s %s", c.a, c.b)
		assert.Equal(t, c.want, scope.SameShape(parse(t, c.b), parse(t, c.a)), "%s %s", c.b, c.a)
	}
}

// What is followed is in scope, new, and there once; what is left out is counted by rule and host.
func TestFollow(t *testing.T) {
	s := scope.Scope{Kind: scope.Host}
	page := scope.Page{URL: parse(t, "http://a.example/list/2"), Depth: 4}
	links := parseAll(t, "http://a.example/list/2", "http://a.example/1", "http://a.example/1", "http://b.example/", "http://c.example/", "http://a.example/known",
		"http://a.example/x/x/x/x", "http://a.example/y/y/y/y", "http://c.example/x/x/x/x", "http://b.example/x/x/x/x", "http://a.example/list/3")
	found, _, left := s.Follow(page, links, added("c.example"), func(u urls.URL) bool { return u.Path() == "/known" })
	assert.Equal(t, []scope.Found{{URL: parse(t, "http://a.example/1"), Depth: 5}, {URL: parse(t, "http://c.example/"), Depth: 5}, {URL: parse(t, "http://a.example/list/3"), Depth: 5}}, found)
	assert.Equal(t, []scope.Left{{Rule: scope.TrapRepeats, Count: 2, Example: parse(t, "http://a.example/x/x/x/x")}, {Rule: scope.TrapRepeats, Count: 1, Example: parse(t, "http://c.example/x/x/x/x")}}, left)
}

// With a bound on depth, what is known and what is beyond it is given too; what is no link to follow is not.
func TestFollowToADepth(t *testing.T) {
	s := scope.Scope{Kind: scope.Host, Depth: 3}
	links := parseAll(t, "http://a.example/1", "http://a.example/1", "http://a.example/known", "http://a.example/x/x/x/x", "http://b.example/")
	for depth, want := range map[int]struct {
		found, rest, left int
	}{2: {1, 1, 1}, 3: {0, 2, 0}} {
		page := scope.Page{URL: parse(t, "http://a.example/"), Depth: depth}
		found, rest, left := s.Follow(page, links, added(), func(u urls.URL) bool { return u.Path() == "/known" })
		assert.Len(t, found, want.found, depth)
		assert.Len(t, rest, want.rest, depth)
		assert.Len(t, left, want.left, depth)
		for _, f := range append(found, rest...) {
			assert.Equal(t, depth+1, f.Depth)
		}
	}
	_, rest, _ := scope.Scope{Kind: scope.Host}.Follow(scope.Page{URL: parse(t, "http://a.example/")}, links, added(), func(urls.URL) bool { return true })
	assert.Empty(t, rest, "without a bound nobody needs them")
	page := scope.Page{URL: parse(t, "http://a.example/"), Depth: 3}
	_, rest, _ = s.Moved(page, parse(t, "http://a.example/known"), added(), func(urls.URL) bool { return true })
	assert.Equal(t, []scope.Found{{URL: parse(t, "http://a.example/known"), Depth: 3}}, rest)
}

func TestMoved(t *testing.T) {
	s := scope.Scope{Kind: scope.Host, Depth: 2}
	from := func(depth int) scope.Page {
		return scope.Page{URL: parse(t, "http://a.example/7"), Depth: depth, Series: 3}
	}
	never := func(urls.URL) bool { return false }
	for name, c := range map[string]struct {
		depth  int
		target string
		want   []scope.Found
		trap   string
	}{
		"what was added moves anywhere":       {0, "https://b.example/", []scope.Found{{URL: parse(t, "https://b.example/")}}, ""},
		"what was found, on its host":         {2, "http://a.example/x", []scope.Found{{URL: parse(t, "http://a.example/x"), Depth: 2}}, ""},
		"what was found, to another host":     {2, "http://b.example/x", nil, ""},
		"within a series":                     {1, "http://a.example/8", []scope.Found{{URL: parse(t, "http://a.example/8"), Depth: 1, Series: 3}}, ""},
		"into a trap, though it was added":    {0, "http://a.example/x/x/x/x", nil, scope.TrapRepeats},
		"what was found, to one that counts":  {1, "http://seed.example/", []scope.Found{{URL: parse(t, "http://seed.example/"), Depth: 1}}, ""},
		"farther than may be, but no farther": {2, "http://seed.example/", []scope.Found{{URL: parse(t, "http://seed.example/"), Depth: 2}}, ""},
	} {
		found, _, left := s.Moved(from(c.depth), parse(t, c.target), added("seed.example"), never)
		assert.Equal(t, c.want, found, name)
		if c.trap != "" {
			require.Len(t, left, 1, name)
			assert.Equal(t, c.trap, left[0].Rule, name)
		}
	}
	found, _, _ := s.Moved(from(0), parse(t, "http://b.example/"), added(), func(urls.URL) bool { return true })
	assert.Empty(t, found, "what is known is asked for once")
}

func TestNameOf(t *testing.T) {
	for _, c := range []struct{ name, port, host, domain string }{
		{"www.example.org", "443", "www.example.org", "example.org"},
		{"www.example.org", "8080", "www.example.org:8080", "example.org"},
		{"a.b.example.co.uk", "80", "a.b.example.co.uk", "example.co.uk"},
		{"someone.github.io", "443", "someone.github.io", "someone.github.io"},
		{"github.io", "443", "github.io", "github.io"},
		{"localhost", "80", "localhost", "localhost"},
		{"192.0.2.1", "80", "192.0.2.1", "192.0.2.1"},
		{"2001:db8::1", "80", "2001:db8::1", "2001:db8::1"},
		{"h000.test", "80", "h000.test", "h000.test"},
	} {
		h := scraperutils.Host{Name: c.name, Port: c.port}
		assert.Equal(t, c.host, scope.Host.NameOf(h))
		assert.Equal(t, c.domain, scope.Domain.NameOf(h))
	}
}

// Whatever the links of a page are, what is followed is in scope, new, and no trap, and none is there twice.
func FuzzFollow(f *testing.F) {
	f.Add("http://a.example/1", "http://a.example/2 http://b.example/ /x/x/x/x", 3)
	f.Add("https://www.example.co.uk:8080/a/b?c", "https://example.co.uk/1 https://example.co.uk/01", 40)
	f.Fuzz(func(t *testing.T, page, links string, series int) {
		from, err := urls.Form{}.Parse(page)
		if err != nil {
			return
		}
		var all []urls.URL
		for l := range strings.FieldsSeq(links) {
			if u, err := (urls.Form{}).Resolve(from, l); err == nil {
				all = append(all, u)
			}
		}
		for _, kind := range []scope.Kind{scope.Host, scope.Domain, scope.All} {
			s := scope.Scope{Kind: kind, Length: 100, Segments: 5}
			seen := map[urls.URL]bool{from: true}
			found, _, _ := s.Follow(scope.Page{URL: from, Series: series}, all, added("b.example"), func(u urls.URL) bool { return len(u.String())%5 == 0 })
			for _, l := range found {
				require.False(t, seen[l.URL])
				seen[l.URL] = true
				require.True(t, s.Wants(from, l.URL, 1, added("b.example")))
				require.Empty(t, s.Trap(l.URL))
				require.LessOrEqual(t, l.Series, scope.DefaultSeries)
				require.NotZero(t, len(l.URL.String())%5)
			}
		}
	})
}
