package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// shownVerdicts is the order in which the page counts and sorts verdicts: what needs attention comes last.
var shownVerdicts = [...]runlog.Verdict{runlog.OK, runlog.Empty, runlog.Partial, runlog.Implausible, runlog.Silent, unfinished, runlog.Failed}

// shownAtOnce is how many items of a section stand open.
const shownAtOnce = 20

// pageSection is a section as the page shows it.
type pageSection struct {
	section
	Classes string // how many of which class, such as "4 timeout, 1 dns"
	First   []pageItem
	Rest    []pageItem
}

// pageItem is an item with its place in the page.
type pageItem struct {
	item
	Anchor runlog.Verdict // where the count of this verdict leads to; "" but for the first item of each
	Page   string         // of the authority; "": it has none
}

// attention is the sections of the page.
func attention(o *Overview, l Links) []pageSection {
	var all []pageSection
	anchored := map[runlog.Verdict]bool{}
	for _, s := range o.sections() {
		shown := make([]pageItem, len(s.Items))
		for i, each := range s.Items {
			shown[i] = pageItem{item: each, Page: l.authority(each.Label)}
			if v := each.Verdict; linked(v) && !anchored[v] {
				shown[i].Anchor, anchored[v] = v, true
			}
		}
		n := min(len(shown), shownAtOnce)
		all = append(all, pageSection{s, classes(s.Items), shown[:n], shown[n:]})
	}
	return all
}

// linked reports whether the count of a verdict leads to the first item that has it.
func linked(v runlog.Verdict) bool { return v.Bad() || v == unfinished }

// verdictOf is the verdict that the page shows.
func verdictOf(a *Authority, cutShort map[string]bool) runlog.Verdict {
	switch {
	case cutShort[a.Label], a.Unfinished:
		return unfinished
	case a.Verdict == "":
		return "unknown"
	}
	return a.Verdict
}

// tally counts the run's authorities by verdict, with a zero for each that nobody got.
func tally(o *Overview, shown []pageSection) []tallied {
	anchors := map[runlog.Verdict]bool{}
	for _, s := range shown {
		for _, i := range append(s.First, s.Rest...) {
			anchors[i.Anchor] = true
		}
	}
	counts := map[runlog.Verdict]int{unfinished: len(o.cutShort())}
	maps.Copy(counts, o.Run.Verdicts)
	var all []tallied
	for _, v := range shownVerdicts {
		all = append(all, tallied{v, counts[v], counts[v] > 0 && anchors[v]})
		delete(counts, v)
	}
	others := 0
	for _, n := range counts {
		others += n
	}
	if others > 0 {
		all = append(all, tallied{"unknown", others, false})
	}
	return all
}

// classes counts items by class, the most frequent first.
func classes(items []item) string {
	counts := map[scraperutils.Class]int{}
	for _, item := range items {
		if item.Class != scraperutils.ClassNone {
			counts[item.Class]++
		}
	}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b scraperutils.Class) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	var texts []string
	for _, name := range names {
		texts = append(texts, fmt.Sprintf("%d %s", counts[name], name))
	}
	return strings.Join(texts, ", ")
}
