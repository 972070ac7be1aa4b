package report

import (
	"fmt"
	"slices"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// Sizes of a chart, in the units of its drawing.
const (
	chartHeight = 100 // of the highest bar; what is bad has a mark below the line
	smallHeight = 24
	barStep     = 20 // a bar is 16 wide
	leastBars   = 30 // that a chart has room for: fewer are not as wide as a page
)

// point is one run in a chart.
type point struct {
	Value   float64
	Verdict runlog.Verdict
	Said    string // of the run, before its value
	Page    string // of the run, or ""
}

// bar is one run as it is drawn. The shape of its mark says which verdict it has, as its colour does.
type bar struct {
	X, Y, Height int
	Verdict      runlog.Verdict
	Mark         bool // it is bad, whatever it gave
	Title        string
	Page         string
}

// chart is a bar for each run, oldest first; of fewer than there is room for, the last stands at the right all the same. A table beside it
// says the same to those who don't see it.
type chart struct {
	Name  string
	Said  string // the chart in words
	First string // the day of the first bar
	Last  string
	Empty float64 // percent of the width, before the first bar
	Width int
	Bars  []bar

	Failures bool // what it counts
}

// chartOf draws points, or nothing where there are fewer than two.
func chartOf(name string, points []point, first, last string, text func(float64) string) *chart {
	if len(points) < 2 {
		return nil
	}
	c := &chart{Name: name, First: first, Last: last}
	most, bad := 0.0, 0
	c.Bars, c.Width, most = bars(points, chartHeight, text)
	c.Empty = 100 * float64(c.Bars[0].X) / float64(c.Width)
	values := make([]float64, len(points))
	for i, p := range points {
		values[i] = p.Value
		if c.Bars[i].Mark {
			bad++
		}
	}
	slices.Sort(values)
	c.Said = fmt.Sprintf("%s: the last %s, the median %s, at most %s", scraperutils.Count(len(points), "run"),
		text(points[len(points)-1].Value), text(values[len(values)/2]), text(most))
	if bad > 0 {
		c.Said += fmt.Sprintf("; %s marked below the line", scraperutils.Digits(bad))
	}
	return c
}

// bars draws points, the highest as high as there is room.
func bars(points []point, height int, text func(float64) string) (all []bar, width int, most float64) {
	for _, p := range points {
		most = max(most, p.Value)
	}
	room := max(leastBars, len(points))
	for i, p := range points {
		h := 0
		if p.Value > 0 {
			h = max(2, int(float64(height)*p.Value/most))
		}
		if p.Verdict == runlog.Empty {
			h = max(h, 1) // it ran
		}
		all = append(all, bar{
			X: barStep * (room - len(points) + i), Y: height - h, Height: h, Verdict: p.Verdict, Page: p.Page,
			Mark:  p.Verdict.Bad() || p.Verdict == unfinished,
			Title: p.Said + ", " + text(p.Value),
		})
	}
	return all, barStep * room, most
}

// small is a row of a table with a small chart: a value of each run.
type small struct {
	Name  string
	Width int
	Bars  []bar
	Cells []string
}

// smallOf draws a value of each run. What is bad is seen even if there is nothing of it.
func smallOf(name string, points []point, text func(float64) string, cells ...string) small {
	s := small{Name: name, Cells: cells}
	s.Bars, s.Width, _ = bars(points, smallHeight, text)
	for i := range s.Bars {
		if b := &s.Bars[i]; b.Mark && b.Height == 0 { // there is no room for marks below the line
			b.Y, b.Height = smallHeight-3, 3
		}
	}
	s.Bars = slices.DeleteFunc(s.Bars, func(b bar) bool { return b.Height == 0 })
	return s
}

func countText(n float64) string { return scraperutils.Count(int(n), "record") }

func tookText(s float64) string { return short(seconds(s)) }
