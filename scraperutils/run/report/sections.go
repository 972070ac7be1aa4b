package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// unfinished stands in the place of a verdict for an authority that its run did not get to the end of. No outcome has it.
const unfinished runlog.Verdict = "unfinished"

// section is one list of changes, as terminal and page tell it.
type section struct {
	ID      string // in the page
	Title   string
	Meaning string
	Items   []item
}

// item is one authority in a section.
type item struct {
	Label    string
	Platform string
	Verdict  runlog.Verdict
	Class    scraperutils.Class
	Records  int
	Since    string // since when it is so, and how often; "": nothing is known
	Reason   string // what went wrong in one line, or ""
	Whole    string // what went wrong, where one line does not hold it
	Remark   string // what else is to be said
	Earlier  string // the run that this is of, where it is not the one that is shown
	Last     string // the last day with records, or ""
	Evidence string
	Replay   string
	Like     string // the pattern that it is part of, or ""
}

// sections returns the lists that are not empty, in the order in which they are read.
func (o *Overview) sections() []section {
	c := o.Changes()
	all := []section{
		{ID: "new", Title: "New", Meaning: "well the time before, or never seen", Items: o.items(c.New, since)},
		{ID: "still", Title: "Still", Meaning: "bad the time before too", Items: items(c.Still, since)},
		{ID: "implausible", Title: "Implausible", Meaning: "ended well, and what came is not what usually comes", Items: items(c.Implausible, since)},
		{ID: "unfinished", Title: "Unfinished", Meaning: "the run was over before they were", Items: unfinishedItems(c.Unfinished)},
		{ID: "recovered", Title: "Recovered", Meaning: "bad the time before, well now", Items: items(c.Recovered, until)},
		{ID: "remarked", Title: "Remarked", Meaning: "ended well, with a remark", Items: items(c.Remarked, nil)},
		{ID: "earlier", Title: "Earlier", Meaning: "not in this run, and as they were left by an earlier one", Items: earlierItems(c.Earlier)},
	}
	return slices.DeleteFunc(all, func(s section) bool { return len(s.Items) == 0 })
}

// items puts failures that are alike beside each other.
func (o *Overview) items(failures []Change, say func(Change) string) []item {
	var all []item
	for _, g := range o.Group(failures) {
		members := items(g.Members, say)
		if g.Meaning != "" {
			for i := range members {
				members[i].Like = g.Platform + ", " + g.Kind
			}
		}
		all = append(all, members...)
	}
	return all
}

func items(changes []Change, say func(Change) string) []item {
	var all []item
	for _, c := range changes {
		i := itemOf(c)
		if say != nil {
			i.Since = say(c)
		}
		all = append(all, i)
	}
	return all
}

// unfinishedItems says nothing of what is known from earlier runs.
func unfinishedItems(changes []Change) []item {
	var all []item
	for _, c := range changes {
		all = append(all, item{Label: c.Label, Platform: c.Platform, Verdict: unfinished, Reason: "The run has no outcome of it.", Last: c.LastRecords})
	}
	return all
}

// earlierItems says of which run each is.
func earlierItems(changes []Change) []item {
	all := items(changes, since)
	for n, c := range changes {
		if c.Authority.Unfinished { // what is known of it is of yet another run
			all[n] = item{Label: c.Label, Platform: c.Platform, Verdict: unfinished, Last: c.LastRecords}
		}
		all[n].Earlier = "in the run of " + c.RunAt.Format(whenLayout)
	}
	return all
}

func itemOf(c Change) item {
	i := item{Label: c.Label, Platform: c.Platform, Verdict: c.Verdict, Class: c.Class, Records: c.Records, Last: c.LastRecords, Evidence: c.Evidence, Replay: c.Replay}
	i.Reason, i.Whole = oneLine(c.Error)
	if c.Verdict == runlog.Silent {
		i.Reason = cmp.Or(i.Reason, silence(c.Authority))
	}
	if i.Remark = c.Remark; strings.HasPrefix(c.Remark, runlog.OverdueRemark) {
		i.Remark = "It " + c.Remark + "."
	}
	return i
}

const maxReason = 240 // characters of an error that one line shows

// oneLine returns the first line of a text, cut where it is long, and the text itself where that is not all of it.
func oneLine(text string) (line, whole string) {
	text = strings.TrimSpace(text)
	line, _, more := strings.Cut(text, "\n")
	if !more && utf8.RuneCountInString(line) <= maxReason {
		return line, ""
	}
	runes := []rune(line)
	return string(runes[:min(len(runes), maxReason)]) + " …", text
}

// since says since when an authority has been bad, and how often.
func since(c Change) string {
	s := c.Streak
	switch {
	case s.Runs == 0:
		return ""
	case s.Of == 1:
		return "in its only run"
	case s.Well == "":
		return fmt.Sprintf("in all %s since %s", scraperutils.Count(s.Of, "run"), s.Since)
	}
	text := "well on " + s.Well
	if s.Runs > 1 {
		text = fmt.Sprintf("%s running, since %s", scraperutils.Count(s.Runs, "run"), s.Since)
	}
	if s.Failed > s.Runs {
		text += fmt.Sprintf("; bad in %d of %s", s.Failed, scraperutils.Count(s.Of, "run"))
	}
	return text
}

// until says how long an authority that is well again was bad, and how.
func until(c Change) string {
	last := c.Past[len(c.Past)-2] // of those before the run that is shown
	text := fmt.Sprintf("after %s since %s", scraperutils.Count(c.Streak.Runs, "bad run"), c.Streak.Since)
	if c.Streak.Runs == 1 {
		text = "after a bad run on " + c.Streak.Since
	}
	return text + ": " + cmp.Or(string(last.Class), string(last.Verdict))
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
