package report_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/news"
	"github.com/multiscraper/multiscraper/scraperutils/run/report"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
	"github.com/multiscraper/multiscraper/scraperutils/run/trace"
)

// Of a run that goes on, its process is known; of a database without one, that.
func TestLastRun(t *testing.T) {
	h := open(t, filepath.Join(t.TempDir(), "data.sqlite"), runAt)
	_, err := report.ReadLast(t.Context(), h, 4711)
	require.ErrorIs(t, err, report.ErrNoRun)
	h.ran(t, runAt, runlog.FromNetwork, runlog.Outcome{Authority: "good", Saved: 4})
	h.ran(t, runAt.Add(time.Hour), runlog.FromReplay, runlog.Outcome{Authority: "replayed", Saved: 1})
	require.NoError(t, h.log.Settle(t.Context()))
	last, err := report.ReadLast(t.Context(), h, 4711)
	require.NoError(t, err)
	assert.Equal(t, 4711, last.Process)
	assert.True(t, last.At.Equal(runAt), "replays stand apart")
	assert.Equal(t, map[runlog.Verdict]int{runlog.OK: 1}, last.Verdicts)
}

func TestOverview(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data.sqlite")
	h := open(t, path, runAt)
	ctx := context.Background()
	day := func(at time.Time, outcomes ...runlog.Outcome) {
		var labels []string
		for i, o := range outcomes {
			o.Attempt, o.Started = 1, at
			var err error
			outcomes[i], err = h.log.Ended(at, o)
			require.NoError(t, err)
			labels = append(labels, o.Authority)
		}
		require.NoError(t, h.log.Save(runlog.Run{At: at, Day: runAt, Authorities: append(labels, "killed"), Ended: at.Add(time.Minute), Took: time.Minute, ExitCode: 1}))
		require.NoError(t, h.log.Summarise(ctx, at, 1, time.Minute, outcomes))
	}
	day(runAt.AddDate(0, 0, -1), runlog.Outcome{Authority: "good", Saved: 4}, runlog.Outcome{Authority: "gone", Saved: 1})
	day(runAt, runlog.Outcome{Authority: "good", Saved: 5, Requests: 2, Took: 50 * time.Second},
		runlog.Outcome{Authority: "bad", Err: &scraperutils.LayoutError{URL: "http://a.example", Missing: "table.grid"}, Evidence: "/tmp/my evidence/run"})
	second := runAt.Add(30 * time.Second)
	_, err := h.log.Ended(second, runlog.Outcome{Authority: "bad", Attempt: 2, Started: second, Err: &scraperutils.StatusError{Status: 500, URL: "http://a.example"}, Requests: 1, Evidence: "/tmp/my evidence/run"})
	require.NoError(t, err)
	line := trace.New(runAt)
	for _, e := range []scraperutils.Event{{Kind: scraperutils.EventStarted}, {Kind: scraperutils.EventSent}, {Kind: scraperutils.EventAnswered}, {Kind: scraperutils.EventEnded}} {
		e.Label, e.Time = "good", runAt.Add(time.Duration(len(e.Kind))*10*time.Second)
		line.Observe(e)
	}
	require.NoError(t, h.log.Keep(runAt, "good", line.Line("good")))
	require.NoError(t, h.log.Settle(ctx))

	o, err := report.Read(ctx, h, report.View{Terms: report.Councils, Database: "data.sqlite", Now: runAt})
	require.NoError(t, err)
	assert.Equal(t, []string{"killed"}, o.Run.Unfinished)
	assert.Equal(t, map[runlog.Verdict]int{runlog.OK: 1, runlog.Failed: 1}, o.Run.Verdicts)
	assert.Equal(t, 60.0, o.Run.Seconds)
	assert.Equal(t, 5, o.Run.Records)
	byLabel := map[string]report.Authority{}
	for _, a := range o.Authorities {
		byLabel[a.Label] = a
	}
	assert.Len(t, byLabel, 4)
	bad := byLabel["bad"]
	assert.Equal(t, "http-5xx", string(bad.Class), "the last attempt counts")
	assert.Equal(t, 2, bad.Attempts)
	assert.Equal(t, "scrape --authority bad --replay '/tmp/my evidence/run' --as-of 2025-05-07T00:00:00Z --db replay.sqlite", bad.Replay)
	good := byLabel["good"]
	assert.Equal(t, report.Day{Verdict: runlog.OK, Records: 5, Runs: 1}, good.Days[29])
	assert.Equal(t, report.Day{Verdict: runlog.OK, Records: 4, Runs: 1}, good.Days[28])
	assert.Equal(t, report.Day{}, good.Days[27])
	assert.False(t, byLabel["gone"].InRun)
	assert.Contains(t, o.Run.Critical.Sentence, "because good took until")
	last, err := report.ReadLast(ctx, h, 4711)
	require.NoError(t, err)
	whole := o.Run
	whole.Critical = nil
	assert.Equal(t, whole, last)
	text := o.Text()
	assert.Contains(t, text, "1 ok, 1 failed, 1 without an outcome; 5 records")
	assert.Contains(t, text, "  bad: failed (http-5xx), 0 records, in its only run\n    500 Internal Server Error for http://a.example\n    replay it: scrape --authority bad")
	assert.Contains(t, text, "without an outcome: killed")

	failed, err := runlog.Failing(ctx, h)
	require.NoError(t, err)
	assert.Equal(t, map[string]bool{"good": false, "gone": false, "bad": true, "killed": true}, failed)
}

func TestNoRun(t *testing.T) {
	h := open(t, filepath.Join(t.TempDir(), "data.sqlite"), runAt)
	_, err := report.Read(t.Context(), h, report.View{Terms: report.Councils, Database: "x", Now: runAt})
	assert.ErrorIs(t, err, report.ErrNoRun)
}

// A database may be anybody's: what stands in it is no command of a shell's.
func TestReplayOfAHostileLabel(t *testing.T) {
	h := open(t, filepath.Join(t.TempDir(), "data.sqlite"), runAt)
	h.ran(t, runAt, runlog.FromNetwork, runlog.Outcome{Authority: "a;reboot\x1b[2J", Err: errors.New("broken"), Evidence: "/e"})
	o, err := report.Read(t.Context(), h, report.View{Terms: report.Councils, Database: "x", Now: runAt})
	require.NoError(t, err)
	assert.Equal(t, `scrape --authority $'a;reboot\x1b[2J' --replay /e --as-of 2025-05-07T00:00:00Z --db replay.sqlite`, o.Authorities[0].Replay)
}

// Every form of the report for people says that built-in sites make up their records, and says so of no others.
func TestBannerOfBuiltInSites(t *testing.T) {
	for source, madeUp := range map[runlog.Source]bool{runlog.FromFixtures: true, runlog.FromNetwork: false, runlog.FromReplay: false} {
		t.Run(string(source), func(t *testing.T) {
			h := open(t, filepath.Join(t.TempDir(), "data.sqlite"), runAt)
			h.ran(t, runAt, source, runlog.Outcome{Authority: "a", Saved: 1})
			o := h.read(t, report.View{})
			_, index := pageOf(t, o)
			var b bytes.Buffer
			require.NoError(t, report.WriteAuthority(&b, o, &o.Authorities[0], report.Recordings{}, nil, report.Links{}))
			authority, err := goquery.NewDocumentFromReader(&b)
			require.NoError(t, err)
			banner := ""
			if madeUp {
				banner = news.MadeUp
			}
			assert.Equal(t, banner, said(index, "header > .banner"))
			assert.Equal(t, banner, said(authority, "header > .banner"))
			assert.Equal(t, madeUp, strings.HasPrefix(o.Text(), news.MadeUp+"\n"))
		})
	}
}
