package history_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/history"
	"github.com/multiscraper/multiscraper/scraperutils/run/report"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

var first = time.Date(2026, 3, 1, 2, 0, 0, 0, time.FixedZone("", 10*3600))

// refused is a failure of class connect.
type refused struct{ error }

func (refused) Class() scraperutils.Class { return scraperutils.ClassConnect }

// nights is a database that runs write, each with a log of its own, as processes do.
type nights struct {
	t testing.TB
	*db.DB
}

func newNights(t testing.TB) nights {
	t.Helper()
	d, err := db.Open(t.Context(), filepath.Join(t.TempDir(), "data.sqlite"), db.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, d.Close()) })
	return nights{t, d}
}

// run writes the run of a night; change may change it before it is saved as ended.
func (n nights) run(night int, change func(*runlog.Run), outcomes ...runlog.Outcome) runlog.Run {
	n.t.Helper()
	at := first.AddDate(0, 0, night)
	savers := func(table string, keys ...string) runlog.Saver { return n.Ledger(table, keys...) }
	l, err := runlog.NewLog(n.t.Context(), n, savers, at, at)
	require.NoError(n.t, err)
	run := runlog.Run{At: at, Day: at, Source: runlog.FromNetwork}
	for _, o := range outcomes {
		run.Authorities = append(run.Authorities, o.Authority)
	}
	require.NoError(n.t, l.Save(run))
	for i, o := range outcomes {
		o.Attempt, o.Started, o.Yield.Records = 1, at, o.Saved
		outcomes[i], err = l.Ended(at, o)
		require.NoError(n.t, err)
	}
	run.Took, run.Ended = time.Minute, at.Add(time.Minute)
	if change != nil {
		change(&run)
	}
	require.NoError(n.t, l.Save(run))
	require.NoError(n.t, l.Summarise(n.t.Context(), at, 1, time.Minute, outcomes))
	return run
}

func well(label string, records int) runlog.Outcome {
	return runlog.Outcome{Authority: label, Saved: records, Requests: 10, Took: 20 * time.Second}
}

func broken(label, why string) runlog.Outcome {
	return runlog.Outcome{Authority: label, Err: refused{errors.New(why)}, Requests: 1, Took: time.Second, Evidence: "/e"}
}

var view = history.View{Platforms: map[string]string{"kyogle": "icon", "noosa": "icon", "hobart": "civica"}}

// Of 90 nights each run is known, with its figures and what failed, also those that the log of the gem has forgotten.
func TestNinetyNights(t *testing.T) {
	n := newNights(t)
	for night := range 95 {
		outcomes := []runlog.Outcome{well("kyogle", night), well("hobart", 5)}
		if night%10 == 9 {
			outcomes = append(outcomes, broken("noosa", "refused\nat line 3"))
		}
		n.run(night, nil, outcomes...)
	}
	n.run(95, func(r *runlog.Run) {
		r.Authorities = append(r.Authorities, "late")
		r.Cause = "interrupted"
	}, well("kyogle", 7))
	h, err := history.Read(t.Context(), n, view)
	require.NoError(t, err)
	require.Len(t, h.Runs, 91, "90 nights, and the last")
	assert.False(t, h.MadeUp)
	for i, r := range h.Runs[:90] {
		night := i + 5
		require.Equal(t, first.AddDate(0, 0, night).Format("2006-01-02T15:04:05"), r.Name)
		assert.Equal(t, night+5, r.Records, r.Name)
		assert.Equal(t, 60.0, r.Seconds)
		assert.False(t, r.Early())
		if night%10 == 9 {
			assert.Equal(t, map[string]int{"connect": 1}, r.Classes, r.Name)
			assert.Equal(t, map[string]int{"icon": 1}, r.Platforms)
			assert.Equal(t, []int{1, 21}, []int{r.Bad, r.Requests})
		} else {
			assert.Equal(t, []int{0, 20}, []int{r.Bad, r.Requests})
			assert.Empty(t, r.Classes)
		}
	}
	last := h.Runs[90]
	assert.True(t, last.Early())
	assert.Equal(t, []int{1, 2}, []int{last.Missing, last.Asked})

	p, err := history.ReadPast(t.Context(), n, "noosa")
	require.NoError(t, err)
	require.Len(t, p.Results, 9)
	assert.Equal(t, "refused", p.Results[0].Message(), "of runs of long ago the first line is kept")
	assert.Equal(t, "refused", p.Results[8].Message())
	p, err = history.ReadPast(t.Context(), n, "nobody")
	require.NoError(t, err)
	assert.Empty(t, p)

	o, err := report.Read(t.Context(), n, report.View{Now: first.AddDate(0, 0, 96), Run: "2026-03-20"})
	require.NoError(t, err)
	assert.Equal(t, map[runlog.Verdict]int{runlog.OK: 2, runlog.Failed: 1}, o.Run.Verdicts, "a run of long ago is shown as it was")
	assert.Equal(t, "2026-03-20", o.Days[len(o.Days)-1], "up to that day")
	assert.Equal(t, report.Day{Verdict: runlog.OK, Records: 19, Runs: 1}, o.Authorities[1].Days[len(o.Days)-1])

	results, err := runlog.ReadResults(t.Context(), n, must(runlog.ReadRuns(t.Context(), n)), runlog.Span{})
	require.NoError(t, err)
	for _, r := range results {
		old := r.Run.At.Before(first.AddDate(0, 0, 65))
		if r.Authority == "noosa" {
			assert.Equal(t, map[bool]string{true: "refused", false: "refused\nat line 3"}[old], r.Message(), r.Run.ID())
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A database of an earlier version, or of the gem, has only its log.
func TestLogAlone(t *testing.T) {
	n := newNights(t)
	n.run(0, nil, well("kyogle", 4), broken("noosa", "refused"))
	_, err := n.Exec(t.Context(), "DROP TABLE authority_run")
	require.NoError(t, err)
	h, err := history.Read(t.Context(), n, view)
	require.NoError(t, err)
	assert.Equal(t, []int{4, 11, 1}, []int{h.Runs[0].Records, h.Runs[0].Requests, h.Runs[0].Bad})
	n.run(1, nil, well("kyogle", 5))
	h, err = history.Read(t.Context(), n, view)
	require.NoError(t, err)
	require.Len(t, h.Runs, 2)
	assert.Equal(t, []int{4, 5}, []int{h.Runs[0].Records, h.Runs[1].Records}, "both halves are known")
}

func TestNoRun(t *testing.T) {
	n := newNights(t)
	_, err := history.Read(t.Context(), n, view)
	require.ErrorIs(t, err, runlog.ErrNoRun)
	_, err = history.Compare(t.Context(), n, view, history.Question{})
	require.ErrorIs(t, err, runlog.ErrNoRun)
	n.run(0, nil, well("kyogle", 1))
	_, err = history.Compare(t.Context(), n, view, history.Question{})
	require.ErrorIs(t, err, history.ErrOneRun)
	var unknown *runlog.UnknownRunError
	_, err = history.Compare(t.Context(), n, view, history.Question{Now: "1999"})
	require.ErrorAs(t, err, &unknown)
}

// filled is a good outcome of ten records, of which so many have a description.
func filled(label string, described int) runlog.Outcome {
	o := well(label, 0)
	for i := range 10 {
		text := ""
		if i < described {
			text = "a shed"
		}
		o.Yield.Add(fmt.Sprint(i), scraperutils.Record{{Name: "council_reference", Value: fmt.Sprint(i)}, {Name: "description", Value: text}})
	}
	o.Saved = 10
	return o
}

// labels is who is in a list.
func labels(all []history.Pair) (names []string) {
	for _, p := range all {
		names = append(names, p.Label)
	}
	return names
}

func TestCompare(t *testing.T) {
	n := newNights(t)
	slow := well("hobart", 40)
	slow.Took = time.Minute
	n.run(0, nil, well("kyogle", 100), broken("noosa", "refused"), well("hobart", 50), well("casey", 3), well("gone", 1), broken("still", "x"), filled("ballina", 10))
	n.run(1, nil, broken("kyogle", "refused"), well("noosa", 8), slow, well("casey", 5), well("came", 1), broken("still", "y"), filled("ballina", 4))
	n.run(2, nil, well("kyogle", 1))                                                                                                                      // of one alone: it is not whole
	n.run(3, func(r *runlog.Run) { r.Cause = "interrupted" }, well("kyogle", 1), well("noosa", 1), well("hobart", 1), well("casey", 1), well("still", 1)) // nor is this

	c, err := history.Compare(t.Context(), n, view, history.Question{Percent: 10})
	require.NoError(t, err)
	assert.Equal(t, []string{"2026-03-01T02:00:00", "2026-03-02T02:00:00"}, []string{c.Before.Name, c.Now.Name}, "the last whole runs")
	assert.Equal(t, []string{"kyogle"}, labels(c.New))
	assert.Equal(t, []string{"noosa"}, labels(c.Recovered))
	assert.Equal(t, []string{"still"}, labels(c.Still))
	assert.Equal(t, "y", c.Still[0].Now.Error)
	assert.Equal(t, []string{"hobart"}, labels(c.Fewer))
	assert.Empty(t, c.More, "two records more are no news")
	assert.Equal(t, []string{"hobart"}, labels(c.Slower))
	assert.Equal(t, []string{"came"}, c.OnlyNow)
	assert.Equal(t, []string{"gone"}, c.OnlyBefore)
	require.Equal(t, []string{"ballina"}, labels(c.Emptier))
	assert.Equal(t, []runlog.Fall{{Field: "description", Before: 1, Now: 0.4}}, c.Emptier[0].Fell)

	c, err = history.Compare(t.Context(), n, view, history.Question{})
	require.NoError(t, err)
	assert.Empty(t, c.Fewer, "50 and 40 differ by a fifth, and not by more")

	c, err = history.Compare(t.Context(), n, view, history.Question{Before: "2026-03-02", Now: "2026-03-01"})
	require.NoError(t, err)
	assert.Equal(t, []string{"kyogle"}, labels(c.Recovered), "the other way round")
	assert.Equal(t, []string{"hobart"}, labels(c.Faster))
	assert.Len(t, c.Runs, 4)
}
