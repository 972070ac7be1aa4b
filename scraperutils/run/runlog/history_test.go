package runlog_test

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// The rhythm of an authority is learnt from its runs and survives them.
func TestHistory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data.sqlite")
	day := func(n int) time.Time { return runAt.AddDate(0, 0, n) }
	for _, run := range []struct {
		day, saved int
		want       runlog.Verdict
	}{{0, 5, runlog.OK}, {1, 0, runlog.Empty}, {20, 3, runlog.OK}, {40, 1, runlog.OK}, {95, 0, runlog.Empty}, {101, 0, runlog.Silent}, {102, 2, runlog.OK}, {150, 0, runlog.Empty}} {
		h := open(t, path, day(run.day))
		o, err := h.log.Ended(day(run.day), runlog.Outcome{Authority: "quiet", Attempt: 1, Started: day(run.day), Saved: run.saved, Requests: 1, Took: 90 * time.Second})
		require.NoError(t, err)
		assert.Equal(t, run.want, o.Verdict, "day %d", run.day)
		require.NoError(t, h.log.Settle(t.Context()))
		require.NoError(t, h.Close())
	}
	reader, err := db.OpenReader(t.Context(), path)
	require.NoError(t, err)
	defer reader.Close()
	known, err := runlog.ReadHistory(t.Context(), reader)
	require.NoError(t, err)
	h := known["quiet"]
	assert.Equal(t, 90*time.Second, h.LastTook)
	assert.Equal(t, "2025-08-17", h.LastRecords.Format(time.DateOnly))
	assert.Equal(t, map[runlog.Verdict]int{runlog.OK: 4, runlog.Empty: 3, runlog.Silent: 1, runlog.Partial: 0, runlog.Failed: 0, runlog.Implausible: 0}, h.Verdicts)
	assert.Equal(t, runAt.Unix(), h.FirstRun.Unix())
}

func TestHistoryOfADatabaseWithoutRuns(t *testing.T) {
	h := open(t, filepath.Join(t.TempDir(), "data.sqlite"), runAt)
	known, err := runlog.ReadHistory(t.Context(), h)
	require.NoError(t, err)
	assert.Empty(t, known)
	runs, err := runlog.ReadRuns(t.Context(), h)
	require.NoError(t, err)
	assert.Empty(t, runs)
	failed, err := runlog.Failing(t.Context(), h)
	require.NoError(t, err)
	assert.Empty(t, failed)
}

// A run counts once in the history, whatever the number of its attempts.
func TestHistoryCountsRuns(t *testing.T) {
	h := open(t, filepath.Join(t.TempDir(), "data.sqlite"), runAt)
	broken := errors.New("broken")
	for run := range 2 {
		at := runAt.Add(time.Duration(run) * time.Hour)
		for attempt := range 2 {
			again := at.Add(time.Duration(attempt) * time.Minute)
			for _, o := range []runlog.Outcome{{Authority: "bad", Err: broken}, {Authority: "better", Err: broken}} {
				o.Attempt, o.Started = attempt+1, again
				if o.Authority == "better" && attempt == 1 {
					o.Err, o.Saved = nil, 3
				}
				_, err := h.log.Ended(again, o)
				require.NoError(t, err)
			}
		}
	}
	require.NoError(t, h.log.Settle(t.Context()))
	known, err := runlog.ReadHistory(t.Context(), h)
	require.NoError(t, err)
	assert.Equal(t, 2, known["bad"].Verdicts[runlog.Failed])
	assert.Equal(t, []int{2, 0}, []int{known["better"].Verdicts[runlog.OK], known["better"].Verdicts[runlog.Failed]})
}

// Neither built-in sites nor a day long gone change what is known of real sites; what is known of built-in sites is forgotten
// when the real one is asked.
func TestHistoryIsOfRealRuns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data.sqlite")
	run := func(at, today time.Time, source runlog.Source, asOf bool, saved int) runlog.History {
		h := open(t, path, today)
		defer func() { require.NoError(t, h.Close()) }()
		require.NoError(t, h.log.Save(runlog.Run{At: at, Day: today, Source: source, AsOf: asOf}))
		_, err := h.log.Ended(at, runlog.Outcome{Authority: "a", Attempt: 1, Started: at, Saved: saved, Yield: runlog.Yield{Records: saved}})
		require.NoError(t, err)
		_, err = h.log.Doubt(t.Context(), nil)
		require.NoError(t, err)
		require.NoError(t, h.log.Settle(t.Context()))
		return h.log.History("a")
	}
	hour := func(n int) time.Time { return runAt.Add(time.Duration(n) * time.Hour) }
	run(hour(0), runAt, runlog.FromFixtures, false, 5)
	h := run(hour(1), runAt.AddDate(0, 0, 1), runlog.FromNetwork, false, 0)
	assert.True(t, h.LastRecords.IsZero(), "that was a built-in site")
	assert.Equal(t, map[runlog.Verdict]int{runlog.Empty: 1}, h.Verdicts)
	run(hour(2), runAt.AddDate(0, 0, 2), runlog.FromNetwork, false, 5)
	want := runAt.AddDate(0, 0, 2).Format(time.DateOnly)
	h = run(hour(3), runAt.AddDate(0, 0, 20), runlog.FromNetwork, true, 9)
	assert.Equal(t, want, h.LastRecords.Format(time.DateOnly), "as of a day to come")
	h = run(hour(4), runAt.AddDate(0, 0, 30), runlog.FromFixtures, false, 9)
	assert.Equal(t, want, h.LastRecords.Format(time.DateOnly))

	d := open(t, path, runAt)
	assert.Equal(t, []map[string]any{
		{"source": "fixtures", "records": int64(5)}, {"source": "network", "records": int64(0)},
		{"source": "network", "records": int64(5)}, {"source": "fixtures", "records": int64(9)},
	}, d.rows(t, "SELECT source, records FROM authority_yield ORDER BY run_at"))
}

// A run as of a day in the past does not make an authority look quiet today.
func TestLastRecordsOnlyMoveForward(t *testing.T) {
	h := runlog.After(runlog.History{}, runlog.Outcome{Saved: 1}, runAt)
	h = runlog.After(h, runlog.Outcome{Saved: 1}, runAt.AddDate(-1, 0, 0))
	assert.Equal(t, runAt, h.LastRecords)
	assert.Zero(t, h.UsualGap)
	assert.False(t, runlog.SilentOn(h, runAt))
}
