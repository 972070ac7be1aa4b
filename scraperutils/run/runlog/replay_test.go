package runlog_test

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
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

// results is what the log has of all runs.
func (h house) results(t *testing.T) []runlog.Result {
	t.Helper()
	runs, err := runlog.ReadRuns(t.Context(), h)
	require.NoError(t, err)
	results, err := runlog.ReadResults(t.Context(), h, runs, runlog.Span{})
	require.NoError(t, err)
	return results
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

	results := h.results(t)
	assert.Len(t, results, 2)
	for _, r := range results {
		assert.Equal(t, runAt.Unix(), r.Run.At.Unix())
		assert.Equal(t, map[string]int{"good": 5, "bad": 0}[r.Authority], r.Saved, r.Authority)
	}
}

// A database with nothing but replays reports on the last of them, and nothing in it is to be scraped again.
func TestOnlyReplays(t *testing.T) {
	h := open(t, filepath.Join(t.TempDir(), "replay.sqlite"), runAt)
	for i := range 2 {
		h.ran(t, runAt.Add(time.Duration(i)*time.Minute), runlog.FromReplay, runlog.Outcome{Authority: "bad", Err: &scraperutils.LayoutError{}})
	}
	results := h.results(t)
	assert.Len(t, results, 2)
	assert.Equal(t, runAt.Add(time.Minute).Unix(), results[1].Run.At.Unix())
	assert.Equal(t, runlog.Failed, results[1].Verdict)
	failed, err := runlog.Failing(t.Context(), h)
	require.NoError(t, err)
	assert.Empty(t, failed)
}

// What two attempts come to together is the same wherever it is told; the recording is the last attempt's.
func TestAttemptsAreMerged(t *testing.T) {
	h := open(t, filepath.Join(t.TempDir(), "data.sqlite"), runAt)
	broken := errors.New("broken")
	h.ran(t, runAt, runlog.FromNetwork,
		runlog.Outcome{Authority: "worse", Saved: 5, Err: broken, Evidence: "/e", Requests: 1, Took: 100 * time.Millisecond}, runlog.Outcome{Authority: "better", Saved: 2, Err: broken, Evidence: "/e"})
	second := runAt.Add(time.Minute)
	for _, o := range []runlog.Outcome{{Authority: "worse", Err: broken, Evidence: "/e", Requests: 1, Took: 200 * time.Millisecond}, {Authority: "better", Saved: 3}} {
		o.Attempt, o.Started = 2, second
		_, err := h.log.Ended(second, o)
		require.NoError(t, err)
	}
	require.NoError(t, h.log.Settle(t.Context()))
	results := h.results(t)
	require.Len(t, results, 2)
	worse, better := results[0], results[1]
	assert.Equal(t, runlog.Partial, worse.Verdict)
	assert.Equal(t, []int{5, 2, 2}, []int{worse.Saved, worse.Attempts, worse.Requests})
	assert.InDelta(t, 0.3, worse.Seconds, 1e-9)
	assert.Equal(t, "broken", worse.Message())
	assert.Equal(t, "/e", worse.Evidence)
	assert.Equal(t, runlog.OK, better.Verdict)
	assert.Equal(t, 3, better.Saved)
	assert.Empty(t, better.Evidence+better.Message())
}
