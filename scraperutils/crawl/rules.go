package crawl

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/crawl/urls"
)

// Rules decide what happens after a fetch. The zero value is for a queue that ends: it allows three more tries, the first of them after a
// minute.
type Rules struct {
	Retries    int           // tries after the first; 0 is 3, or 12 with Keep; negative means none
	RetryAfter time.Duration // time before the second try; 0 is a minute, or an hour with Keep
	Keep       bool          // for a queue that never ends: tries are RetryAfter apart; otherwise the time doubles with each try
	Down       time.Duration // how long an unreachable host rests; 0 is 10 minutes

	// Accept lists the wanted media types, such as text/* or application/xml. An empty list is DefaultAccept.
	Accept []string
	// Follow makes a request follow redirects on the same host in its own turn. Otherwise the target of a redirect is a URL like any
	// other.
	Follow       bool
	MaxRedirects int // in one visit; 0 is 30

	Form urls.Form // the canonical form of found URLs

	// Recrawl visits pages again: a day after the first visit, then later each time that the page has not changed, and earlier each time
	// that it has.
	Recrawl bool
	Every   time.Duration // a fixed pause between two visits instead, whether the page changes or not; 0: as above
}

// DefaultAccept lists the media types of text that pages have.
var DefaultAccept = []string{"text/*", "application/xhtml+xml", "application/xml", "application/vnd.wap.xhtml+xml"}

func (r Rules) withDefaults() Rules {
	if r.Retries == 0 {
		r.Retries = 3
		if r.Keep {
			r.Retries = 12
		}
	}
	if r.RetryAfter == 0 {
		r.RetryAfter = time.Minute
		if r.Keep {
			r.RetryAfter = time.Hour
		}
	}
	if r.Down == 0 {
		r.Down = 10 * time.Minute
	}
	if r.MaxRedirects == 0 {
		r.MaxRedirects = 30
	}
	if len(r.Accept) == 0 {
		r.Accept = DefaultAccept
	}
	return r
}

// Wants reports whether an answer's type is wanted. An answer without a type is wanted.
func (r Rules) Wants(header http.Header) bool {
	t := mediaType(header)
	return t == "" || slices.ContainsFunc(r.withDefaults().Accept, func(pattern string) bool {
		prefix, any := strings.CutSuffix(pattern, "*")
		return any && strings.HasPrefix(t, prefix) || t == pattern
	})
}

// mediaType is that of an answer, in lower case; "" where it says none.
func mediaType(header http.Header) string {
	t, _, _ := strings.Cut(header.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(t))
}

// GivesUp reports whether to give up a host that could not be reached downs times in a row, with everything that waits for it. It does so
// when the host was down for as long as the tries of one of its URLs would have taken, and at least as often.
func (r Rules) GivesUp(downs int) bool {
	r = r.withDefaults()
	retries := max(r.Retries, 0)
	var patience time.Duration
	for n := 1; n <= retries; n++ {
		patience += r.retryAt(time.Time{}, n).Sub(time.Time{})
	}
	return downs > retries && time.Duration(downs-1)*r.Down >= patience
}

// retryAt is when the next try comes after some have been made.
func (r Rules) retryAt(now time.Time, attempts int) time.Time {
	pause := r.RetryAfter
	if !r.Keep {
		pause <<= min(attempts-1, 16)
	}
	return now.Add(pause)
}
