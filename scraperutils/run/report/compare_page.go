package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/history"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// WriteComparison writes the page of two runs, or for nil that there are no two. Like WritePage it writes nothing if the page can't be made.
func WriteComparison(w io.Writer, c Cover, two *history.Comparison) error {
	if two == nil {
		return document{}.write(w, "compare.html", &compareView{document: newDocument("Two runs compared", c, c.Links.Compare, "")})
	}
	c.MadeUp, c.Terms = two.MadeUp, c.Terms.withDefaults()
	v := &compareView{
		document: newDocument("Two runs compared", c, c.Links.Compare, ""),
		Terms:    c.Terms, Percent: two.Percent, Alike: two.Alike,
		Before: historyRowOf(two.Before, c.Links, c.Terms), Now: historyRowOf(two.Now, c.Links, c.Terms), Facts: factsOf(two),
		Sections: compared(two, c.Links), OnlyNow: two.OnlyNow, OnlyBefore: two.OnlyBefore, Unfinished: two.Unfinished,
	}
	if c.Links.Asks {
		v.Policy = strings.Replace(v.Policy, "form-action 'none'", "form-action 'self'", 1)
		v.Action = c.Links.Compare
		for _, r := range slices.Backward(two.Runs) {
			v.Runs = append(v.Runs, chosenRun{r.ID(), scraperutils.Count(len(r.Authorities), v.Terms.Site, v.Terms.Sites), r.At.Equal(two.Before.At), r.At.Equal(two.Now.At)})
		}
	}
	return v.write(w, "compare.html", v)
}

// compareView is what the template compare.html shows.
type compareView struct {
	document
	Terms       Terms
	Percent     int
	Action      string      // the address of the form; "": there is none
	Runs        []chosenRun // the latest first
	Before, Now historyRow
	Facts       []compareRow // of the runs as a whole
	Alike       []string
	Sections    []compareSection
	OnlyNow     []string
	OnlyBefore  []string
	Unfinished  []string
}

// chosenRun is a run that may be chosen.
type chosenRun struct {
	Name, Of     string
	IsBefore, Is bool
}

// compareSection is one list of a comparison.
type compareSection struct {
	ID, Title, Meaning string
	Last               string // the heading of its last column
	Rows               []compareRow
}

// compareRow is a figure in both runs, or an authority.
type compareRow struct {
	Name, Page  string
	Verdict     runlog.Verdict // now; "": it is not told
	Before, Now string
	Change      string
	Error       string
}

func factsOf(c *history.Comparison) []compareRow {
	count := func(name string, before, now int) compareRow {
		return compareRow{Name: name, Before: scraperutils.Digits(before), Now: scraperutils.Digits(now), Change: change(float64(before), float64(now))}
	}
	took := compareRow{Name: "Time", Before: tookOf(c.Before), Now: tookOf(c.Now)}
	if !c.Before.Ended.IsZero() && !c.Now.Ended.IsZero() {
		took.Change = change(c.Before.Seconds, c.Now.Seconds)
	}
	return []compareRow{
		count("Records", c.Before.Records, c.Now.Records), count("Requests", c.Before.Requests, c.Now.Requests), took,
		count("Asked", c.Before.Asked, c.Now.Asked), count("Failures", c.Before.Bad, c.Now.Bad),
		{Name: "End", Before: runEnd(c.Before), Now: runEnd(c.Now)},
	}
}

// change is how much a figure has changed.
func change(before, now float64) string {
	switch {
	case before == now:
		return "the same"
	case before == 0:
		return "from none"
	}
	return fmt.Sprintf("%+d%%", int(math.Round(100*(now-before)/before)))
}

// compared is the lists of a comparison that are not empty, in the order in which they are read.
func compared(c *history.Comparison, l Links) []compareSection {
	more := fmt.Sprintf("by more than %d%%, of those that ended well in both runs", c.Percent)
	all := []compareSection{
		{"new", "Failing now", "they ended well before", "Why", comparedRows(c.New, l, outcomes)},
		{"emptier", "Emptier fields", "they hold something in less than half of the records of before", "Field", fallRows(c.Emptier, l)},
		{"fewer", "Fewer records", more, "Change", comparedRows(c.Fewer, l, figures)},
		{"slower", "Slower", more, "Change", comparedRows(c.Slower, l, times)},
		{"still", "Failing in both", "", "Why", comparedRows(c.Still, l, outcomes)},
		{"recovered", "Mended", "they failed before, and end well now", "Why it failed", comparedRows(c.Recovered, l, outcomes)},
		{"more", "More records", more, "Change", comparedRows(c.More, l, figures)},
		{"faster", "Faster", more, "Change", comparedRows(c.Faster, l, times)},
	}
	return slices.DeleteFunc(all, func(s compareSection) bool { return len(s.Rows) == 0 })
}

func comparedRows(pairs []history.Pair, l Links, fill func(history.Pair, *compareRow)) (all []compareRow) {
	for _, p := range pairs {
		row := compareRow{Name: p.Label, Page: l.authority(p.Label)}
		fill(p, &row)
		all = append(all, row)
	}
	return all
}

// outcomes says what became of an authority.
func outcomes(p history.Pair, row *compareRow) {
	row.Before, row.Now, row.Verdict = outcomeText(p.Before), outcomeText(p.Now), p.Now.Verdict
	row.Error, _ = oneLine(p.Now.Error)
	if !p.Now.Verdict.Bad() {
		row.Error, _ = oneLine(p.Before.Error)
	}
}

func outcomeText(o history.Outcome) string {
	text := string(o.Verdict)
	if o.Class != "" {
		text += " (" + string(o.Class) + ")"
	}
	return text + ", " + countText(float64(o.Records))
}

func figures(p history.Pair, row *compareRow) {
	row.Before, row.Now = scraperutils.Digits(p.Before.Records), scraperutils.Digits(p.Now.Records)
	row.Change = change(float64(p.Before.Records), float64(p.Now.Records))
}

func times(p history.Pair, row *compareRow) {
	row.Before, row.Now, row.Change = tookText(p.Before.Seconds), tookText(p.Now.Seconds), change(p.Before.Seconds, p.Now.Seconds)
}

// fallRows is a row for each field.
func fallRows(pairs []history.Pair, l Links) (all []compareRow) {
	for _, p := range pairs {
		for _, f := range p.Fell {
			all = append(all, compareRow{
				Name: p.Label, Page: l.authority(p.Label),
				Before: "in " + shareText(f.Before), Now: "in " + shareText(f.Now), Change: f.Field,
			})
		}
	}
	return all
}

// shareText writes a share of 0 to 1.
func shareText(share float64) string { return fmt.Sprintf("%.0f%%", math.Round(100*share)) }

// ComparisonText returns a comparison as lines for a terminal.
func ComparisonText(c *history.Comparison) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Run %s beside run %s\n", c.Now.Name, c.Before.Name)
	for _, f := range factsOf(c) {
		fmt.Fprintf(&b, "  %s: %s, before %s%s\n", strings.ToLower(f.Name), f.Now, f.Before, inBrackets(f.Change))
	}
	for _, sentence := range c.Alike {
		fmt.Fprintln(&b, sentence)
	}
	for _, s := range compared(c, Links{}) {
		fmt.Fprintf(&b, "\n%s (%s)%s\n", s.Title, scraperutils.Digits(len(s.Rows)), strings.TrimSuffix(": "+s.Meaning, ": "))
		for _, r := range s.Rows {
			fmt.Fprintf(&b, "  %s: %s, before %s%s\n", r.Name, r.Now, r.Before, inBrackets(r.Change))
			if r.Error != "" {
				fmt.Fprintf(&b, "    %s\n", r.Error)
			}
		}
	}
	for _, list := range []struct {
		title  string
		labels []string
	}{{"Not asked before", c.OnlyNow}, {"Not asked now", c.OnlyBefore}, {"Without an outcome in one of the runs", c.Unfinished}} {
		if len(list.labels) > 0 {
			fmt.Fprintf(&b, "\n%s: %s\n", list.title, strings.Join(list.labels, ", "))
		}
	}
	return b.String()
}

func inBrackets(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}
