package agent

import (
	"fmt"
	"hash/maphash"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// maxPages is how many pages a listing may have.
const maxPages = 1000

// Listing keeps a walk over the pages of a list from going on for ever. The zero value is ready.
type Listing struct {
	seed maphash.Seed
	seen map[uint64]bool
	n    int
}

// Seen takes what the rows of the next page say and reports whether the listing had that page before, which ends it. More
// than maxPages pages are an error.
func (l *Listing) Seen(rows string) (bool, error) {
	if l.seen == nil {
		l.seed, l.seen = maphash.MakeSeed(), map[uint64]bool{}
	}
	sum := maphash.String(l.seed, rows)
	if l.seen[sum] {
		return true, nil
	}
	l.seen[sum] = true
	if l.n++; l.n > maxPages {
		return true, &EndlessError{Pages: maxPages}
	}
	return false, nil
}

// EndlessError reports a listing with more pages than any site has.
type EndlessError struct{ Pages int }

func (e *EndlessError) Error() string { return fmt.Sprintf("the list has more than %d pages", e.Pages) }

// Class is ClassLayout.
func (e *EndlessError) Class() scraperutils.Class { return scraperutils.ClassLayout }
