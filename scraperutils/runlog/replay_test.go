package runlog_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/runlog"
)

// ran writes a run with the outcomes of its first attempt.
func (h house) ran(t *testing.T, at time.Time, source runlog.Source, outcomes ...runlog.Outcome) {
	t.Helper()
	run := runlog.Run{At: at, Day: at, Source: source}
	for _, o := range outcomes {
		run.Authorities = append(run.Authorities, o.Authority)
	}
	require.NoError(t, h.log.Save(run))
	for i, o := range outcomes {
		o.Attempt, o.Started = 1, at
		var err error
		outcomes[i], err = h.log.Ended(at, o)
		require.NoError(t, err)
	}
	require.NoError(t, h.log.Summarise(t.Context(), at, 1, time.Minute, outcomes))
}

// What a replay comes to says nothing about the sites: neither the history, nor what failed last time, nor the report takes it
// for a run.
func TestReplaysStandApart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data.sqlite")
	h := open(t, path, runAt)
	h.ran(t, runAt, runlog.FromNetwork, runlog.Outcome{Authority: "good", Saved: 5}, runlog.Outcome{Authority: "bad", Err: errors.New("broken")})
	require.NoError(t, h.Close())

	replayed := runAt.Add(time.Minute)
	h = open(t, path, runAt.AddDate(-1, 0, 0)) // as of a day in the past
	h.ran(t, replayed, runlog.FromReplay, runlog.Outcome{Authority: "good", Err: errors.New("not in the cassette")}, runlog.Outcome{Authority: "bad", Saved: 7})
	assert.Equal(t, []map[string]any{{"source": "network"}, {"source": "replay"}}, h.rows(t, "SELECT source FROM scrape_run ORDER BY began_at"))

	known, err := runlog.ReadHistory(t.Context(), h)
	require.NoError(t, err)
	assert.Equal(t, runlog.OK, known["good"].LastVerdict)
	assert.Equal(t, runlog.Failed, known["bad"].LastVerdict)
	assert.Equal(t, "2025-05-07", known["good"].LastRecords.Format(time.DateOnly))
	assert.True(t, known["bad"].LastRecords.IsZero())

	failed, err := runlog.Failing(t.Context(), h)
	require.NoError(t, err)
	assert.Equal(t, map[string]bool{"good": false, "bad": true}, failed)

	o, err := runlog.ReadOverview(t.Context(), h, runlog.View{Database: path, Now: runAt})
	require.NoError(t, err)
	assert.Equal(t, runAt.Unix(), o.Run.At.Unix())
	assert.Equal(t, map[runlog.Verdict]int{runlog.OK: 1, runlog.Failed: 1}, o.Run.Verdicts)
	for _, a := range o.Authorities {
		assert.Equal(t, map[string]int{"good": 5, "bad": 0}[a.Label], a.Days[29].Records, a.Label)
	}
}

// A database with nothing but replays reports on the last of them, and nothing in it is to be scraped again.
func TestOnlyReplays(t *testing.T) {
	h := open(t, filepath.Join(t.TempDir(), "replay.sqlite"), runAt)
	for i := range 2 {
		h.ran(t, runAt.Add(time.Duration(i)*time.Minute), runlog.FromReplay, runlog.Outcome{Authority: "bad", Err: &scraperutils.LayoutError{}})
	}
	o, err := runlog.ReadOverview(t.Context(), h, runlog.View{Database: "x", Now: runAt})
	require.NoError(t, err)
	assert.Equal(t, runAt.Add(time.Minute).Unix(), o.Run.At.Unix())
	assert.Equal(t, map[runlog.Verdict]int{runlog.Failed: 1}, o.Run.Verdicts)
	failed, err := runlog.Failing(t.Context(), h)
	require.NoError(t, err)
	assert.Empty(t, failed)
}

// A run as of a day in the past does not make an authority look quiet today.
func TestLastRecordsOnlyMoveForward(t *testing.T) {
	h := runlog.History{}.After(runlog.Outcome{Saved: 1}, runAt)
	h = h.After(runlog.Outcome{Saved: 1}, runAt.AddDate(-1, 0, 0))
	assert.Equal(t, runAt, h.LastRecords)
	assert.Zero(t, h.UsualGap)
	assert.False(t, h.SilentOn(runAt))
}

// A turn that was held for too long is told wherever an outcome is, and makes no failure.
func TestOverdueThatEndsWell(t *testing.T) {
	const remark = "held its turn for longer than 60s"
	h := open(t, filepath.Join(t.TempDir(), "data.sqlite"), runAt)
	h.ran(t, runAt, runlog.FromNetwork, runlog.Outcome{Authority: "slow", Saved: 1, Overdue: true}, runlog.Outcome{Authority: "good", Saved: 1},
		runlog.Outcome{Authority: "broken", Err: errors.New("it broke"), Overdue: true})
	row := h.rows(t, "SELECT verdict, status, error_message, remark FROM scrape_log WHERE authority_label = 'slow'")[0]
	assert.Equal(t, "ok successful <nil>", fmt.Sprint(row["verdict"], " ", row["status"], " ", row["error_message"]))
	assert.Contains(t, row["remark"], remark)
	o, err := runlog.ReadOverview(t.Context(), h, runlog.View{Database: "x", Now: runAt})
	require.NoError(t, err)
	assert.Contains(t, o.Text(), "\nslow: ok, 1 record\n  "+remark)
	assert.NotContains(t, o.Text(), "\ngood: ")
	_, page := pageOf(t, o)
	assert.Equal(t, []string{"failed 1 nothing was saved; 1 stuck", "ok 1 ended well, with a remark"}, texts(page.Find(".group h3")))
	assert.Contains(t, said(page, "#failed ~ ul .what"), "it broke It "+remark)
	assert.Equal(t, "slow 1 saved last records on 2025-05-07 It "+remark+" (where: see the log).", said(page, "#ok ~ ul li"))

	outcomes := []runlog.Outcome{
		{Authority: "slow", Saved: 1, Overdue: true, Verdict: runlog.OK},
		{Authority: "slow and bad", Err: errors.New("broken"), Overdue: true, Verdict: runlog.Failed, Class: "layout"},
	}
	report := runlog.NewReport(outcomes, []string{"slow and bad"})
	assert.Contains(t, report.Table(), "slow                      1      0 "+remark)
	assert.Contains(t, report.Table(), "[EXPECT BAD] layout - broken; "+remark)
	assert.Empty(t, report.Problems())
	text, err := report.MarshalJSON()
	require.NoError(t, err)
	assert.Contains(t, string(text), `"remark":"`+remark)
}

// What two attempts come to together is the same wherever it is told; the recording is the last attempt's.
func TestAttemptsAreMerged(t *testing.T) {
	h := open(t, filepath.Join(t.TempDir(), "data.sqlite"), runAt)
	broken := errors.New("broken")
	h.ran(t, runAt, runlog.FromNetwork,
		runlog.Outcome{Authority: "worse", Saved: 5, Err: broken, Evidence: "/e"}, runlog.Outcome{Authority: "better", Saved: 2, Err: broken, Evidence: "/e"})
	second := runAt.Add(time.Minute)
	for _, o := range []runlog.Outcome{{Authority: "worse", Err: broken, Evidence: "/e"}, {Authority: "better", Saved: 3}} {
		o.Attempt, o.Started = 2, second
		_, err := h.log.Ended(second, o)
		require.NoError(t, err)
	}
	require.NoError(t, h.log.Settle(t.Context()))
	o, err := runlog.ReadOverview(t.Context(), h, runlog.View{Database: "x", Now: runAt})
	require.NoError(t, err)
	better, worse := o.Authorities[0], o.Authorities[1]
	assert.Equal(t, runlog.DayOverview{Verdict: runlog.Partial, Records: 5, Runs: 1}, worse.Days[29])
	assert.Equal(t, runlog.Partial, worse.Verdict)
	assert.Equal(t, 5, worse.Records)
	assert.NotEmpty(t, worse.Replay)
	assert.Equal(t, runlog.OK, better.Verdict)
	assert.Equal(t, 3, better.Records)
	assert.Empty(t, better.Evidence+better.Replay)
}

func TestTypeName(t *testing.T) {
	status := &scraperutils.StatusError{Status: 500}
	for want, errs := range map[string][]error{
		"scraperutils.StatusError": {status, fmt.Errorf("x: %w", status), errors.Join(errors.New("x"), status), fmt.Errorf("%w %w", errors.Join(errors.New("x")), status)},
		"errors.errorString":       {errors.New("x"), errors.Join(errors.New("x"), errors.New("y"))},
	} {
		for _, err := range errs {
			assert.Equal(t, want, runlog.TypeName(err), "%#v", err)
		}
	}
}
