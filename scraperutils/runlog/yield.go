package runlog

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// yieldTable has a row for each time that an authority was scraped to its end, for as long as its rhythm is learnt from.
const yieldTable = "authority_yield"

// yieldDays is how many days of an authority's past are looked at.
const yieldDays = 70

// Yield is what an authority gave in one run: what the next runs are compared with.
type Yield struct {
	Records int
	Filled  map[string]int // by field: how many records have something in it
	Mark    uint64         // of the references, whatever their order: another mark, other records

	seen map[uint64]bool // marks of the references
}

// Add counts a record, unless there was one of its reference: that takes the place of the other.
func (y *Yield) Add(r scraperutils.Record) {
	if y.Filled == nil {
		y.Filled, y.seen = map[string]int{}, map[uint64]bool{}
	}
	mark := markOf(r.Text("council_reference"))
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

// pastYield is a yield with when it was.
type pastYield struct {
	Yield
	day     time.Time // that the run was for
	at      time.Time // when the attempt began
	doubted bool
}

// record is the row of a yield.
func (y pastYield) record(authority string, source Source) (scraperutils.Record, error) {
	filled, err := json.Marshal(y.Filled)
	if err != nil {
		return nil, err
	}
	doubted := 0
	if y.doubted {
		doubted = 1
	}
	return scraperutils.Record{
		{Name: "authority_label", Value: authority},
		{Name: "run_at", Value: iso(y.at)},
		{Name: "day", Value: y.day.Format(time.DateOnly)},
		{Name: "source", Value: string(source)},
		{Name: "records", Value: y.Records},
		{Name: "filled", Value: string(filled)},
		{Name: "mark", Value: strconv.FormatUint(y.Mark, 16)},
		{Name: "doubted", Value: doubted},
	}, nil
}

// readYields returns what authorities gave in runs of a source before and on a day, oldest first.
func readYields(ctx context.Context, q Querier, source Source, today time.Time) (map[string][]pastYield, error) {
	all := map[string][]pastYield{}
	const query = "SELECT * FROM authority_yield WHERE source = ? AND day BETWEEN ? AND ?"
	from := today.AddDate(0, 0, -yieldDays)
	for r, err := range readTable(ctx, q, yieldTable, query, string(source), from.Format(time.DateOnly), today.Format(time.DateOnly)) {
		if err != nil {
			return nil, fmt.Errorf("read what authorities gave: %w", err)
		}
		y := pastYield{
			day: parseDate(r.Text("day")), at: parseTime(r.Text("run_at")), doubted: r.Text("doubted") == "1",
			Yield: Yield{Records: int(number(r, "records"))},
		}
		if err := json.Unmarshal([]byte(r.Text("filled")), &y.Filled); err != nil {
			return nil, fmt.Errorf("read what %s gave on %s: %w", r.Text("authority_label"), r.Text("day"), err)
		}
		if y.Mark, err = strconv.ParseUint(r.Text("mark"), 16, 64); err != nil {
			return nil, fmt.Errorf("read what %s gave on %s: %w", r.Text("authority_label"), r.Text("day"), err)
		}
		all[r.Text("authority_label")] = append(all[r.Text("authority_label")], y)
	}
	for _, past := range all {
		slices.SortFunc(past, func(a, b pastYield) int {
			if c := a.day.Compare(b.day); c != 0 {
				return c
			}
			return a.at.Compare(b.at)
		})
	}
	return all, nil
}
