package validate

import (
	"context"
	"net/http"
	"slices"
	"strings"
)

// Page is what an info_url answered, whatever its status.
type Page struct {
	Status int
	Body   string
}

// Fetch gets a page and follows redirects; one that is not followed is a page with its status. An error is a page that did
// not come.
type Fetch func(ctx context.Context, url string) (Page, error)

// botProtected reports whether a page looks like one that keeps programs out: it is refused (403, 429), or asks for a human.
func (p Page) botProtected() bool {
	if p.refused() {
		return true
	}
	body := strings.ToLower(p.Body)
	return slices.ContainsFunc(botWords, func(word string) bool { return strings.Contains(body, word) })
}

func (p Page) refused() bool {
	return p.Status == http.StatusForbidden || p.Status == http.StatusTooManyRequests
}

func (p Page) successful() bool { return p.Status >= 200 && p.Status <= 299 }
