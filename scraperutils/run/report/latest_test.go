package report_test

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/run/report"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
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

	o, err := report.Read(t.Context(), h, report.View{Terms: report.Councils, Database: "x", Now: morning})
	require.NoError(t, err)
	assert.Equal(t, `
Still (1): bad the time before too
  hobart: failed (other), 0 records, in all 2 runs since 2025-05-07
    still broken

Recovered (1): bad the time before, well now
  noosa: ok, 7 records, after a bad run on 2025-05-07: other

Earlier (2): not in this run, and as they were left by an earlier one
  kyogle: failed (other), 0 records, in the run of 7 May 2025 10:00 +10:00, in its only run
    it broke
    replay it: scrape --authority kyogle --replay /e/night --as-of 2025-05-07T00:00:00Z --db replay.sqlite
  late: unfinished, in the run of 7 May 2025 10:00 +10:00

Try again what failed: scrape --failed --db x
`, o.Text()[len("Run of 7 May 2025 18:00 +10:00 (2025-05-07T18:00:00): it has not ended: it was killed\n1 ok, 1 failed; 7 records, 0 requests\n"):])
	_, page := pageOf(t, o)
	assert.Equal(t, "1 of 2 authorities needs attention, and 2 of earlier runs", said(page, "h1"))
	assert.Equal(t, []string{"hobart", "kyogle", "late"}, texts(page.Find("#is-still ~ ul h4, #is-earlier ~ ul h4")))
	assert.Contains(t, said(page, "#is-earlier ~ ul li"), "in the run of 7 May 2025 10:00 +10:00")
	assert.Contains(t, said(page, "#unfinished"), "late unfinished in the run of")

	o, err = report.Read(t.Context(), h, report.View{Terms: report.Councils, Database: "x", Now: morning, Run: "2025-05-07T10"})
	require.NoError(t, err)
	assert.Equal(t, map[runlog.Verdict]int{runlog.OK: 1, runlog.Failed: 3}, o.Run.Verdicts)
	assert.Equal(t, []string{"late"}, o.Run.Unfinished)
	assert.Contains(t, o.Text(), "\n  noosa: failed (other), 0 records, in its only run\n    it broke\n", "as it was then")
	assert.NotContains(t, o.Text(), "still broken")

	for id, known := range map[string][]string{
		"2025":  {"2025-05-07T10:00:00", "2025-05-07T18:00:00"},
		"never": {"2025-05-07T10:00:00", "2025-05-07T18:00:00"},
	} {
		_, err = report.Read(t.Context(), h, report.View{Terms: report.Councils, Run: id})
		var unknown *report.UnknownRunError
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
	o, err := report.Read(t.Context(), h, report.View{Terms: report.Councils, Now: killed})
	require.NoError(t, err)
	assert.Contains(t, o.Text(), "\nwithout an outcome: a, b\n")
	assert.NotContains(t, o.Text(), "Earlier")
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
	o, err := report.Read(t.Context(), h, report.View{Terms: report.Councils, Now: runAt, Process: 4711})
	require.NoError(t, err)
	assert.Contains(t, o.Text(), "it goes on, in process 4711\n1 ok, 1 still to come; 1 record, 0 requests\n")
	assert.Contains(t, o.Text(), "\nstill to come: b\n")
	_, page := pageOf(t, o)
	assert.Contains(t, said(page, ".lede"), "goes on, in process 4711.")
	assert.Equal(t, "The one authority is well", said(page, "h1"))
	assert.Zero(t, page.Find(".group").Length())
}

// How long it has been silent is counted up to the day that the run was for.
func TestSilenceIsOfTheRunsDay(t *testing.T) {
	_, doc := pageOf(t, &report.Overview{Terms: report.Councils, Days: []string{"2026-11-22"}, Authorities: []report.Authority{
		{Label: "a", InRun: true, Verdict: runlog.Silent, Day: "2025-06-20", LastRecords: "2025-05-01", Days: []report.Day{{Verdict: runlog.Silent, Runs: 10}}},
	}})
	assert.Contains(t, said(doc, ".what"), "has given no records for 50 days.")
}

// Exit code 1 has a reason, in the terminal and on the page.
func TestReasons(t *testing.T) {
	outcomes := []runlog.Outcome{{Authority: "good", Saved: 10, Verdict: runlog.OK}}
	reasons := report.New(outcomes, []string{"good"}, report.Councils).Reasons()
	h := open(t, filepath.Join(t.TempDir(), "data.sqlite"), runAt)
	require.NoError(t, h.log.Save(runlog.Run{At: runAt, Authorities: []string{"good"}, Ended: runAt, ExitCode: 1, Reasons: reasons[0] + "\nERROR: disk full"}))
	require.NoError(t, h.log.Settle(t.Context()))
	o, err := report.Read(t.Context(), h, report.View{Terms: report.Councils, Now: runAt})
	require.NoError(t, err)
	assert.Contains(t, o.Text(), "\nWARNING: Remove good from MORPH_EXPECT_BAD as it now works!\nERROR: disk full\n")
	_, page := pageOf(t, o)
	assert.Equal(t, []string{"WARNING: Remove good from MORPH_EXPECT_BAD as it now works!", "ERROR: disk full"}, texts(page.Find(".cause")))
}
