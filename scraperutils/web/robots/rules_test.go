package robots_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/web/robots"
)

func allowed(t testing.TB, r *robots.Rules, path string) bool {
	t.Helper()
	u, err := url.Parse("http://a.example" + path)
	require.NoError(t, err)
	return r.Allowed(u)
}

func TestAllowed(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		allowed []string
		refused []string
	}{
		"nothing":                       {"", []string{"/", "/x"}, nil},
		"another crawler":               {"User-agent: foo\nDisallow: /", []string{"/x"}, nil},
		"own group instead of all":      {"User-agent: foobot\nDisallow: /a\n\nUser-agent: *\nDisallow: /b", []string{"/b"}, []string{"/a"}},
		"case of the name":              {"User-agent: FooBot\nDisallow: /", nil, []string{"/x"}},
		"case of the keys":              {"USER-AGENT: foobot\ndisallow: /", nil, []string{"/x"}},
		"version behind the name":       {"User-agent: FooBot/2.0 (x)\nDisallow: /", nil, []string{"/x"}},
		"a name that only begins it":    {"User-agent: foo\nUser-agent: foobot-news\nDisallow: /", []string{"/x"}, nil},
		"several names":                 {"User-agent: a\nUser-agent: foobot\nDisallow: /x", []string{"/"}, []string{"/x"}},
		"several groups":                {"User-agent: foobot\nDisallow: /a\nUser-agent: other\nDisallow: /\nUser-agent: foobot\nDisallow: /b", []string{"/c"}, []string{"/a", "/b"}},
		"several groups of all":         {"User-agent: *\nDisallow: /a\n\nUser-agent: *\nDisallow: /b", []string{"/c"}, []string{"/a", "/b"}},
		"unknown lines end no group":    {"User-agent: foobot\nCrawl-delay: 5\nSitemap: http://x\nUser-agent: bar\nDisallow: /", nil, []string{"/x"}},
		"blank lines end no group":      {"User-agent: foobot\n\n\nDisallow: /", nil, []string{"/x"}},
		"rules before any name":         {"Disallow: /x", []string{"/x"}, nil},
		"allow wins a tie":              {"User-agent: *\nDisallow: /p\nAllow: /p", []string{"/p"}, nil},
		"allow wins a tie, other order": {"User-agent: *\nAllow: /p\nDisallow: /p", []string{"/p"}, nil},
		"the longest wins":              {"User-agent: *\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif", []string{"/example/page/", "/example/page/x"}, []string{"/example/page/disallowed.gif"}},
		"the longest allows":            {"User-agent: *\nDisallow: /\nAllow: /open", []string{"/open/x", "/robots.txt"}, []string{"/", "/op"}},
		"a star":                        {"User-agent: *\nDisallow: /*/private", []string{"/private"}, []string{"/a/private", "/a/b/privates"}},
		"a star at the end":             {"User-agent: *\nDisallow: /a*", []string{"/b"}, []string{"/a", "/ab"}},
		"a star at the start":           {"User-agent: *\nDisallow: *.pdf", []string{"/a.html"}, []string{"/a.pdf", "/a.pdf?x"}},
		"an end":                        {"User-agent: *\nDisallow: /*.gif$", []string{"/a/b.gif?x"}, []string{"/a/b.gif"}},
		"an end without a star":         {"User-agent: *\nDisallow: /a$", []string{"/a/", "/ab"}, []string{"/a"}},
		"star and end that overlap":     {"User-agent: *\nDisallow: /ab*bc$", []string{"/abc"}, []string{"/abbc", "/abxbc"}},
		"a dollar inside":               {"User-agent: *\nDisallow: /a$b", []string{"/a"}, []string{"/a$b"}},
		"the root alone":                {"User-agent: *\nDisallow: /$", []string{"/x"}, []string{"", "/"}},
		"the query counts":              {"User-agent: *\nDisallow: /a?id=", []string{"/a", "/a?x=1"}, []string{"/a?id=1"}},
		"characters encoded on one side": {"User-agent: *\nDisallow: /foo/bar/ツ\nDisallow: /%62%61%7A\nDisallow: /q?u=https://x", []string{"/ba"},
			[]string{"/foo/bar/%E3%83%84", "/foo/bar/ツ", "/baz", "/b%61z", "/q?u=https%3A%2F%2Fx"}},
		"encoded stars are no stars":     {"User-agent: *\nDisallow: /a%2Ab\nDisallow: /c%24", []string{"/axb", "/c"}, []string{"/a*b", "/c$d"}},
		"broken encoding":                {"User-agent: *\nDisallow: /a%zz\nDisallow: /%", []string{"/b"}, nil},
		"an empty disallow":              {"User-agent: *\nDisallow:\n", []string{"/x"}, nil},
		"an empty disallow for us":       {"User-agent: foobot\nDisallow:\n\nUser-agent: *\nDisallow: /", []string{"/x"}, nil},
		"comments and blanks":            {" User-agent : * # all\n\tDisallow\t:\t/x # this\n#Disallow: /y", []string{"/y"}, []string{"/x"}},
		"CR as the end of lines":         {"User-agent: *\rDisallow: /x\r", nil, []string{"/x"}},
		"CRLF as the end of lines":       {"User-agent: *\r\nDisallow: /x\r\n", nil, []string{"/x"}},
		"a byte order mark":              {"\ufeffUser-agent: *\nDisallow: /x", nil, []string{"/x"}},
		"no colon":                       {"User-agent *\nDisallow /", []string{"/x"}, nil},
		"bytes that are no text":         {"\x00\xff\xfe\nUser-agent: *\nDisallow: /\xff", []string{"/x"}, []string{"/%FF"}},
		"case of the path":               {"User-agent: *\nDisallow: /X", []string{"/x"}, []string{"/X"}},
		"a page instead of a robots.txt": {"<html><body>User-agent: *<br>Disallow: /</body></html>", []string{"/x"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := robots.Parse([]byte(c.text), "foobot")
			for _, path := range c.allowed {
				assert.True(t, allowed(t, r, path), "%q must be allowed", path)
			}
			for _, path := range c.refused {
				assert.False(t, allowed(t, r, path), "%q must be refused", path)
			}
		})
	}
}

func TestCrawlDelay(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"User-agent: *\nCrawl-delay: 7":                                     7 * time.Second,
		"User-agent: *\nCrawl-delay: 0.25":                                  250 * time.Millisecond,
		"User-agent: *\nCrawl-delay: 0":                                     0,
		"User-agent: *\nCrawl-delay: -3":                                    0,
		"User-agent: *\nCrawl-delay: soon":                                  0,
		"User-agent: *\nCrawl-delay: NaN":                                   0,
		"User-agent: *\nCrawl-delay: 1e300":                                 2 * time.Minute,
		"User-agent: *\nCrawl-delay: 900":                                   2 * time.Minute,
		"User-agent: foobot\nDisallow:\nUser-agent: *\nCrawl-delay: 7":      0,
		"User-agent: *\nCrawl-delay: 7\nUser-agent: foobot\nCrawl-delay: 2": 2 * time.Second, // said to us by name
		"User-agent: *\nDisallow: /x\nCrawl-delay: 7\nUser-agent: foobot\nCrawl-delay: 2\nDisallow: /": 2 * time.Second,
		"Crawl-delay: 7": 0,
		"":               0,
	} {
		assert.Equal(t, want, robots.Parse([]byte(text), "foobot").CrawlDelay(), text)
	}
}

func TestWhatIsTooLongIsCutAtALine(t *testing.T) {
	head := "User-agent: *\nDisallow: /early\n"
	filler := strings.Repeat("# filler\n", robots.MaxSize/9)
	r := robots.Parse([]byte(head+filler+"Disallow: /late\n"), "foobot")
	assert.False(t, allowed(t, r, "/early"))
	assert.True(t, allowed(t, r, "/late"))
	r = robots.Parse([]byte(head+strings.Repeat("x", robots.MaxSize)), "foobot")
	assert.False(t, allowed(t, r, "/early"))
	assert.True(t, allowed(t, robots.Parse([]byte(strings.Repeat("x", robots.MaxSize+1)), "foobot"), "/"))
}

func FuzzParse(f *testing.F) {
	f.Add("User-agent: *\nDisallow: /a*b$\nAllow: /%61\nCrawl-delay: 1.5", "/ab")
	f.Add("User-agent: foobot\r\rDisallow: "+strings.Repeat("*a", 1000), strings.Repeat("a", 1000))
	f.Fuzz(func(t *testing.T, text, path string) {
		u, err := url.Parse("http://a.example/" + path)
		if err != nil {
			return
		}
		r := robots.Parse([]byte(text), "foobot")
		r.Allowed(u)
		if d := r.CrawlDelay(); d < 0 || d > 2*time.Minute {
			t.Fatalf("crawl-delay %s", d)
		}
		if !robots.Parse([]byte(text+"\nUser-agent: foobot\nAllow: /\n"+"Disallow:"), "foobot").Allowed(&url.URL{Path: "/robots.txt"}) {
			t.Fatal("robots.txt itself must be allowed")
		}
	})
}

func ExampleParse() {
	rules := robots.Parse([]byte("User-agent: *\nDisallow: /admin\nCrawl-delay: 1.5\n"), "ScraperUtils")
	u, err := url.Parse("https://a.example/admin/users")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(rules.Allowed(u), rules.CrawlDelay())
	// Output: false 1.5s
}
