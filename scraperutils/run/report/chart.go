package report

import (
	"fmt"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// Sizes of a chart, in the units of its drawing.
const (
	chartHeight = 100
	barStep     = 20 // a bar is 16 wide
)

// chart is a bar for each run of an authority, oldest first. There is room for all runs that are kept; of fewer, the last stands at the
// right all the same.
type chart struct {
	Name  string
	Most  string // what the highest bar stands for
	First string // the day of the first bar
	Last  string
	Said  string // the chart in words
	Bars  []bar
}

// bar is one run. A bad run has a mark below the line, whatever it gave.
type bar struct {
	X, Y, Height int
	Verdict      runlog.Verdict
	Bad          bool
	Title        string
}

// chartOf draws a figure of each run, or nothing where there are fewer than two.
func chartOf(past []PastRun, name string, of func(PastRun) float64, text func(float64) string) *chart {
	if len(past) < 2 {
		return nil
	}
	most := 0.0
	for _, p := range past {
		most = max(most, of(p))
	}
	c := &chart{Name: name, Most: text(most), First: past[0].Day, Last: past[len(past)-1].Day}
	bad := 0
	for i, p := range past {
		height := 0
		if v := of(p); v > 0 && most > 0 {
			height = max(2, int(chartHeight*v/most))
		}
		b := bar{X: barStep * (keptPast - len(past) + i), Y: chartHeight - height, Height: height, Verdict: p.Verdict, Bad: p.Verdict.Bad()}
		b.Title = fmt.Sprintf("%s: %s, %s", p.Day, p.Verdict, text(of(p)))
		c.Bars = append(c.Bars, b)
		if b.Bad {
			bad++
		}
	}
	c.Said = fmt.Sprintf("%s of %s from %s to %s: the last %s, at most %s; %d bad", name, scraperutils.Count(len(past), "run"),
		c.First, c.Last, text(of(past[len(past)-1])), c.Most, bad)
	return c
}

func countText(n float64) string { return scraperutils.Count(int(n), "record") }
