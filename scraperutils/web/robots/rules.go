package robots

import (
	"bytes"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	// MaxSize is how much of a robots.txt counts, in bytes. The rest is cut at a line end.
	MaxSize = 500 << 10
	// maxCrawlDelay is the longest delay that a host may ask for.
	maxCrawlDelay = 120 * time.Second
)

// Rules is what a robots.txt says to one crawler. The zero value allows everything. Rules are immutable.
type Rules struct {
	rules      []rule
	crawlDelay time.Duration
	sitemaps   []string
}

// Parse reads a robots.txt for the crawler that a product token names (letters, "_", and "-"; case does not matter). It merges all groups
// that name the crawler. If there are none, it merges the groups of "*".
func Parse(text []byte, product string) *Rules {
	own, all, named, sitemaps := Rules{}, Rules{}, false, []string(nil)
	group := group{}
	for line := range lines(text) {
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		value = strings.Trim(value, " \t")
		switch strings.ToLower(strings.Trim(key, " \t")) {
		case "user-agent":
			group.name(value, product)
			named = named || group.own
		case "allow":
			group.add(&own, &all, value, true)
		case "disallow":
			group.add(&own, &all, value, false)
		case "crawl-delay":
			group.delay(&own, &all, value)
		case "sitemap": // is of no group
			sitemaps = append(sitemaps, value)
		}
	}
	own.sitemaps, all.sitemaps = sitemaps, sitemaps
	if named {
		return &own
	}
	return &all
}

// group is whom the lines that are being read are meant for.
type group struct {
	own, all bool // it names the crawler; it names "*"
	hasRules bool // so that the next user-agent begins another group
}

func (g *group) name(value, product string) {
	if g.hasRules {
		*g = group{}
	}
	token := value[:len(value)-len(strings.TrimLeft(value, tokenCharacters))]
	g.own = g.own || token != "" && strings.EqualFold(token, product)
	g.all = g.all || value == "*" || strings.HasPrefix(value, "* ") || strings.HasPrefix(value, "*\t")
}

const tokenCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-"

func (g *group) add(own, all *Rules, pattern string, allow bool) {
	g.hasRules = true
	if pattern == "" {
		return
	}
	r := newRule(pattern, allow)
	if g.own {
		own.rules = append(own.rules, r)
	}
	if g.all {
		all.rules = append(all.rules, r)
	}
}

// delay takes seconds, with a fraction. Of several the longest counts.
func (g *group) delay(own, all *Rules, value string) {
	seconds, err := strconv.ParseFloat(value, 64)
	if err != nil || !(seconds > 0) {
		return
	}
	d := maxCrawlDelay
	if seconds < maxCrawlDelay.Seconds() {
		d = time.Duration(seconds * float64(time.Second))
	}
	if g.own {
		own.crawlDelay = max(own.crawlDelay, d)
	}
	if g.all {
		all.crawlDelay = max(all.crawlDelay, d)
	}
}

// lines yields the lines without comments. They end in CR, LF or both.
func lines(text []byte) func(yield func(string) bool) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if len(text) > MaxSize {
		text = text[:MaxSize]
		text = text[:bytes.LastIndexAny(text, "\r\n")+1]
	}
	return func(yield func(string) bool) {
		for len(text) > 0 {
			line := text
			if end := bytes.IndexAny(text, "\r\n"); end >= 0 {
				line, text = text[:end], text[end+1:]
			} else {
				text = nil
			}
			line, _, _ = bytes.Cut(line, []byte("#"))
			if !yield(string(line)) {
				return
			}
		}
	}
}

// CrawlDelay returns how long the host wants the crawler to wait between requests: 0 if it does not say, at most 120 s.
func (r *Rules) CrawlDelay() time.Duration { return r.crawlDelay }

// Sitemaps returns the sitemaps that the host names, as written. The caller must not change the slice.
func (r *Rules) Sitemaps() []string { return r.sitemaps }

// Allowed reports whether the crawler may fetch a URL. The longest matching rule decides; if two are equally long, Allow wins.
func (r *Rules) Allowed(u *url.URL) bool {
	if len(r.rules) == 0 {
		return true
	}
	path := u.EscapedPath()
	if path == "/robots.txt" {
		return true
	}
	if path == "" {
		path = "/"
	}
	if u.RawQuery != "" || u.ForceQuery {
		path += "?" + u.RawQuery
	}
	path = octets(path)
	allowed, longest := true, 0
	for _, rule := range r.rules {
		if (rule.length > longest || rule.length == longest && rule.allow) && rule.matches(path) {
			allowed, longest = rule.allow, rule.length
		}
	}
	return allowed
}
