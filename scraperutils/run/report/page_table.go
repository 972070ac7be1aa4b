package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// row is an authority in the table.
type row struct {
	Label       string
	Page        string // its own, or ""
	Platform    string
	Verdict     runlog.Verdict
	Rank        int // sorts by verdict
	Class       scraperutils.Class
	InRun       bool // else its figures are of no run and stay empty
	Records     int
	Rejected    int
	Requests    int
	Seconds     float64
	Took        string
	Attempts    int
	LastRecords string
	Strip       string // the cells in words
	Cells       []cell
}

// cell is a day in the strip of an authority.
type cell struct {
	Verdict runlog.Verdict // "none": it did not run
	Height  int            // of its records, in tenths of the best day's
	Title   string
}

func rows(o *Overview, l Links) []row {
	cutShort := o.cutShort()
	all := make([]row, len(o.Authorities))
	for i := range o.Authorities {
		a := &o.Authorities[i]
		r := row{
			Label: a.Label, Page: l.authority(a.Label), Platform: a.Platform, Verdict: verdictOf(a, cutShort), InRun: a.InRun,
			Records: a.Records, Rejected: a.Rejected, Requests: a.Requests,
			Seconds: a.Seconds, Took: short(seconds(a.Seconds)), Attempts: a.Attempts,
			LastRecords: a.LastRecords,
		}
		r.Rank = slices.Index(shownVerdicts[:], r.Verdict)
		if r.Verdict != unfinished {
			r.Class = a.Class
		}
		r.Cells, r.Strip = strip(a.Days, o.Days)
		all[i] = r
	}
	return all
}

// choice is what the table can be filtered by.
type choice struct {
	ID, Name string
	Values   []string // that some row has
}

// choices is what the rows differ in.
func choices(rows []row) []choice {
	all := []choice{{ID: "verdict", Name: "Verdict"}, {ID: "class", Name: "Class"}, {ID: "platform", Name: "Platform"}}
	for _, r := range rows {
		for i, value := range []string{string(r.Verdict), string(r.Class), r.Platform} {
			if value != "" && !slices.Contains(all[i].Values, value) {
				all[i].Values = append(all[i].Values, value)
			}
		}
	}
	for _, c := range all {
		slices.Sort(c.Values)
	}
	return slices.DeleteFunc(all, func(c choice) bool { return len(c.Values) == 0 })
}

// strip makes a cell of each day.
func strip(history []Day, days []string) ([]cell, string) {
	best, counts := 0, map[runlog.Verdict]int{}
	for _, d := range history {
		best = max(best, d.Records)
	}
	cells := make([]cell, 0, len(days))
	for i, date := range days {
		c := cell{Verdict: "none", Title: date + ": did not run"}
		if i < len(history) && history[i].Verdict != "" {
			d := history[i]
			c = cell{d.Verdict, tenths(d.Records, best), fmt.Sprintf("%s: %s, %s", date, d.Verdict, scraperutils.Count(d.Records, "record"))}
		}
		counts[c.Verdict]++
		cells = append(cells, c)
	}
	var words []string
	for _, v := range slices.Backward(shownVerdicts[:]) {
		if counts[v] > 0 {
			words = append(words, fmt.Sprintf("%d %s", counts[v], v))
		}
	}
	if counts["none"] > 0 {
		words = append(words, fmt.Sprintf("%d did not run", counts["none"]))
	}
	return cells, fmt.Sprintf("%s: %s", scraperutils.Count(len(days), "day"), strings.Join(words, ", "))
}

// tenths is n of best, and never 0 where there is something.
func tenths(n, best int) int {
	if n <= 0 || best <= 0 {
		return 0
	}
	return max(1, int(math.Round(10*float64(n)/float64(best))))
}
