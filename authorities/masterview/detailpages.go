package masterview

import (
	"context"
	"errors"
	"fmt"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// detailPages are the detail pages of one list, one after the other. What is wrong with a single one costs its application alone.
type detailPages struct {
	refused bool // the one before was
}

// read reads an application's page as it was fetched. Where the application is left out there are no fields, and no error.
func (d *detailPages) read(ctx context.Context, v *site.Visit, reference string, page *agent.Page, err error) (fields, error) {
	// There are applications that a council shows to nobody. But a site that refuses two pages in a row keeps crawlers out, and is
	// not asked for the rest.
	again := d.refused
	d.refused = refuses(err)
	var f fields
	if err != nil {
		err = fmt.Errorf("fetch it: %w", err)
	} else {
		f, err = readDetail(page)
	}
	switch {
	case d.refused && !again, concernsOne(err):
		v.Skip(ctx, reference, err.Error())
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("detail of %s: %w", reference, err)
	}
	return f, nil
}

// refuses tells an answer that says no, 403 for one.
func refuses(err error) bool {
	var blocked *agent.BlockedError
	return errors.As(err, &blocked)
}

// concernsOne reports whether a failed page says nothing about the others.
func concernsOne(err error) bool {
	var (
		status *scraperutils.StatusError
		server *ServerError
		hidden *notAvailable
	)
	return errors.As(err, &status) || errors.As(err, &server) || errors.As(err, &hidden)
}
