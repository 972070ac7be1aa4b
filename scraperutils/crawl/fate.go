package crawl

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
)

// Outcome is the outcome of one try of a URL.
type Outcome struct {
	Item     Item
	Host     scraperutils.Host
	Response *scraperutils.Response // may be set together with Err
	Err      error
	Ended    time.Time
}

// Fate says what happens to a URL after a try.
type Fate struct {
	State  State
	Due    time.Time // when to try it again, if it is to be tried again
	Reason string    // why it failed or is tried again: one word first
	Tried  bool      // it was requested; otherwise the URL stays as it is

	Store     bool   // the answer is a wanted page
	Unchanged bool   // the page has not changed
	Moved     *Entry // where a redirect leads
	Rest      bool   // the host can't be reached: its other URLs wait
	Level     int    // the new recrawl level
	Again     bool   // its tries are reset: it has all of them again
}

// These words say why a fetch did not read an answer to its end. The errors of a client return them from a method Unwanted.
const (
	NotText   = "not-text"
	Empty     = "empty"
	Oversized = "oversized"
)

// unwanted is an error of an answer that nobody needs to see whole.
type unwanted interface{ Unwanted() string }

// Fate decides what happens to a URL. It depends on its arguments alone.
func (r Rules) Fate(o Outcome) Fate {
	r = r.withDefaults()
	f := r.decide(o)
	if r.Recrawl {
		f = r.planned(o, f)
	}
	return f
}

func (r Rules) decide(o Outcome) Fate {
	switch {
	case o.Err != nil:
		return r.unread(o)
	case retried(o.Response.Status):
		return r.later(o)
	default:
		return r.answered(o)
	}
}

// unread is the fate of a try without a whole answer.
func (r Rules) unread(o Outcome) Fate {
	var (
		down *pace.DownError
		bad  unwanted
	)
	switch {
	case errors.As(o.Err, &down):
		return Fate{Rest: true, Reason: string(scraperutils.ClassOf(o.Err))} // it was not asked
	case scraperutils.ClassOf(o.Err) == scraperutils.ClassRobots:
		return failed("robots", nil)
	case errors.As(o.Err, &bad):
		return failed(bad.Unwanted(), o.Err)
	case o.Response != nil && retried(o.Response.Status):
		return r.later(o)
	}
	f := r.again(o, string(scraperutils.ClassOf(o.Err)))
	f.Rest = scraperutils.Unreached(o.Err)
	return f
}

// later is the fate of an answer that may be another one later.
func (r Rules) later(o Outcome) Fate { return r.again(o, fmt.Sprintf("http-%d", o.Response.Status)) }

// answered is the fate of a whole answer.
func (r Rules) answered(o Outcome) Fate {
	a := o.Response
	switch {
	case a.Status == http.StatusNotModified:
		return Fate{State: StateDone, Tried: true, Store: !o.Item.Sitemap, Unchanged: true}
	case a.Status/100 == 3 && a.Header.Get("Location") != "":
		return r.moved(o)
	case a.Status/100 != 2:
		return failed(fmt.Sprintf("http-%d", a.Status), nil)
	case !o.Item.Sitemap && !r.Wants(a.Header):
		return failed(NotText, errors.New(mediaType(a.Header)))
	case len(a.Body) == 0:
		return failed(Empty, nil)
	}
	return Fate{State: StateDone, Tried: true, Store: !o.Item.Sitemap, Unchanged: matches(o.Item.Digest, a.Body)}
}

// moved is the fate of a redirect: done, and what it leads to is in the line of its own host.
func (r Rules) moved(o Outcome) Fate {
	redirects := max(o.Item.Redirects, o.Response.Redirects) + 1
	if redirects > r.MaxRedirects {
		return failed("redirects", fmt.Errorf("more than %d", r.MaxRedirects))
	}
	location := o.Response.Header.Get("Location")
	base, err := r.Form.Parse(withoutUser(o.Response.URL))
	if err != nil {
		return failed("redirect", err)
	}
	target, err := r.Form.Resolve(base, location)
	if err != nil {
		return failed("redirect", err)
	}
	return Fate{State: StateDone, Tried: true, Reason: "moved: to " + target.String(), Unchanged: matches(o.Item.Digest, []byte(target.String())), Moved: &Entry{
		Host: target.Host(), URL: target.String(), Priority: o.Item.Priority, Depth: o.Item.Depth,
		Via: o.Item.URL, Redirects: redirects, ID: o.Item.ID,
	}}
}

func withoutUser(u *url.URL) string {
	plain := *u
	plain.User = nil
	return plain.String()
}

// again has a URL tried once more, unless it had all its tries. A Retry-After counts where it is later.
func (r Rules) again(o Outcome, word string) Fate {
	attempts := o.Item.Attempts + 1
	reason := word
	if o.Err != nil {
		reason += ": " + o.Err.Error()
	}
	if attempts > max(r.Retries, 0) {
		return Fate{State: StateFailed, Reason: reason, Tried: true}
	}
	due := r.retryAt(o.Ended, attempts)
	if o.Response != nil {
		if wait, ok := pace.RetryAfter(o.Response.Header.Get("Retry-After"), o.Ended); ok && o.Ended.Add(wait).After(due) {
			due = o.Ended.Add(wait)
		}
	}
	return Fate{State: StateRetry, Due: due, Reason: reason, Tried: true}
}

// unhandled is the fate of a page that nobody could handle.
func (r Rules) unhandled(o Outcome) Fate {
	r = r.withDefaults()
	f := r.again(o, "handler")
	if r.Recrawl {
		f = r.planned(o, f)
	}
	return f
}

func failed(word string, why error) Fate {
	if why != nil {
		word += ": " + strings.TrimPrefix(why.Error(), word+": ")
	}
	return Fate{State: StateFailed, Reason: word, Tried: true}
}

// retriedStatuses are answers that may be others later.
var retriedStatuses = []int{408, 429, 500, 502, 503, 504, 522, 524}

func retried(status int) bool { return slices.Contains(retriedStatuses, status) }

// request is the request of a visit. What was there at the last visit is asked for only if it is another one now.
func (i *Item) request(follow bool) (*scraperutils.Request, error) {
	u, err := url.Parse(i.URL)
	if err != nil {
		return nil, notURL{err}
	}
	header := http.Header{}
	if i.ETag != "" {
		header.Set("If-None-Match", i.ETag)
	}
	if i.Modified != "" {
		header.Set("If-Modified-Since", i.Modified)
	}
	r := &scraperutils.Request{Method: http.MethodGet, URL: u, Header: header, KeepRedirect: !follow, Redirects: i.Redirects}
	if i.Sitemap {
		r.AnyType, r.MaxBody = true, maxSitemap
	}
	return r, nil
}

// maxSitemap is how large a sitemap may be (sitemaps.org).
const maxSitemap = 50 << 20

// notURL is the fate of what should never have been added.
type notURL struct{ error }

func (notURL) Unwanted() string { return "not-url" }
