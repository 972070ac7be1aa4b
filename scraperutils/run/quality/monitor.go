package quality

import (
	"fmt"
	"sync/atomic"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Limit says how many unprocessable records are borne: Base, and Percentage of the saved ones.
type Limit struct {
	Base       float64 // records
	Percentage float64 // 10 is a tenth
}

// DefaultLimit is 5.01 records and 10 percent.
func DefaultLimit() Limit { return Limit{Base: 5.01, Percentage: 10} }

// Of returns how many unprocessable records are borne after so many saved ones.
func (l Limit) Of(saved int) float64 { return l.Base + l.Percentage*float64(saved)/100 }

// Monitor counts the records of one site in one attempt. That site's scraper counts, one
// record at a time; anybody may read the counts meanwhile.
type Monitor struct {
	site  string
	limit Limit

	// Changed by Saved and Unprocessable alone.
	saved         atomic.Int64
	unprocessable atomic.Int64
}

// New returns the Monitor of a site of which nothing is known yet.
func New(site string, limit Limit) *Monitor {
	return &Monitor{site: site, limit: limit}
}

// Saved counts a record that was saved.
func (m *Monitor) Saved() { m.saved.Add(1) }

// Unprocessable counts a record that can't be used. Its error is a *scraperutils.UnprocessableSite: these are too many.
func (m *Monitor) Unprocessable() error {
	m.unprocessable.Add(1)
	saved, unprocessable := m.Counts()
	if float64(unprocessable) <= m.limit.Of(saved) {
		return nil
	}
	return &scraperutils.UnprocessableSite{Reason: fmt.Sprintf(
		"Too many unprocessable_records for %s: saved %d, unprocessable %d - aborting processing of site!",
		m.site, saved, unprocessable)}
}

// Counts returns how many records were saved and how many could not be used.
func (m *Monitor) Counts() (saved, unprocessable int) {
	return int(m.saved.Load()), int(m.unprocessable.Load())
}
