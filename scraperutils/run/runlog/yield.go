package runlog

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// yieldDays is how many days of an authority's past its rhythm is learnt from.
const yieldDays = 70

// Yield is what an authority gave in one run. Later runs are compared with it.
type Yield struct {
	Records int
	Filled  map[string]int // by field: how many records have something in it
	Mark    uint64         // of the references, whatever their order: another mark, other records

	seen map[uint64]bool // marks of the references
}

// Add counts a record by its reference, which tells it from the others of its site. A record with a known reference replaces the
// earlier one.
func (y *Yield) Add(reference string, r scraperutils.Record) {
	if y.Filled == nil {
		y.Filled, y.seen = map[string]int{}, map[uint64]bool{}
	}
	mark := markOf(reference)
	if y.seen[mark] {
		return
	}
	y.seen[mark] = true
	y.Mark += mark
	y.Records++
	for _, f := range r {
		if !scraperutils.Blank(r.Text(f.Name)) {
			y.Filled[f.Name]++
		}
	}
}

// markOf is FNV-1a, spread so that sums of marks differ where references do.
func markOf(reference string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(reference) {
		h = (h ^ uint64(reference[i])) * 1099511628211
	}
	h ^= h >> 32
	h *= 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// pastYield is a yield with whose it was, and when.
type pastYield struct {
	Yield
	authority string
	source    Source
	day       time.Time // that the run was for
	at        time.Time // when the attempt began
	doubted   bool
}

// readYields returns what authorities gave in runs of a source before and on a day, oldest first.
func readYields(ctx context.Context, q Querier, source Source, today time.Time) (map[string][]pastYield, error) {
	all := map[string][]pastYield{}
	from := today.AddDate(0, 0, -yieldDays)
	for y, err := range yieldTable.read(ctx, q, "WHERE source = ? AND day BETWEEN ? AND ?", string(source), from.Format(time.DateOnly), today.Format(time.DateOnly)) {
		if err != nil {
			return nil, fmt.Errorf("read what authorities gave: %w", err)
		}
		all[y.authority] = append(all[y.authority], y)
	}
	for _, past := range all {
		slices.SortFunc(past, func(a, b pastYield) int { return cmp.Or(a.day.Compare(b.day), a.at.Compare(b.at)) })
	}
	return all, nil
}

// Given is what an authority gave in a run that ended well.
type Given struct {
	Authority string
	Run       Run
	Yield     Yield
}

// ReadGiven returns what an authority gave in each run, oldest first, or what all of them gave for "". runs come from ReadRuns. Of the
// attempts of a run the last one counts.
func ReadGiven(ctx context.Context, q Querier, runs []Run, s Span, label string) ([]Given, error) {
	last := map[string]int{} // by authority, its latest in all
	var all []Given
	clause, args := s.clause("run_at", label)
	for y, err := range yieldTable.read(ctx, q, clause+" ORDER BY strftime('%s', run_at)", args...) {
		if err != nil {
			return nil, fmt.Errorf("read what authorities gave: %w", err)
		}
		run, known := runOf(runs, y.at)
		if !known || !s.holds(run.At) || y.source != run.kind() {
			continue
		}
		g := Given{y.authority, run, y.Yield}
		if i, again := last[y.authority]; again && all[i].Run.At.Equal(run.At) {
			all[i] = g
			continue
		}
		last[y.authority] = len(all)
		all = append(all, g)
	}
	return all, nil
}
