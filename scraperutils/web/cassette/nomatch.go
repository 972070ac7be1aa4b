package cassette

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
)

// NoMatchError says that a recording has no interaction left for a request.
type NoMatchError struct {
	Method, URL string // of the request, without user and password
	Path        string // the recording's file, or ""
	Played      bool   // the request was recorded, but all its interactions were played already
	Nearest     string // method and URL of the most similar interaction that is left, or "" where none is
	Truncated   bool   // the recorder was full, so that the request may have been made
	Missing     int    // how many interactions it left out
}

func (e *NoMatchError) Error() string {
	file := e.Path
	if file == "" {
		file = "the cassette"
	}
	switch {
	case e.Missing > 0:
		file += fmt.Sprintf(" (which is truncated: %d missing)", e.Missing)
	case e.Truncated:
		file += " (which is truncated)"
	}
	s := e.Method + " " + e.URL
	if e.Played {
		s += " was played already as often as it is in " + file
	} else {
		s += " is not in " + file
	}
	if e.Nearest == "" {
		return s + "; no recorded request is left"
	}
	if e.Played {
		return s + "; the nearest recorded request left is " + e.Nearest
	}
	return s + "; the nearest recorded request is " + e.Nearest
}

// noMatch is called with p.mu held.
func (p *Player) noMatch(req *http.Request, k key, played bool) *NoMatchError {
	e := &NoMatchError{
		Method:    methodOf(req),
		URL:       withoutUserinfo(req.URL.String()),
		Path:      p.path,
		Played:    played,
		Truncated: p.truncated,
		Missing:   p.missing,
	}
	if i := p.nearest(k); i >= 0 {
		r := p.request(i)
		e.Nearest = r.Method + " " + withoutUserinfo(r.URL)
	}
	return e
}

// nearest returns the index of what is unplayed and most like the request, the earliest of equals, or -1.
func (p *Player) nearest(wanted key) int {
	best, bestDistance := -1, distance{}
	for k, left := range p.unplayed {
		if len(left) == 0 {
			continue
		}
		d := distanceOf(wanted, k)
		if c := d.compare(bestDistance); best < 0 || c < 0 || c == 0 && left[0] < best {
			best, bestDistance = left[0], d
		}
	}
	return best
}

// distance tells how unlike two requests are; earlier fields weigh more.
type distance struct {
	otherPath   int // 1 or 0
	otherHost   int // 1 or 0
	path        int // characters
	otherMethod int // 1 or 0
	query       int // characters
}

func distanceOf(a, b key) distance {
	return distance{
		otherPath:   differ(a.path != b.path),
		otherHost:   differ(a.host != b.host),
		otherMethod: differ(a.method != b.method),
		path:        gap(a.path, b.path),
		query:       gap(a.query, b.query),
	}
}

func (d distance) compare(o distance) int {
	return cmp.Or(
		cmp.Compare(d.otherPath, o.otherPath),
		cmp.Compare(d.otherHost, o.otherHost),
		cmp.Compare(d.path, o.path),
		cmp.Compare(d.otherMethod, o.otherMethod),
		cmp.Compare(d.query, o.query),
	)
}

func differ(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// gap counts the characters between what two strings begin with and what they end with alike. It is linear where an edit
// distance is not, and pages that differ do so in one place mostly.
func gap(a, b string) int {
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return len(a) + len(b)
}

func methodOf(req *http.Request) string {
	if req.Method == "" {
		return http.MethodGet
	}
	return strings.ToUpper(req.Method)
}
