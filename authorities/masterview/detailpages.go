package masterview

import (
	"context"
	"errors"
	"fmt"

	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/agent"
)

// detailPages are the detail pages of one list, one after the other. What is wrong with a single one costs its application alone.
type detailPages struct {
	refused bool // the one before was
}

// read reads an application's page as it was fetched. Where the application is left out there is no page, and no error.
func (d *detailPages) read(ctx context.Context, v *register.Visit, reference string, page *agent.Page, err error) (*agent.Page, fields, error) {
	page, f, err := readDetail(page, err)
	switch {
	case d.concernsOne(err):
		v.Skip(ctx, reference, err.Error())
		return nil, nil, nil
	case err != nil:
		return nil, nil, fmt.Errorf("detail of %s: %w", reference, err)
	}
	return page, f, nil
}

// concernsOne tells whether a failed page says nothing about the others. There are applications that a council shows to nobody. But
// a site that refuses two pages in a row keeps crawlers out, and is not asked for the rest.
func (d *detailPages) concernsOne(err error) bool {
	var (
		status  *scraperutils.StatusError
		server  *ServerError
		hidden  *notAvailable
		blocked *agent.BlockedError
	)
	before := d.refused
	d.refused = errors.As(err, &blocked) && blocked.Status/100 != 2
	return d.refused && !before || errors.As(err, &status) || errors.As(err, &server) || errors.As(err, &hidden)
}
