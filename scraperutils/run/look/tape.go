package look

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
	"github.com/multiscraper/multiscraper/scraperutils/web/cassette"
	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
)

// Tape is what was exchanged with a site, in order.
type Tape struct {
	exchanges []Exchange
	truncated bool
	missing   int
}

// Exchange is a request and what came of it.
type Exchange struct {
	Number     int    // from 1
	Method     string // upper case
	URL        *url.URL
	Status     int    // 0: there was no answer
	Location   string // where it redirects to, or ""
	Type       string // media type, or ""
	Superseded bool   // the page was asked for again
	Failure    string // why there was no answer, or ""

	page *agent.Page
	err  error // why there is no page
}

// NewTape decodes a recording. Pages belong to the session of a; clicks on them go where it goes.
func NewTape(ctx context.Context, c *cassette.Cassette, a *agent.Agent) *Tape {
	t := &Tape{truncated: c.Truncated, missing: c.Missing}
	failed := 0
	failuresUpTo := func(n int) {
		for ; failed < len(c.Failures) && c.Failures[failed].After <= n; failed++ {
			f := c.Failures[failed]
			t.add(Exchange{Method: f.Request.Method, URL: shownURL(f.Request.URL), Failure: f.Message, err: errors.New(f.Message)})
		}
	}
	for n, i := range c.Interactions {
		failuresUpTo(n)
		e := Exchange{Method: i.Request.Method, URL: shownURL(i.Request.URL), Status: i.Response.Status, Superseded: i.Superseded}
		e.Type, _, _ = strings.Cut(i.Response.Header.Get("Content-Type"), ";")
		if i.Response.Status/100 == 3 {
			e.Location = scraperutils.ShownLink(i.Response.Header.Get("Location"))
		}
		e.page, e.err = read(ctx, i, a)
		t.add(e)
	}
	failuresUpTo(len(c.Interactions))
	return t
}

func (t *Tape) add(e Exchange) {
	e.Number = len(t.exchanges) + 1
	t.exchanges = append(t.exchanges, e)
}

// shownURL reads a recorded URL without its user information. What is none stands for itself.
func shownURL(raw string) *url.URL {
	u, err := url.Parse(raw)
	if err != nil {
		return &url.URL{Opaque: scraperutils.ShownLink(raw)}
	}
	u.User = nil
	return u
}

// read decodes an answer as a scraper's client does: by playing it to one.
func read(ctx context.Context, i cassette.Interaction, a *agent.Agent) (*agent.Page, error) {
	i.Superseded = false // it is wanted by itself
	u, err := url.Parse(i.Request.URL)
	if err != nil {
		return nil, err
	}
	alone := &cassette.Cassette{Interactions: []cassette.Interaction{i}}
	client := fetch.New(fetch.Config{Transport: alone.Player()})
	response, err := client.Do(ctx, &scraperutils.Request{Method: i.Request.Method, URL: u, KeepRedirect: true, AnyType: true})
	if err != nil {
		return nil, err
	}
	return a.Page(response)
}

// Exchanges returns all exchanges, in order.
func (t *Tape) Exchanges() []Exchange { return t.exchanges }

// Missing returns how many exchanges the recorder had no room for. It reports whether anything is missing at all, bodies included.
func (t *Tape) Missing() (exchanges int, truncated bool) { return t.missing, t.truncated }

// Page returns the page of an exchange, or why there is none.
func (e Exchange) Page() (*agent.Page, error) {
	if e.err != nil {
		return nil, fmt.Errorf("page %d (%s %s): %w", e.Number, e.Method, e.URL, e.err)
	}
	return e.page, nil
}

// IsPage reports whether the exchange brought a page that can be looked at: no redirect, robots.txt or empty answer.
func (e Exchange) IsPage() bool {
	return e.err == nil && e.Location == "" && e.URL.Path != "/robots.txt" && strings.TrimSpace(e.page.Text) != ""
}

// Last returns the exchange that matters most: the last one that brought a page. It reports whether there is one.
func (t *Tape) Last() (Exchange, bool) {
	for n := len(t.exchanges) - 1; n >= 0; n-- {
		if t.exchanges[n].IsPage() {
			return t.exchanges[n], true
		}
	}
	return Exchange{}, false
}

// Number returns an exchange by its number, from 1.
func (t *Tape) Number(n int) (Exchange, error) {
	if n < 1 || n > len(t.exchanges) {
		return Exchange{}, fmt.Errorf("there is no page %d: the recording has %s", n, scraperutils.Count(len(t.exchanges), "exchange"))
	}
	return t.exchanges[n-1], nil
}
