package report

import (
	"cmp"
	"slices"

	"github.com/multiscraper/multiscraper/scraperutils/run/news"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// Change is what became of one authority in the run that is shown, against its runs before.
type Change struct {
	*Authority
	Streak Streak // up to the run that is shown; of one that has recovered, up to the run before
}

// Changes sorts the authorities of an overview by what an operator has to know first. Each authority is in one list at most; all lists
// are in the order of labels but Still, whose latest failures come first.
type Changes struct {
	New         []Change // bad, and good the time before, or never seen before
	Still       []Change // bad, and bad the time before
	Implausible []Change // ended well, but with what does not usually come, for the first time or still
	Recovered   []Change // good, and bad the time before
	Unfinished  []Change // the run was over before they were
	Earlier     []Change // not in this run; an earlier one left them bad, or unfinished
	Remarked    []Change // good, and something is to be said all the same

	Rest    map[runlog.Verdict]int // the other authorities of the run, all of them well, by verdict
	Records int                    // of the run, from authorities of which the usual number is known
	Usual   int                    // what is usual for these; 0: nothing is known
}

// Changes compares the run that is shown with those before it.
func (o *Overview) Changes() Changes {
	c := Changes{Rest: map[runlog.Verdict]int{}}
	cutShort := o.cutShort()
	for i := range o.Authorities {
		c.take(&o.Authorities[i], cutShort)
	}
	slices.SortStableFunc(c.Still, func(a, b Change) int { return cmp.Compare(a.Streak.Runs, b.Streak.Runs) })
	return c
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

// take puts an authority where it belongs.
func (c *Changes) take(a *Authority, cutShort map[string]bool) {
	switch {
	case cutShort[a.Label]:
		c.Unfinished = append(c.Unfinished, Change{Authority: a})
	case a.InRun:
		c.compare(a)
	case !a.RunAt.IsZero() && (a.Unfinished || a.Verdict.Bad()):
		c.Earlier = append(c.Earlier, Change{a, streakOf(a.Past)})
	}
}

// compare puts an authority of the run where it belongs.
func (c *Changes) compare(a *Authority) {
	before := a.Past[:max(0, len(a.Past)-1)]
	if records, known := usual(before); known {
		c.Records += a.Records
		c.Usual += records
	}
	now, change := Change{a, streakOf(a.Past)}, news.Compare(lastVerdict(before), a.Verdict)
	switch {
	case a.Verdict == runlog.Implausible:
		c.Implausible = append(c.Implausible, now)
	case change == news.Still:
		c.Still = append(c.Still, now)
	case change == news.New:
		c.New = append(c.New, now)
	case change == news.Recovered:
		c.Recovered = append(c.Recovered, Change{a, streakOf(before)})
	case a.Remark != "":
		c.Remarked = append(c.Remarked, now)
	default:
		c.Rest[a.Verdict]++
	}
}

// Failures returns those that failed in the run, new ones first: New and Still.
func (c Changes) Failures() []Change { return slices.Concat(c.New, c.Still) }

// Growth returns by how many percent the records of the run differ from the usual number, and whether that is known.
func (c Changes) Growth() (percent float64, known bool) {
	if c.Usual == 0 {
		return 0, false
	}
	return 100 * (float64(c.Records)/float64(c.Usual) - 1), true
}

// Well returns how many authorities of the run ended well, those that have recovered among them.
func (c Changes) Well() int {
	n := len(c.Recovered) + len(c.Remarked)
	for _, count := range c.Rest {
		n += count
	}
	return n
}
