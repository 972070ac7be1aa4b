package report_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/report"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// history writes a run a night, a letter for each authority and night: o ok with 10 records, e empty, x failed, p partial, space: not in
// the run, u unfinished. The last of them is on the day of runAt.
func history(t *testing.T, nights map[string]string) house {
	t.Helper()
	h := open(t, filepath.Join(t.TempDir(), "data.sqlite"), runAt)
	length := 0
	for _, n := range nights {
		length = max(length, len(n))
	}
	for i := range length {
		var outcomes []runlog.Outcome
		var labels []string
		for label, letters := range nights {
			o := runlog.Outcome{Authority: label}
			switch letters[i] {
			case 'o':
				o.Saved = 10
			case 'x':
				o.Err = &scraperutils.LayoutError{URL: "http://a.example", Missing: "table.grid"}
			case 'p':
				o.Saved, o.Err = 3, errors.New("it broke")
			case ' ':
				continue
			}
			labels = append(labels, label)
			if letters[i] != 'u' {
				outcomes = append(outcomes, o)
			}
		}
		at := runAt.AddDate(0, 0, i-length+1)
		h.ran(t, at, runlog.FromNetwork, outcomes...)
		require.NoError(t, h.log.Save(runlog.Run{At: at, Day: at, Source: runlog.FromNetwork, Authorities: labels, Ended: at}))
	}
	require.NoError(t, h.log.Settle(t.Context()))
	return h
}

func (h house) read(t *testing.T, view report.View) *report.Overview {
	t.Helper()
	view.Database, view.Now = "data.sqlite", runAt
	o, err := report.Read(t.Context(), h, view)
	require.NoError(t, err)
	return o
}

// lists is the labels in each list of changes.
func lists(c report.Changes) map[string][]string {
	all := map[string][]string{}
	for name, list := range map[string][]report.Change{
		"new": c.New, "still": c.Still, "implausible": c.Implausible, "recovered": c.Recovered,
		"unfinished": c.Unfinished, "earlier": c.Earlier, "remarked": c.Remarked,
	} {
		for _, each := range list {
			all[name] = append(all[name], each.Label)
		}
	}
	return all
}

func TestChanges(t *testing.T) {
	h := history(t, map[string]string{
		"always bad": "xxxxxx", "always good": "oooooo", "cut short": "ooooxu", "empty": "eeeeee", "first run bad": "     x", "first run good": "     o",
		"left failing": "oooox ", "new": "ooooox", "new after a gap": "ooo  x", "partial": "ooooop", "recovered": "oooxxo",
		"recovered empty": "ooooxe", "still": "oooxxx", "still with a gap": "oooxux", "twice": "oxooxx",
	})
	o := h.read(t, report.View{})
	c := o.Changes()
	assert.Equal(t, map[string][]string{
		"new":        {"first run bad", "new", "new after a gap", "partial"},
		"still":      {"still with a gap", "twice", "still", "always bad"},
		"recovered":  {"recovered", "recovered empty"},
		"unfinished": {"cut short"},
		"earlier":    {"left failing"},
	}, lists(c))
	assert.Equal(t, map[runlog.Verdict]int{runlog.OK: 2, runlog.Empty: 1}, c.Rest)
	assert.Equal(t, 5, c.Well())
	streaks := map[string]report.Streak{}
	for _, each := range slices.Concat(c.New, c.Still, c.Recovered, c.Earlier) {
		streaks[each.Label] = each.Streak
	}
	assert.Equal(t, map[string]report.Streak{
		"first run bad":    {Runs: 1, Since: "2025-05-07", Failed: 1, Of: 1},
		"new":              {Runs: 1, Since: "2025-05-07", Well: "2025-05-06", Failed: 1, Of: 6},
		"new after a gap":  {Runs: 1, Since: "2025-05-07", Well: "2025-05-04", Failed: 1, Of: 4},
		"partial":          {Runs: 1, Since: "2025-05-07", Well: "2025-05-06", Failed: 1, Of: 6},
		"still with a gap": {Runs: 2, Since: "2025-05-05", Well: "2025-05-04", Failed: 2, Of: 5},
		"twice":            {Runs: 2, Since: "2025-05-06", Well: "2025-05-05", Failed: 3, Of: 6},
		"still":            {Runs: 3, Since: "2025-05-05", Well: "2025-05-04", Failed: 3, Of: 6},
		"always bad":       {Runs: 6, Since: "2025-05-02", Failed: 6, Of: 6},
		"recovered":        {Runs: 2, Since: "2025-05-05", Well: "2025-05-04", Failed: 2, Of: 5},
		"recovered empty":  {Runs: 1, Since: "2025-05-06", Well: "2025-05-05", Failed: 1, Of: 5},
		"left failing":     {Runs: 1, Since: "2025-05-06", Well: "2025-05-05", Failed: 1, Of: 5},
	}, streaks)

	earlier := h.read(t, report.View{Run: "2025-05-05"}).Changes()
	assert.Equal(t, []string{"recovered", "still", "still with a gap"}, lists(earlier)["new"], "a run alone is shown as it was")
	assert.Equal(t, 1, earlier.New[0].Streak.Runs)
}

// What an authority of 10 records a night gives is held against these, and only of those that have three good runs.
func TestChangesInRecords(t *testing.T) {
	c := history(t, map[string]string{"a": "oooo", "b": "oooe", "c": "oeex", "d": "   o"}).read(t, report.View{}).Changes()
	assert.Equal(t, []int{10, 20}, []int{c.Records, c.Usual}, "usual is the median: c gives nothing more often than not")
	percent, known := c.Growth()
	assert.True(t, known)
	assert.InDelta(t, -50, percent, 0.01)
	_, known = history(t, map[string]string{"a": "oo"}).read(t, report.View{}).Changes().Growth()
	assert.False(t, known, "two runs are too few to tell")
}

// Implausible authorities are in their own list, whatever they were before.
func TestChangesOfImplausible(t *testing.T) {
	bad := report.PastRun{Run: "1", Day: "2025-05-06", Verdict: runlog.Implausible}
	now := report.PastRun{Run: "2", Day: "2025-05-07", Verdict: runlog.Implausible}
	o := &report.Overview{Authorities: []report.Authority{
		{Label: "a", InRun: true, Verdict: runlog.Implausible, Past: []report.PastRun{bad, now}},
		{Label: "b", InRun: true, Verdict: runlog.Implausible, Past: []report.PastRun{now}},
		{Label: "c", InRun: true, Verdict: runlog.OK, Remark: "held its turn", Past: []report.PastRun{{Verdict: runlog.OK}}},
		{Label: "d", InRun: true, Verdict: runlog.OK, Past: []report.PastRun{bad, {Verdict: runlog.OK}}},
	}}
	c := o.Changes()
	assert.Equal(t, map[string][]string{"implausible": {"a", "b"}, "remarked": {"c"}, "recovered": {"d"}}, lists(c))
	assert.Equal(t, []int{2, 1}, []int{c.Implausible[0].Streak.Runs, c.Implausible[1].Streak.Runs})
}

// A past is not longer than 30 runs, whatever the number a day.
func TestPastIsBounded(t *testing.T) {
	h := open(t, filepath.Join(t.TempDir(), "data.sqlite"), runAt)
	for i := range 40 {
		h.ran(t, runAt.Add(time.Duration(i)*time.Minute), runlog.FromNetwork, runlog.Outcome{Authority: "a", Saved: i})
	}
	past := h.read(t, report.View{}).Authorities[0].Past
	require.Len(t, past, 30)
	assert.Equal(t, []int{10, 39}, []int{past[0].Records, past[29].Records})
}

func TestGroups(t *testing.T) {
	for name, test := range map[string]struct {
		class    scraperutils.Class
		failing  int // of ten on icon
		of       int
		since    func(i int) int // the night since which it fails
		host     func(i int) string
		others   int // of five on epathway that fail too
		sentence string
	}{
		"a vendor's change":            {class: "layout", failing: 6, of: 31, sentence: "6 of 31 icon fail in the same way (layout): likely a change of the vendor"},
		"too few":                      {class: "layout", failing: 2, of: 10},
		"too few of so many":           {class: "layout", failing: 3, of: 31},
		"each since another night":     {class: "layout", failing: 6, of: 10, since: func(i int) int { return i }},
		"most since the same":          {class: "layout", failing: 6, of: 10, since: func(i int) int { return i / 4 }, sentence: "6 of 10 icon fail in the same way (layout): likely a change of the vendor"},
		"a vendor's outage":            {class: "connect", failing: 6, of: 20, sentence: "6 of 20 icon fail in the same way (connect): likely an outage of the vendor"},
		"one host":                     {class: "connect", failing: 6, of: 20, host: func(int) string { return "one.example" }, sentence: "6 of 20 icon fail in the same way (connect): they share a host"},
		"the network":                  {class: "dns", failing: 10, of: 10, others: 4, sentence: "10 of 10 icon fail in the same way (dns): likely our own network"},
		"what says nothing":            {class: "stuck", failing: 6, of: 10},
		"all of a platform, no others": {class: "dns", failing: 10, of: 10, sentence: "10 of 10 icon fail in the same way (dns): likely an outage of the vendor"},
	} {
		t.Run(name, func(t *testing.T) {
			o := &report.Overview{}
			add := func(platform string, i int, fails bool) {
				a := report.Authority{Label: fmt.Sprintf("%s%02d", platform, i), InRun: true, Verdict: runlog.OK}
				a.Platform, a.URL = platform, fmt.Sprintf("https://%s%d.example/", platform, i)
				if test.host != nil {
					a.URL = "https://" + test.host(i) + "/"
				}
				since := 9
				if test.since != nil {
					since = test.since(i)
				}
				for night := range 10 {
					p := report.PastRun{Run: fmt.Sprint(night), Verdict: runlog.OK}
					if fails && night >= since {
						p.Verdict = runlog.Failed
					}
					a.Past = append(a.Past, p)
				}
				if fails {
					a.Verdict, a.Class = runlog.Failed, test.class
				}
				o.Authorities = append(o.Authorities, a)
			}
			for i := range test.of {
				add("icon", i, i < test.failing)
			}
			for i := range 5 {
				add("epathway", i, i < test.others)
			}
			groups := o.Group(o.Changes().Failures())
			assert.Equal(t, test.sentence, groups[0].Sentence())
			assert.Len(t, groups[0].Members, test.failing)
		})
	}
}

// Failures that have nothing in common are groups of their own, and of what no platform is known nothing follows.
func TestGroupsOfFew(t *testing.T) {
	o := history(t, map[string]string{"a": "ox", "b": "ox", "c": "op", "d": "ox"}).read(t, report.View{Sites: map[string]report.Site{"d": {Platform: "icon"}}})
	groups := o.Group(o.Changes().Failures())
	var got []string
	for _, g := range groups {
		got = append(got, fmt.Sprintf("%s %s %d/%d %s", g.Platform, g.Class, len(g.Members), g.Of, g.Sentence()))
	}
	assert.Equal(t, []string{" layout 2/3 ", " other 1/3 ", "icon layout 1/1 "}, got)
}

// Of many failures that look like one, terminals show three, and name the others.
func TestTextFoldsWhatIsAlike(t *testing.T) {
	nights, sites := map[string]string{"other": "ox"}, map[string]report.Site{}
	for i := range 6 {
		label := fmt.Sprint("icon", i)
		nights[label], sites[label] = "ox", report.Site{Platform: "icon"}
	}
	text := history(t, nights).read(t, report.View{Sites: sites}).Text()
	assert.Contains(t, text, "\n6 of 6 icon fail in the same way (layout): likely a change of the vendor\n")
	assert.Contains(t, text, "  icon2: failed (layout), 0 records, well on 2025-05-06\n    no table.grid in http://a.example\n  and 3 like these (icon, layout): icon3, icon4, icon5\n  other: failed")
}

func ExampleOverview_Changes() {
	well, bad := report.PastRun{Day: "2026-03-16", Verdict: runlog.OK}, report.PastRun{Day: "2026-03-17", Verdict: runlog.Failed}
	o := &report.Overview{Authorities: []report.Authority{
		{Label: "kyogle", InRun: true, Verdict: runlog.OK, Past: []report.PastRun{well, well}},
		{Label: "noosa", InRun: true, Verdict: runlog.Failed, Past: []report.PastRun{well, bad}},
	}}
	c := o.Changes()
	fmt.Println(c.New[0].Label, "was well on", c.New[0].Streak.Well)
	fmt.Println(c.Well(), "well")
	// Output:
	// noosa was well on 2026-03-16
	// 1 well
}
