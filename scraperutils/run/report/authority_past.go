package report

import (
	"fmt"
	"slices"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/history"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// pastOf is the runs of an authority, oldest first: those of the overview, of which more is known, and those of its history that are older.
func (o *Overview) pastOf(a *Authority, past *history.Past) []PastRun {
	if past == nil {
		return a.Past
	}
	known := map[string]bool{}
	for _, p := range a.Past {
		known[p.Run] = true
	}
	t := o.Terms.withDefaults()
	var all []PastRun
	for _, r := range past.Results {
		if p := t.pastRun(r); !known[p.Run] && (len(a.Past) == 0 || p.Run < a.Past[0].Run) {
			all = append(all, p)
		}
	}
	return append(all, a.Past...)
}

// authorityCharts draws the records and the time of each run.
func authorityCharts(past []PastRun, l Links) (all []*chart) {
	if len(past) < 2 {
		return nil
	}
	first, last := past[0].Day, past[len(past)-1].Day
	for _, f := range []struct {
		name string
		of   func(PastRun) float64
		text func(float64) string
	}{
		{"Records", func(p PastRun) float64 { return float64(p.Records) }, countText},
		{"Time", func(p PastRun) float64 { return p.Seconds }, tookText},
	} {
		var points []point
		for _, p := range past {
			points = append(points, point{f.of(p), p.Verdict, fmt.Sprintf("%s: %s", p.Day, p.Verdict), l.run(p.Run)})
		}
		all = append(all, chartOf(f.name, points, first, last, f.text))
	}
	return all
}

// fieldsOf draws how full the fields were in each run that gave records: those that were fullest first.
func fieldsOf(past *history.Past, l Links) (all []small) {
	if past == nil {
		return nil
	}
	given := slices.DeleteFunc(slices.Clone(past.Given), func(g runlog.Given) bool { return g.Yield.Records == 0 })
	if len(given) < 2 {
		return nil
	}
	shares := map[string][]float64{}
	for i, g := range given {
		for _, f := range g.Yield.Filling() {
			if shares[f.Field] == nil {
				shares[f.Field] = make([]float64, len(given))
			}
			shares[f.Field][i] = f.Share
		}
	}
	for name, each := range shares {
		all = append(all, fieldOf(name, each, given, l))
	}
	slices.SortFunc(all, func(a, b small) int { return compareNames(a, b) })
	return all
}

// compareNames orders rows by name.
func compareNames(a, b small) int {
	if a.Name < b.Name {
		return -1
	}
	return 1
}

func fieldOf(name string, shares []float64, given []runlog.Given, l Links) small {
	sorted := slices.Sorted(slices.Values(shares))
	usual := sorted[len(sorted)/2]
	points := make([]point, len(shares))
	for i, share := range shares {
		points[i] = point{share, runlog.OK, fmt.Sprintf("%s: %s", given[i].Run.ID(), scraperutils.Count(given[i].Yield.Records, "record")), l.run(given[i].Run.ID())}
		if share < usual/2 {
			points[i].Verdict = runlog.Partial
		}
	}
	filled := func(share float64) string { return "filled in " + shareText(share) }
	return smallOf(name, points, filled, shareText(shares[len(shares)-1]), shareText(usual), shareText(sorted[0]))
}
