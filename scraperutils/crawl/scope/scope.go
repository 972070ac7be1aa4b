package scope

import (
	"regexp"

	"github.com/multiscraper/multiscraper/scraperutils/crawl/urls"
)

// Kind says which hosts count.
type Kind string

// These are the kinds. None is the zero value.
const (
	None   Kind = "none"   // follow no link
	Host   Kind = "host"   // the host of the page, and those of the URLs that were added
	Domain Kind = "domain" // all hosts of their registrable domains, by the public suffix list
	All    Kind = "all"    // any host
)

// These are the defaults of a Scope.
const (
	DefaultVariants = 10_000
	DefaultSeries   = 40
	DefaultSegments = 20
	DefaultLength   = 2_000
)

// Scope says which links to follow. The zero value follows none. It must not change while it is used.
type Scope struct {
	Kind    Kind
	Include []*regexp.Regexp // if there are any, one of them must match the URL
	Exclude []*regexp.Regexp // none of them may match the URL
	Depth   int              // maximum number of links away from the URLs that were added; 0: any number
	PerHost int              // maximum number of URLs per host; 0: any number

	// These limits recognize traps. 0 is the default; negative means no limit.
	Variants int // URLs that differ only in their queries: 10,000
	Series   int // pages of one shape in a row that led to nothing else new: 40
	Segments int // parts of a path: 20
	Length   int // bytes of a URL: 2,000
}

// These are the rules that leave out a link that is in scope.
const (
	TrapRepeats  = "repeating path" // the same segments four times in a row
	TrapSegments = "depth of path"
	TrapLength   = "length of URL"
	TrapSeries   = "series of pages"
)

// Follows reports whether any link is followed.
func (s Scope) Follows() bool { return s.Kind != "" && s.Kind != None }

// bound returns a bound that counts; 0: there is none.
func bound(n, def int) int {
	switch {
	case n == 0:
		return def
	case n < 0:
		return 0
	}
	return n
}

// VariantsBound returns how many query variants of a path are allowed; 0: any number.
func (s Scope) VariantsBound() int { return bound(s.Variants, DefaultVariants) }

// Wants reports whether a page's link is in scope, if it is the given number of links away from the URLs that were added.
func (s Scope) Wants(page, link urls.URL, depth int, seeds Seeds) bool {
	return s.reaches(depth) && s.contains(page, link, seeds)
}

// reaches reports whether what is so many links from what was added is near enough.
func (s Scope) reaches(depth int) bool { return s.Depth <= 0 || depth <= s.Depth }

// contains reports whether a link of a page is in scope, however far it is.
func (s Scope) contains(page, link urls.URL, seeds Seeds) bool {
	return s.Follows() && s.onHost(page, link, seeds) && s.matches(link.String())
}

func (s Scope) onHost(page, link urls.URL, seeds Seeds) bool {
	if s.Kind == All {
		return true
	}
	if link.Host() == page.Host() {
		return true
	}
	name := s.Kind.NameOf(link.Host())
	return name == s.Kind.NameOf(page.Host()) || seeds(name)
}

func (s Scope) matches(url string) bool {
	for _, p := range s.Exclude {
		if p.MatchString(url) {
			return false
		}
	}
	for _, p := range s.Include {
		if p.MatchString(url) {
			return true
		}
	}
	return len(s.Include) == 0
}

// Trap returns the rule that recognizes a URL as a trap by its form alone, or "".
func (s Scope) Trap(u urls.URL) string {
	if most := bound(s.Length, DefaultLength); most > 0 && len(u.String()) > most {
		return TrapLength
	}
	path := u.Path()
	if most := bound(s.Segments, DefaultSegments); most > 0 && segments(path) > most {
		return TrapSegments
	}
	if repeats(path) {
		return TrapRepeats
	}
	return ""
}
