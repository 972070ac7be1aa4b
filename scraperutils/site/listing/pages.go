package listing

import (
	"context"
	"fmt"
	"iter"
	"net/url"

	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// Next asks for the page that follows the one at which a walk stands. No page and no error: it was the last.
type Next func(ctx context.Context, at *At) (*agent.Page, error)

// At is where a walk stands.
type At struct {
	Page   *agent.Page
	Number int // of Page; 1 is the first
	Rows   int // so far, those of Page included; 0 where neither EachRow nor EachItem says what a row is

	counted bool // Rows is known
	first   *url.URL
	asked   map[string]bool // what Get was given
}

// Get follows a link of the page. One that this walk followed before, and the page itself, are the end of the walk: no page and no
// error.
func (at *At) Get(ctx context.Context, href string, options ...agent.RequestOption) (*agent.Page, error) {
	u, err := at.Page.Resolve(href)
	if err != nil {
		return nil, err
	}
	u.Fragment = ""
	if at.asked[u.String()] {
		return nil, nil
	}
	at.asked[u.String()] = true
	return at.Page.Get(ctx, href, options...)
}

// Option changes a walk.
type Option func(*walk)

// EachRow says what a row is, as a CSS selector. A page is one that was there before where its rows are, whatever else it says, and a
// page without rows is none.
func EachRow(selector string) Option {
	return func(w *walk) { w.rows = func(p *agent.Page) ([]string, error) { return rowTexts(p, selector) } }
}

// EachItem says where the rows of a JSON page are: the list in a field, such as items or data.items.
func EachItem(field string) Option {
	return func(w *walk) { w.rows = func(p *agent.Page) ([]string, error) { return itemTexts(p, field) } }
}

// AtMost sets how many pages a list may have, instead of 1,000. More are an *agent.EndlessError: who wants only the first ones leaves
// the loop.
func AtMost(pages int) Option { return func(w *walk) { w.seen.MaxPages = pages } }

// Pages fetches a list from its first page on, page by page: the next is asked for when the loop comes back. An error ends the walk, and
// says which page it was about.
func Pages(ctx context.Context, a *agent.Agent, first string, next Next, options ...Option) iter.Seq2[*agent.Page, error] {
	return func(yield func(*agent.Page, error) bool) {
		page, err := a.Get(ctx, first)
		if err != nil {
			yield(nil, fmt.Errorf("page 1 of the list: %w", err))
			return
		}
		newWalk(options).from(ctx, page, next, yield)
	}
}

// From is Pages for a list whose first page is there, such as the answer to a form.
func From(ctx context.Context, first *agent.Page, next Next, options ...Option) iter.Seq2[*agent.Page, error] {
	return func(yield func(*agent.Page, error) bool) { newWalk(options).from(ctx, first, next, yield) }
}

// walk is one way through a list.
type walk struct {
	rows func(*agent.Page) ([]string, error) // nil: nobody says what a row is
	seen agent.Listing
}

func newWalk(options []Option) *walk {
	w := &walk{}
	for _, option := range options {
		option(w)
	}
	return w
}

func (w *walk) from(ctx context.Context, page *agent.Page, next Next, yield func(*agent.Page, error) bool) {
	at := &At{Number: 1, counted: w.rows != nil, first: page.URL, asked: map[string]bool{page.URL.String(): true}}
	for {
		more, err := w.isNew(page, at)
		if err != nil {
			yield(nil, fmt.Errorf("page %d of the list: %w", at.Number, err))
			return
		}
		if !more || !yield(page, nil) {
			return
		}
		at.Page = page
		if page, err = next(ctx, at); err != nil {
			yield(nil, fmt.Errorf("page %d of the list: %w", at.Number+1, err))
			return
		}
		if page == nil {
			return
		}
		at.Number++
	}
}

// isNew reports whether a page is one of the list that was not there before. The first is, rows or not: the caller decides on it.
func (w *walk) isNew(page *agent.Page, at *At) (bool, error) {
	says := page.Text
	if w.rows != nil {
		rows, err := w.rows(page)
		if err != nil {
			return false, err
		}
		if len(rows) == 0 && at.Number > 1 {
			return false, nil
		}
		at.Rows += len(rows)
		says = fmt.Sprintf("%q", rows) // with what parts one from the next
	}
	seen, err := w.seen.Seen(says)
	return !seen, err
}
