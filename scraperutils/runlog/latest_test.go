package runlog_test

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/runlog"
)

// In the night three authorities fail and one is cut short; in the morning one is mended. The others still fail.
func TestAttentionGoesByTheLatestOutcome(t *testing.T) {
	h := open(t, filepath.Join(t.TempDir(), "data.sqlite"), runAt)
	broken := errors.New("it broke")
	night := runlog.Run{At: runAt, Day: runAt, Source: runlog.FromNetwork, Authorities: []string{"good", "noosa", "kyogle", "hobart", "late"}}
	h.ran(t, runAt, runlog.FromNetwork, runlog.Outcome{Authority: "good", Saved: 4}, runlog.Outcome{Authority: "noosa", Err: broken},
		runlog.Outcome{Authority: "kyogle", Err: broken, Evidence: "/e/night"}, runlog.Outcome{Authority: "hobart", Err: broken, Evidence: "/e/night"})
	require.NoError(t, h.log.Save(night))
	morning := runAt.Add(8 * time.Hour)
	h.ran(t, morning, runlog.FromNetwork, runlog.Outcome{Authority: "noosa", Saved: 7}, runlog.Outcome{Authority: "hobart", Err: errors.New("still broken")})

	failing, err := runlog.Failing(t.Context(), h)
	require.NoError(t, err)
	assert.Equal(t, map[string]bool{"good": false, "noosa": false, "kyogle": true, "hobart": true, "late": true}, failing)

	o, err := runlog.ReadOverview(t.Context(), h, runlog.View{Database: "x", Now: morning})
	require.NoError(t, err)
	assert.Equal(t, `
hobart: failed (other), 0 records
  still broken

Not in this run, and as they were left by an earlier one:

kyogle: failed (other), 0 records, in the run of 7 May 2025 10:00 +10:00
  it broke
  replay it: scrape --authority kyogle --replay /e/night --as-of 2025-05-07 --db replay.sqlite

late: without an outcome in the run of 7 May 2025 10:00 +10:00
`, o.Text()[len("Run of 7 May 2025 18:00 +10:00 (2025-05-07T18:00:00): it has not ended: it was killed\n1 ok, 1 failed; 7 records, 0 requests\n"):])
	_, page := pageOf(t, o)
	assert.Equal(t, "1 of 2 authorities needs attention, and 2 of earlier runs", said(page, "h1"))
	assert.Equal(t, []string{"hobart", "kyogle"}, texts(page.Find("#failed ~ ul h4")))
	assert.Contains(t, said(page, "#failed ~ ul li:last-child"), "in the run of 7 May 2025 10:00 +10:00")
	assert.Equal(t, []string{"late"}, texts(page.Find("#unfinished ~ ul h4")))

	o, err = runlog.ReadOverview(t.Context(), h, runlog.View{Database: "x", Now: morning, Run: "2025-05-07T10"})
	require.NoError(t, err)
	assert.Equal(t, map[runlog.Verdict]int{runlog.OK: 1, runlog.Failed: 3}, o.Run.Verdicts)
	assert.Equal(t, []string{"late"}, o.Run.Unfinished)
	assert.Contains(t, o.Text(), "\nnoosa: failed (other), 0 records\n  it broke\n", "as it was then")
	assert.NotContains(t, o.Text(), "still broken")

	for id, known := range map[string][]string{
		"2025":  {"2025-05-07T10:00:00", "2025-05-07T18:00:00"},
		"never": {"2025-05-07T10:00:00", "2025-05-07T18:00:00"},
	} {
		_, err = runlog.ReadOverview(t.Context(), h, runlog.View{Run: id})
		var unknown *runlog.UnknownRunError
		require.ErrorAs(t, err, &unknown)
		assert.Equal(t, known, unknown.Known)
	}
}

// An authority of a run that was killed is named once, as one of that run, whatever became of it before.
func TestKilledRunAfterOthers(t *testing.T) {
	h := open(t, filepath.Join(t.TempDir(), "data.sqlite"), runAt)
	h.ran(t, runAt, runlog.FromNetwork, runlog.Outcome{Authority: "a", Saved: 4}, runlog.Outcome{Authority: "b", Err: errors.New("it broke")})
	killed := runAt.Add(time.Hour)
	require.NoError(t, h.log.Save(runlog.Run{At: killed, Day: killed, Source: runlog.FromNetwork, Authorities: []string{"a", "b"}}))
	require.NoError(t, h.log.Settle(t.Context()))
	o, err := runlog.ReadOverview(t.Context(), h, runlog.View{Now: killed})
	require.NoError(t, err)
	assert.Contains(t, o.Text(), "\nwithout an outcome: a, b\n")
	assert.NotContains(t, o.Text(), "Not in this run")
	assert.Equal(t, killed, o.Authorities[1].RunAt)
	_, page := pageOf(t, o)
	assert.Equal(t, "2 of 2 authorities need attention", said(page, "h1"))
}

// A run that goes on has failed nobody yet.
func TestRunThatGoesOn(t *testing.T) {
	h := open(t, filepath.Join(t.TempDir(), "data.sqlite"), runAt)
	require.NoError(t, h.log.Save(runlog.Run{At: runAt, Day: runAt, Authorities: []string{"a", "b"}}))
	_, err := h.log.Ended(runAt, runlog.Outcome{Authority: "a", Attempt: 1, Started: runAt, Saved: 1})
	require.NoError(t, err)
	require.NoError(t, h.log.Settle(t.Context()))
	o, err := runlog.ReadOverview(t.Context(), h, runlog.View{Now: runAt, Process: 4711})
	require.NoError(t, err)
	assert.Contains(t, o.Text(), "it goes on, in process 4711\n1 ok, 1 still to come; 1 record, 0 requests\n")
	assert.Contains(t, o.Text(), "\nstill to come: b\n")
	_, page := pageOf(t, o)
	assert.Contains(t, said(page, ".lede"), "goes on, in process 4711.")
	assert.Equal(t, "The one authority is well", said(page, "h1"))
	assert.Zero(t, page.Find(".group").Length())
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

// How long it has been silent is counted up to the day that the run was for.
func TestSilenceIsOfTheRunsDay(t *testing.T) {
	_, doc := pageOf(t, &runlog.Overview{Days: []string{"2026-11-22"}, Authorities: []runlog.AuthorityOverview{
		{Label: "a", InRun: true, Verdict: runlog.Silent, Day: "2025-06-20", LastRecords: "2025-05-01", Days: []runlog.DayOverview{{Verdict: runlog.Silent, Runs: 10}}},
	}})
	assert.Contains(t, said(doc, ".what"), "has given no records for 50 days.")
	assert.Contains(t, said(doc, ".who"), "on the only day that it ran, in the last of 10 runs")
}

// Exit code 1 has a reason, in the terminal and on the page.
func TestReasons(t *testing.T) {
	outcomes := []runlog.Outcome{{Authority: "good", Saved: 10, Verdict: runlog.OK}}
	reasons := runlog.NewReport(outcomes, []string{"good"}).Reasons()
	h := open(t, filepath.Join(t.TempDir(), "data.sqlite"), runAt)
	require.NoError(t, h.log.Save(runlog.Run{At: runAt, Authorities: []string{"good"}, Ended: runAt, ExitCode: 1, Reasons: reasons[0] + "\nERROR: disk full"}))
	require.NoError(t, h.log.Settle(t.Context()))
	o, err := runlog.ReadOverview(t.Context(), h, runlog.View{Now: runAt})
	require.NoError(t, err)
	assert.Contains(t, o.Text(), "\nWARNING: Remove good from MORPH_EXPECT_BAD as it now works!\nERROR: disk full\n")
	_, page := pageOf(t, o)
	assert.Equal(t, []string{"WARNING: Remove good from MORPH_EXPECT_BAD as it now works!", "ERROR: disk full"}, texts(page.Find(".cause")))
}

// What stands in a database need not have come from this program: nothing of it does more in a shell than be a word.
func TestReplayCommandIsOneCommand(t *testing.T) {
	h := open(t, filepath.Join(t.TempDir(), "data.sqlite"), runAt)
	h.ran(t, runAt, runlog.FromNetwork, runlog.Outcome{Authority: "$(id);'x", Err: errors.New("it broke"), Evidence: "/e/$x", File: "my rows.yml"})
	o, err := runlog.ReadOverview(t.Context(), h, runlog.View{Database: "x", Now: runAt})
	require.NoError(t, err)
	assert.Equal(t, `scrape --authority '$(id);'\''x' --authorities 'my rows.yml' --replay '/e/$x' --as-of 2025-05-07 --db replay.sqlite`, o.Authorities[0].Replay)
}
