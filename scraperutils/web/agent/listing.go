package agent

import (
	"cmp"
	"fmt"
	"hash/maphash"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// maxPages is how many pages a listing may have that sets no limit.
const maxPages = 1000

// Listing stops a walk over the pages of a list from going on forever. The zero value is ready to use.
type Listing struct {
	MaxPages int // 0: 1,000

	seed maphash.Seed
	seen map[uint64]bool
	n    int
}

// Seen takes the content of the next page's rows. It reports whether the listing has had that page before, which ends the listing. More
// than MaxPages pages are an *EndlessError.
func (l *Listing) Seen(rows string) (bool, error) {
	if l.seen == nil {
		l.seed, l.seen = maphash.MakeSeed(), map[uint64]bool{}
	}
	sum := maphash.String(l.seed, rows)
	if l.seen[sum] {
		return true, nil
	}
	l.seen[sum] = true
	if most := cmp.Or(l.MaxPages, maxPages); l.n >= most {
		return true, &EndlessError{Pages: most}
	}
	l.n++
	return false, nil
}

// EndlessError reports a listing with more pages than it may have.
type EndlessError struct{ Pages int }

func (e *EndlessError) Error() string { return fmt.Sprintf("the list has more than %d pages", e.Pages) }

// Class returns ClassLayout.
func (e *EndlessError) Class() scraperutils.Class { return scraperutils.ClassLayout }
