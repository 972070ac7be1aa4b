package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/history"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// WriteHistory writes the page of the runs of the last days. Like WritePage it writes nothing if the page can't be made.
func WriteHistory(w io.Writer, c Cover, h *history.History) error {
	c.MadeUp, c.Terms = h.MadeUp, c.Terms.withDefaults()
	v := &historyView{
		document: newDocument("The last 90 days", c, c.Links.History, ""),
		Terms:    c.Terms, Days: runlog.HistoryDays, Sentence: historySentence(h.Runs), Before: h.Before, Charts: historyCharts(h.Runs, c.Links, c.Terms),
		Classes:   failuresBy(h.Runs, c.Links, func(r history.Run) map[string]int { return r.Classes }),
		Platforms: failuresBy(h.Runs, c.Links, func(r history.Run) map[string]int { return r.Platforms }),
	}
	for _, r := range slices.Backward(h.Runs) {
		v.Runs = append(v.Runs, historyRowOf(r, c.Links, c.Terms))
	}
	return v.write(w, "history.html", v)
}

// historyView is what the template history.html shows.
type historyView struct {
	document
	Terms     Terms
	Days      int
	Sentence  string
	Before    int // runs that are not shown
	Charts    []*chart
	Classes   []small
	Platforms []small
	Runs      []historyRow // the latest first
}

// historyRow is a run in the table.
type historyRow struct {
	history.Run
	Page, Compare string // "": they are not there
	Day           string
	Verdict       runlog.Verdict // ok, or unfinished where it did not come to its end
	End           string
	Took          string
	Failures      string
	Where         string
}

func historyRowOf(r history.Run, l Links, t Terms) historyRow {
	return historyRow{
		Run: r, Page: l.run(r.Name), Compare: l.compare(r.Name), Day: t.dayOf(r.Run), Verdict: verdictOfRun(r), End: runEnd(r), Took: tookOf(r),
		Failures: counted(r.Classes), Where: counted(r.Platforms),
	}
}

// verdictOfRun is how a run stands in a chart.
func verdictOfRun(r history.Run) runlog.Verdict {
	if r.Early() {
		return unfinished
	}
	return runlog.OK
}

func runEnd(r history.Run) string {
	switch {
	case r.GoesOn:
		return "goes on"
	case r.Ended.IsZero():
		return "killed"
	case r.Cause != "":
		return "ended early: " + exitMeaning(r.ExitCode)
	}
	return fmt.Sprintf("exit code %d", r.ExitCode)
}

func tookOf(r history.Run) string {
	if r.Ended.IsZero() {
		return "–"
	}
	return tookText(r.Seconds)
}

// counted writes counts, the largest first.
func counted(counts map[string]int) string {
	var texts []string
	for _, name := range byCount(counts) {
		texts = append(texts, scraperutils.Digits(counts[name])+" "+name)
	}
	return strings.Join(texts, ", ")
}

// byCount is the names of counts, the largest first.
func byCount(counts map[string]int) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
}

func historySentence(runs []history.Run) string {
	killed, early, going := 0, 0, ""
	for _, r := range runs {
		switch {
		case r.GoesOn:
			going = ", and the last one goes on"
		case r.Ended.IsZero():
			killed++
		case r.Early():
			early++
		}
	}
	first, last := runs[0].At.Format("2 January 2006"), runs[len(runs)-1].At.Format("2 January 2006")
	text := fmt.Sprintf("%s from %s to %s", scraperutils.Count(len(runs), "run"), first, last)
	if first == last {
		text = fmt.Sprintf("%s on %s", scraperutils.Count(len(runs), "run"), first)
	}
	if early > 0 {
		text += fmt.Sprintf(", %s ended early", scraperutils.Digits(early))
	}
	if killed > 0 {
		text += fmt.Sprintf(", %s killed", scraperutils.Digits(killed))
	}
	return text + going + "."
}

// historyCharts draws a figure of each run.
func historyCharts(runs []history.Run, l Links, t Terms) (all []*chart) {
	for _, f := range []struct {
		name string
		of   func(history.Run) float64
		text func(float64) string
	}{
		{"Records", func(r history.Run) float64 { return float64(r.Records) }, countText},
		{"Requests", func(r history.Run) float64 { return float64(r.Requests) }, func(n float64) string { return scraperutils.Count(int(n), "request") }},
		{"Time", func(r history.Run) float64 { return r.Seconds }, tookText},
		{"Failures", func(r history.Run) float64 { return float64(r.Bad) }, func(n float64) string { return scraperutils.Count(int(n), "failure") }},
	} {
		points := pointsOf(runs, l, f.of)
		if c := chartOf(f.name, points, t.dayOf(runs[0].Run), t.dayOf(runs[len(runs)-1].Run), f.text); c != nil {
			c.Failures = f.name == "Failures"
			all = append(all, c)
		}
	}
	return all
}

func pointsOf(runs []history.Run, l Links, of func(history.Run) float64) (all []point) {
	for _, r := range runs {
		said := r.Name
		if r.Early() {
			said += " (" + runEnd(r) + ")"
		}
		all = append(all, point{Value: of(r), Verdict: verdictOfRun(r), Said: said, Page: l.run(r.Name)})
	}
	return all
}

// failuresBy draws the failures of each name, those with most of them first.
func failuresBy(runs []history.Run, l Links, of func(history.Run) map[string]int) (all []small) {
	sums, times := map[string]int{}, map[string]int{}
	for _, r := range runs {
		for name, n := range of(r) {
			sums[name] += n
			times[name]++
		}
	}
	for _, name := range byCount(sums) {
		points := pointsOf(runs, l, func(r history.Run) float64 { return float64(of(r)[name]) })
		for i := range points {
			points[i].Verdict = map[bool]runlog.Verdict{true: runlog.Failed, false: runlog.OK}[points[i].Value > 0]
		}
		all = append(all, smallOf(name, points, func(n float64) string { return scraperutils.Count(int(n), "failure") },
			scraperutils.Digits(sums[name]), scraperutils.Digits(times[name]), scraperutils.Digits(of(runs[len(runs)-1])[name])))
	}
	return all
}
