package scope

import "github.com/multiscraper/multiscraper/scraperutils/crawl/urls"

// Page is the page where links were found.
type Page struct {
	URL    urls.URL
	Depth  int // links away from the URLs that were added
	Series int // how many pages of its series came before it
}

// Found is a link to follow.
type Found struct {
	URL    urls.URL
	Depth  int
	Series int
}

// Left counts links to one host that one rule left out.
type Left struct {
	Rule    string
	Count   int
	Example urls.URL // the first
}

// Follow returns the links of a page that are to be fetched and not known yet, each once, and what was left out. If the depth is limited,
// rest holds the other links that the page may lead to once it is found nearer: those that are known, and those that are too far away.
func (s Scope) Follow(p Page, links []urls.URL, seeds Seeds, known func(urls.URL) bool) (found, rest []Found, left []Left) {
	fresh, rest, left := s.fresh(p, links, seeds, known)
	series := p.Series + 1
	for _, u := range fresh {
		if !SameShape(p.URL, u) {
			series = 0 // it leads somewhere
			break
		}
	}
	most := bound(s.Series, DefaultSeries)
	for _, u := range fresh {
		f := Found{URL: u, Depth: p.Depth + 1}
		if series > 0 { // all are of the page's shape
			f.Series = series
		}
		switch trapped := most > 0 && f.Series > most; {
		case !s.reaches(f.Depth) && !trapped:
			rest = append(rest, f)
		case !s.reaches(f.Depth):
		case trapped:
			left = leave(left, TrapSeries, u)
		default:
			found = append(found, f)
		}
	}
	return found, rest, left
}

// fresh returns those of some links that are in scope, no trap by their form, and not known, each once; where there is a bound on depth,
// those beyond it are among them, and the known ones are the rest.
func (s Scope) fresh(p Page, links []urls.URL, seeds Seeds, known func(urls.URL) bool) (fresh []urls.URL, rest []Found, left []Left) {
	seen := make(map[urls.URL]bool, len(links))
	for _, u := range links {
		if seen[u] || u == p.URL {
			continue
		}
		seen[u] = true
		if !s.contains(p.URL, u, seeds) {
			continue
		}
		switch rule := s.Trap(u); {
		case rule != "" && s.reaches(p.Depth+1):
			left = leave(left, rule, u)
		case rule != "":
		case !known(u):
			fresh = append(fresh, u)
		case s.Depth > 0:
			rest = append(rest, Found{URL: u, Depth: p.Depth + 1})
		}
	}
	return fresh, rest, left
}

// leave counts a link that is left out.
func leave(left []Left, rule string, u urls.URL) []Left {
	for i := range left {
		if left[i].Rule == rule && left[i].Example.Host() == u.Host() {
			left[i].Count++
			return left
		}
	}
	return append(left, Left{Rule: rule, Count: 1, Example: u})
}

// Moved decides about the target of a redirect, as Follow does about a link. The target is as far away as the page itself. A URL that was
// added may redirect anywhere.
func (s Scope) Moved(p Page, target urls.URL, seeds Seeds, known func(urls.URL) bool) (found, rest []Found, left []Left) {
	f := Found{URL: target, Depth: p.Depth}
	if SameShape(p.URL, target) {
		f.Series = p.Series
	}
	switch rule := s.Trap(target); {
	case p.Depth > 0 && !s.Wants(p.URL, target, p.Depth, seeds):
		return nil, nil, nil
	case rule != "":
		return nil, nil, leave(nil, rule, target)
	case !known(target):
		return []Found{f}, nil, nil
	case s.Depth > 0:
		return nil, []Found{f}, nil
	}
	return nil, nil, nil
}
