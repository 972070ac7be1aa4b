package scope

import (
	"regexp"

	"github.com/multiscraper/multiscraper/scraperutils/crawl/urls"
)

// Kind is which hosts count.
type Kind string

// The kinds. None is the zero value.
const (
	None   Kind = "none"   // no link is followed
	Host   Kind = "host"   // the host of the page, and those of what was added
	Domain Kind = "domain" // all hosts of their registrable domains, as the public suffix list has them
	All    Kind = "all"    // any
)

// Defaults of a Scope.
const (
	DefaultVariants = 10_000
	DefaultSeries   = 40
	DefaultSegments = 20
	DefaultLength   = 2_000
)

// Scope says which links are followed. The zero value follows none. It does not change while it is used.
type Scope struct {
	Kind    Kind
	Include []*regexp.Regexp // one of them matches the URL, where there are any
	Exclude []*regexp.Regexp // none of them does
	Depth   int              // links from what was added, at most; 0: any number
	PerHost int              // URLs of a host, at most; 0: any number

	// What is taken for a trap. 0 is the default, below zero is no bound.
	Variants int // URLs that differ in their queries alone: 10,000
	Series   int // pages of one shape in a row that led to nothing else that is new: 40
	Segments int // parts of a path: 20
	Length   int // bytes of a URL: 2,000
}

// Rules by which a link is left out that is in scope.
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

// VariantsBound returns how many query variants of a path are let in; 0: any number.
func (s Scope) VariantsBound() int { return bound(s.Variants, DefaultVariants) }

// Wants reports whether a link of a page is in scope that is so many links from what was added.
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

// Trap returns the rule by which a URL is taken for a trap by its form alone, or "".
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
