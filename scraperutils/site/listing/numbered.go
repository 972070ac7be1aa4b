package listing

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// Numbered finds the next page by its number, for which {page} stands in an address: /quotes?page={page}. It is relative to the first
// page. The list ends at a page without rows (of which EachRow or EachItem is told), at one that was there before, and at one that is
// not found.
func Numbered(template string) Next {
	return func(ctx context.Context, at *At) (*agent.Page, error) {
		return at.fill(ctx, template, "{page}", at.Number+1)
	}
}

// Offset is Numbered with the number of rows so far, for which {offset} stands: /quotes?start={offset}. It needs EachRow or EachItem.
func Offset(template string) Next {
	return func(ctx context.Context, at *At) (*agent.Page, error) {
		if !at.counted {
			return nil, errUncounted
		}
		return at.fill(ctx, template, "{offset}", at.Rows)
	}
}

// fill gets an address in which a number stands.
func (at *At) fill(ctx context.Context, template, name string, number int) (*agent.Page, error) {
	if !strings.Contains(template, name) {
		return nil, &scraperutils.ConfigError{Name: "address of the next page", Value: template, Accepted: "one with " + name}
	}
	u, err := at.first.Parse(strings.ReplaceAll(template, name, strconv.Itoa(number)))
	if err != nil {
		return nil, fmt.Errorf("address of the next page: %w", err)
	}
	page, err := at.Get(ctx, u.String())
	if isGone(err) {
		return nil, nil
	}
	return page, err
}

var errUncounted = errors.New("an offset is a number of rows: expected EachRow or EachItem to say what a row is")

// isGone reports whether an error says that there is no such page.
func isGone(err error) bool {
	var status *scraperutils.StatusError
	return errors.As(err, &status) && (status.Status == http.StatusNotFound || status.Status == http.StatusGone)
}
