package crawl

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/crawl/urls"
)

// Rules say what becomes of a fetch. The zero value is for a queue that ends: three more tries, a minute after the first.
type Rules struct {
	Retries    int           // tries after the first; 0 is 3, or 12 with Keep; below zero none
	RetryAfter time.Duration // before the second try; 0 is a minute, or an hour with Keep
	Keep       bool          // for a queue that never ends: tries come at RetryAfter; else the time doubles with each
	Down       time.Duration // how long a host rests that can't be reached; 0 is 10 minutes

	// Accept lists the media types that are wanted, such as text/* or application/xml. None is DefaultAccept.
	Accept []string
	// Follow has redirects on the same host followed in the turn of their request. Else what they lead to is a URL as any other.
	Follow       bool
	MaxRedirects int // of one visit; 0 is 30

	Form urls.Form // of URLs that are found

	// Recrawl has pages visited again: a day after the first visit, then later each time that they are as before, and earlier each time
	// that they are not.
	Recrawl bool
	Every   time.Duration // instead: the pause between two visits, whatever the page does; 0: as above
}

// DefaultAccept is text, in the forms that pages have.
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

// Wants reports whether an answer's type is wanted. An answer without a type is.
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

// GivesUp reports whether a host that could not be reached so many times in a row is given up, with all that waits for it: when it
// was down for as long as one of its URLs would have been tried, and at least as often.
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
