package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/runlog"
)

// unfinished is what the page calls an authority that the run did not get to the end of. No outcome has this verdict.
const unfinished runlog.Verdict = "unfinished"

// shownVerdicts is the order in which the page counts and sorts verdicts: what needs attention comes last.
var shownVerdicts = [...]runlog.Verdict{runlog.OK, runlog.Empty, runlog.Partial, runlog.Implausible, runlog.Silent, unfinished, runlog.Failed}

const (
	shownAtOnce = 20  // items of a group that stand open
	headOfError = 240 // characters of a long error that stand open
)

// attentionGroup is the authorities with one verdict that somebody has to look at.
type attentionGroup struct {
	Verdict runlog.Verdict
	Meaning string
	Count   int
	Classes string // how many of which class, such as "4 timeout, 1 dns"
	First   []attentionItem
	Rest    []attentionItem
}

// attentionItem is one authority that somebody has to look at.
type attentionItem struct {
	Label       string
	Class       scraperutils.Class
	Error       string // all of it where it is short, or its beginning
	Whole       string // of a long one
	Note        string // of one that has no error to tell
	Remark      string // what else is to be said, of one that ended well too
	Since       string
	Fresh       bool // it was well the last time before
	Records     int
	LastRecords string
	Earlier     string // the run that this is of, where it is not the one that is shown
	Evidence    string
	Replay      string

	streak int // days that it has been bad
}

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

// cutShort is the authorities that the run did not get to the end of. While it goes on there are none.
func (o *Overview) cutShort() map[string]bool {
	set := map[string]bool{}
	if o.Run.Process == 0 {
		for _, label := range o.Run.Unfinished {
			set[label] = true
		}
	}
	return set
}

// tally counts the run's authorities by verdict, with a zero for each that nobody got.
func tally(o *Overview) []tallied {
	counts := map[runlog.Verdict]int{unfinished: len(o.cutShort())}
	maps.Copy(counts, o.Run.Verdicts)
	var all []tallied
	for _, v := range shownVerdicts {
		all = append(all, tallied{v, counts[v], counts[v] > 0 && (v.Bad() || v == unfinished)})
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

// attention groups what needs attention, the worst first, and in a group what is new before what is old.
func attention(o *Overview) []attentionGroup {
	groups := []attentionGroup{
		{Verdict: runlog.Failed, Meaning: "nothing was saved"},
		{Verdict: unfinished, Meaning: "the run was over before they were"},
		{Verdict: runlog.Silent, Meaning: "no records for longer than is usual for them"},
		{Verdict: runlog.Implausible, Meaning: "ended well, and what came is not what usually comes"},
		{Verdict: runlog.Partial, Meaning: "some records were saved, then it failed"},
		{Verdict: runlog.OK, Meaning: "ended well, with a remark"},
		{Verdict: runlog.Empty, Meaning: "ended well, with a remark"},
	}
	cutShort := o.cutShort()
	for i := range groups {
		g := &groups[i]
		var items []attentionItem
		for j := range o.Authorities {
			if a := &o.Authorities[j]; verdictOf(a, cutShort) == g.Verdict && needsAttention(a, g.Verdict) {
				items = append(items, attend(a, g.Verdict, o.Days))
			}
		}
		slices.SortStableFunc(items, func(a, b attentionItem) int {
			return cmp.Or(cmp.Compare(a.streak, b.streak), cmp.Compare(a.Label, b.Label))
		})
		g.Count, g.Classes = len(items), classes(items)
		n := min(len(items), shownAtOnce)
		g.First, g.Rest = items[:n], items[n:]
	}
	return slices.DeleteFunc(groups, func(g attentionGroup) bool { return g.Count == 0 })
}

func needsAttention(a *Authority, verdict runlog.Verdict) bool {
	return verdict == unfinished || a.older() || a.InRun && (verdict.Bad() || a.Remark != "")
}

func attend(a *Authority, verdict runlog.Verdict, days []string) attentionItem {
	item := attentionItem{Label: a.Label, LastRecords: a.LastRecords}
	if a.older() {
		item.Earlier = "in the run of " + a.RunAt.Format(whenLayout)
	}
	if verdict == unfinished { // what else is known of it is of an earlier run
		item.Note = "The run has no outcome of it."
		return item
	}
	if verdict == runlog.Silent {
		item.Note = silence(a)
	}
	item.Class, item.Records, item.Evidence, item.Replay = a.Class, a.Records, a.Evidence, a.Replay
	switch {
	case strings.HasPrefix(a.Remark, runlog.OverdueRemark):
		item.Remark = "It " + a.Remark + "."
	case a.Remark != "":
		item.Remark = a.Remark + "."
	}
	if verdict.Bad() {
		wasWell := false
		item.streak, item.Since, wasWell = badSince(a.Days, days)
		item.Fresh = wasWell && item.streak == 1
	}
	item.Error = strings.TrimSpace(a.Error)
	if line, _, more := strings.Cut(item.Error, "\n"); more || utf8.RuneCountInString(line) > headOfError {
		runes := []rune(line)
		item.Error, item.Whole = string(runes[:min(len(runes), headOfError)])+" …", item.Error
	}
	return item
}

// badSince says for how many of the days on which it ran an authority has been bad, up to the last, and whether it was well
// before the first of them.
func badSince(history []Day, days []string) (streak int, since string, wasWell bool) {
	first, runs := "", 0
	for i := min(len(history), len(days)) - 1; i >= 0; i-- {
		runs = max(runs, history[i].Runs)
		switch v := history[i].Verdict; {
		case v == "": // it did not run
		case v.Bad():
			streak, first = streak+1, days[i]
		case streak == 1:
			return streak, "well on " + days[i], true
		default:
			return streak, fmt.Sprintf("%s running, since %s", scraperutils.Count(streak, "day"), first), true
		}
	}
	switch streak {
	case 0:
		return 0, "", false
	case 1:
		if runs > 1 {
			return 1, fmt.Sprintf("on the only day that it ran, in the last of %d runs", runs), false
		}
		return 1, "its only run in these 30 days", false
	}
	return streak, fmt.Sprintf("on all %s that it ran", scraperutils.Count(streak, "day")), false
}

// silence says how long an authority had given nothing on the day that its run was for, and how long is usual.
func silence(a *Authority) string {
	last, today := dateOf(a.LastRecords), dateOf(a.Day)
	if last.IsZero() || !today.After(last) {
		return "It ends well and gives no records."
	}
	text := fmt.Sprintf("It ends well, and has given no records for %s.", scraperutils.Count(int(today.Sub(last)/day), "day"))
	if a.UsualGap >= 0.5 {
		text += fmt.Sprintf(" It used to give some every %s.", scraperutils.Count(int(math.Round(a.UsualGap)), "day"))
	}
	return strings.Replace(text, "every 1 day", "every day", 1)
}

// dateOf reads a day; what is none is the zero time.
func dateOf(text string) time.Time {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return time.Time{}
	}
	return t
}

// classes counts items by class, the most frequent first.
func classes(items []attentionItem) string {
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
