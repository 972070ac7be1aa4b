package runlog_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/runlog"
)

var runAt = time.Date(2025, 5, 7, 10, 0, 0, 0, time.FixedZone("", 10*3600))

// house is a database with its log.
type house struct {
	*db.DB
	log *runlog.Log
}

func open(t *testing.T, path string, today time.Time) house {
	t.Helper()
	d, err := db.Open(t.Context(), path, db.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, d.Close()) })
	savers := func(table string, keys ...string) runlog.Saver { return d.Ledger(table, keys...) }
	l, err := runlog.NewLog(t.Context(), d, savers, today, today)
	require.NoError(t, err)
	return house{d, l}
}

func (h house) rows(t *testing.T, query string, args ...any) (all []map[string]any) {
	t.Helper()
	for r, err := range h.Query(t.Context(), query, args...) {
		require.NoError(t, err)
		row := map[string]any{}
		for _, f := range r {
			row[f.Name] = f.Value
		}
		all = append(all, row)
	}
	return all
}

// withStack is an error that knows where it comes from.
type withStack struct {
	error
	lines []string
}

func (e withStack) StackLines() []string { return e.lines }

func TestLogRows(t *testing.T) {
	h := open(t, filepath.Join(t.TempDir(), "data.sqlite"), runAt)
	stack := []string{"/app/vendor/a.go:1", "/app/vendor/b.go:2", "/app/vendor/c.go:3", "/app/lib/s.go:59", "/app/lib/s.go:30", "/app/lib/s.go:9", "/app/scraper.go:4", "/app/scraper.go:5"}
	outcomes := []runlog.Outcome{
		{Authority: "good", Saved: 10, Requests: 7, Took: 12340 * time.Millisecond},
		{Authority: "cut", Saved: 5, Unprocessable: 1, Err: withStack{errors.New("Part way"), stack}},
		{Authority: "broken", Unprocessable: 7, Err: &scraperutils.StatusError{Status: 404, URL: "http://a.example"}, Evidence: "evidence/x"},
		{Authority: "empty"},
		{Authority: "unfinished", Err: &scheduler.RunTimeoutError{Limit: time.Hour}, Unfinished: true},
	}
	for i := range outcomes {
		outcomes[i].Attempt, outcomes[i].Started = 1, runAt
		var err error
		outcomes[i], err = h.log.Ended(runAt, outcomes[i])
		require.NoError(t, err)
	}
	require.NoError(t, h.log.Summarise(t.Context(), runAt, 1, 123400*time.Millisecond, outcomes))

	row := func(label string) map[string]any {
		all := h.rows(t, "SELECT * FROM scrape_log WHERE authority_label = ?", label)
		require.Len(t, all, 1)
		return all[0]
	}
	assert.Equal(t, map[string]any{
		"run_at": "2025-05-07T10:00:00+10:00", "attempt": int64(1), "authority_label": "good", "records_saved": int64(10), "unprocessable_records": int64(0),
		"status": "successful", "error_message": nil, "error_class": nil, "error_backtrace": nil,
		"verdict": "ok", "failure_class": nil, "duration": 12.3, "requests": int64(7), "evidence": nil, "authorities_file": nil, "remark": nil, "source": nil,
	}, row("good"))
	assert.Equal(t, "interrupted", row("cut")["status"])
	assert.Equal(t, "partial", row("cut")["verdict"])
	assert.Equal(t, strings.Join([]string{stack[0], stack[1], stack[3], stack[4], stack[5], stack[6]}, "\n"), row("cut")["error_backtrace"])
	broken := row("broken")
	assert.Equal(t, []any{"failed", "failed", "http-4xx", "404 Not Found for http://a.example", "scraperutils.StatusError", nil, "evidence/x"},
		[]any{broken["status"], broken["verdict"], broken["failure_class"], broken["error_message"], broken["error_class"], broken["error_backtrace"], broken["evidence"]})
	assert.Equal(t, "failed", row("empty")["status"], "the gem's word for nothing saved")
	assert.Equal(t, "empty", row("empty")["verdict"])
	assert.Equal(t, "interrupted", row("unfinished")["status"])
	assert.Equal(t, "run-timeout", row("unfinished")["failure_class"])

	assert.Equal(t, []map[string]any{{
		"run_at": "2025-05-07T10:00:00+10:00", "attempt": int64(1), "duration": 123.4,
		"successful": "good", "failed": "broken,empty", "interrupted": "cut,unfinished",
		"successful_count": int64(1), "interrupted_count": int64(2), "failed_count": int64(2), "public_ip": nil,
	}}, h.rows(t, "SELECT * FROM scrape_summary"))

	ddl := h.rows(t, "SELECT sql FROM sqlite_schema WHERE name LIKE 'scrape_summary' OR tbl_name = 'scrape_summary' AND type = 'index' AND sql IS NOT NULL ORDER BY type DESC")
	assert.Equal(t, "CREATE TABLE scrape_summary ('run_at','attempt','duration','successful','failed','interrupted','successful_count','interrupted_count','failed_count','public_ip', UNIQUE ('run_at'))", ddl[0]["sql"])
	assert.Equal(t, "CREATE UNIQUE INDEX 'run_at' ON scrape_summary ('run_at')", ddl[1]["sql"])
	ddl = h.rows(t, "SELECT sql FROM sqlite_schema WHERE name = 'scrape_log'")
	assert.True(t, strings.HasPrefix(ddl[0]["sql"].(string), "CREATE TABLE scrape_log ('run_at','attempt','authority_label','records_saved','unprocessable_records','status','error_message','error_class','error_backtrace','verdict',"))
}

func TestOldRowsGo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data.sqlite")
	h := open(t, path, runAt)
	old := runAt.AddDate(0, 0, -31)
	for label, at := range map[string]time.Time{"old": old, "keep": runAt.AddDate(0, 0, -30)} {
		o, err := h.log.Ended(at, runlog.Outcome{Authority: label, Attempt: 1, Started: at, Saved: 1})
		require.NoError(t, err)
		require.NoError(t, h.log.Save(runlog.Run{At: at, Authorities: []string{label}}))
		require.NoError(t, h.log.Summarise(t.Context(), at, 1, time.Second, []runlog.Outcome{o}))
	}
	require.NoError(t, h.Close())
	h = open(t, path, runAt)
	assert.Equal(t, []map[string]any{{"authority_label": "keep"}}, h.rows(t, "SELECT authority_label FROM scrape_log"))
	assert.Len(t, h.rows(t, "SELECT * FROM scrape_summary"), 1)
	assert.Len(t, h.rows(t, "SELECT * FROM scrape_run"), 1)
	assert.Len(t, h.rows(t, "SELECT * FROM authority_history"), 2, "history is never trimmed")
}

// An attempt is known by a second of its own.
func TestBegin(t *testing.T) {
	h := open(t, filepath.Join(t.TempDir(), "data.sqlite"), runAt)
	at, err := h.log.Begin(t.Context(), runAt.Add(700*time.Millisecond))
	require.NoError(t, err)
	assert.Equal(t, runAt, at)
	o, err := h.log.Ended(at, runlog.Outcome{Authority: "a", Attempt: 1, Started: at})
	require.NoError(t, err)
	require.NoError(t, h.log.Summarise(t.Context(), at, 1, 0, []runlog.Outcome{o}))
	next, err := h.log.Begin(t.Context(), runAt.Add(900*time.Millisecond))
	require.NoError(t, err)
	assert.Equal(t, runAt.Add(time.Second).Unix(), next.Unix())
	later, err := h.log.Begin(t.Context(), runAt.Add(time.Hour))
	require.NoError(t, err)
	assert.Equal(t, runAt.Add(time.Hour), later)
}

func TestVerdicts(t *testing.T) {
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		outcome runlog.Outcome
		history runlog.History
		want    runlog.Verdict
		class   scraperutils.Class
		bad     bool
	}{
		"records":                        {runlog.Outcome{Saved: 1}, runlog.History{}, runlog.OK, "", false},
		"nothing, ever":                  {runlog.Outcome{}, runlog.History{}, runlog.Empty, "", false},
		"some, then an error":            {runlog.Outcome{Saved: 1, Err: broken}, runlog.History{}, runlog.Partial, "other", true},
		"an error":                       {runlog.Outcome{Err: broken}, runlog.History{}, runlog.Failed, "other", true},
		"an error of a class":            {runlog.Outcome{Err: fmt.Errorf("x: %w", &scraperutils.LayoutError{})}, runlog.History{}, runlog.Failed, "layout", true},
		"an error after it hung":         {runlog.Outcome{Err: broken, Overdue: true}, runlog.History{}, runlog.Failed, "stuck", true},
		"nothing since a month":          {runlog.Outcome{}, runlog.History{LastRecords: runAt.AddDate(0, 0, -33)}, runlog.Empty, "", false},
		"nothing for longer":             {runlog.Outcome{}, runlog.History{LastRecords: runAt.AddDate(0, 0, -34)}, runlog.Silent, "", true},
		"nothing, but it is often quiet": {runlog.Outcome{}, runlog.History{LastRecords: runAt.AddDate(0, 0, -59), UsualGap: 20 * 24 * time.Hour}, runlog.Empty, "", false},
		"nothing, even for a quiet one":  {runlog.Outcome{}, runlog.History{LastRecords: runAt.AddDate(0, 0, -61), UsualGap: 20 * 24 * time.Hour}, runlog.Silent, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			o := runlog.Judge(c.outcome, c.history, runAt)
			assert.Equal(t, c.want, o.Verdict)
			assert.Equal(t, c.class, o.Class)
			assert.Equal(t, c.bad, o.Verdict.Bad())
		})
	}
}

func TestRetryable(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"no error":           {nil, false},
		"a status":           {&scraperutils.StatusError{Status: 500}, true},
		"a changed layout":   {&scraperutils.LayoutError{}, true},
		"useless by its own": {fmt.Errorf("x: %w", &scraperutils.UnprocessableSite{Reason: "too many"}), false},
		"robots":             {&scraperutils.UnprocessableSite{Kind: scraperutils.ClassRobots}, false},
		"configuration":      {&scraperutils.ConfigError{}, false},
		"the run's end":      {&scheduler.RunTimeoutError{}, false},
		"left behind":        {&scheduler.StuckError{}, false},
		"a panic":            {&scheduler.PanicError{Value: "x"}, true},
	} {
		assert.Equal(t, c.want, runlog.Judge(runlog.Outcome{Err: c.err}, runlog.History{}, runAt).Retryable(), name)
	}
}

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
	_, err = runlog.ReadOverview(t.Context(), h, runlog.View{Database: "x", Now: runAt})
	assert.ErrorIs(t, err, runlog.ErrNoRun)
	failed, err := runlog.Failing(t.Context(), h)
	require.NoError(t, err)
	assert.Empty(t, failed)
}

func TestReportTable(t *testing.T) {
	outcomes := []runlog.Outcome{
		{Authority: "good", Saved: 10, Verdict: runlog.OK},
		{Authority: "cut", Saved: 5, Unprocessable: 1, Err: errors.New("Part way"), Verdict: runlog.Partial, Class: "other"},
		{Authority: "broken", Unprocessable: 7, Err: errors.New("It is BROKEN\nindeed"), Verdict: runlog.Failed, Class: "other"},
		{Authority: "empty", Verdict: runlog.Empty},
		{Authority: "quiet", Verdict: runlog.Silent},
	}
	r := runlog.NewReport(outcomes, []string{"broken", "cut"})
	assert.Equal(t, `MORPH_EXPECT_BAD=broken, cut

Scraping Summary:
Authority                OK    Bad Exception
-------------------- ------ ------ --------------------------------------------------
good                     10      0 -
cut                       5      1 [EXPECT BAD] other - Part way
broken                    0      7 [EXPECT BAD] other - It is BROKEN indeed
empty                     0      0 -
quiet                     0      0 silent - it used to give records and has given none for too long
`, r.Table())
	assert.Equal(t, []string{"ERROR: Unexpected errors in: quiet (Add to MORPH_EXPECT_BAD?)", "  quiet: silent - it used to give records and has given none for too long"}, r.Problems())

	assert.Equal(t, []string{
		"WARNING: Remove good from MORPH_EXPECT_BAD as it now works!",
		"ERROR: Unexpected errors in: cut,broken (Add to MORPH_EXPECT_BAD?)", "  cut: other - Part way", "  broken: other - It is BROKEN indeed",
	}, runlog.NewReport(outcomes[:4], []string{"good", "empty", "nosuch"}).Problems())
	assert.Empty(t, runlog.NewReport(outcomes[:4], []string{"cut", "broken"}).Problems())

	wide := strings.Split(runlog.NewReport([]runlog.Outcome{{Authority: "a_council_with_a_long_label", Saved: 1}}, nil).Table(), "\n")
	assert.Equal(t, "a_council_with_a_long_label      1      0 -", wide[5])
	assert.Equal(t, "Authority                       OK    Bad Exception", wide[3], "a long label makes the column wider")

	long := runlog.NewReport([]runlog.Outcome{{Authority: "good", Saved: 10, Err: errors.New(strings.Repeat("e", 400)), Class: "other"}}, nil).Table()
	lines := strings.Split(strings.TrimSpace(long), "\n")
	assert.Len(t, lines[len(lines)-1], len("good                     10      0 ")+250)
}

func TestBacktrace(t *testing.T) {
	lib, own := "/app/vendor/x.rb:1", "/app/lib/s.rb:"
	for _, c := range []struct{ in, want []string }{
		{[]string{lib, lib, "/r/gems/y.rb:2", own + "1", own + "2", own + "3", own + "4", own + "5"}, []string{lib, lib, own + "1", own + "2", own + "3", own + "4"}},
		{[]string{own + "1", lib, lib, lib}, []string{own + "1", lib}},
		{[]string{lib}, []string{lib}},
		{nil, nil},
		{[]string{"main.go:1", "main.go:2", "/usr/local/go/src/net/http/server.go:3", "/m/github.com/x/y@v1.2.3/y.go:4", "main.go:5"}, []string{"main.go:1", "main.go:2", "main.go:5"}},
	} {
		assert.Equal(t, c.want, runlog.Backtrace(fmt.Errorf("x: %w", withStack{errors.New("x"), c.in})))
	}
	assert.Nil(t, runlog.Backtrace(errors.New("x")))
	assert.Equal(t, " [/app/lib/s.rb:1]", runlog.ProjectLine(withStack{errors.New("x"), []string{lib, own + "1"}}))
	assert.Equal(t, "", runlog.ProjectLine(withStack{errors.New("x"), []string{lib}}))
	assert.Equal(t, "", runlog.ProjectLine(errors.New("x")))
}

func TestTimeline(t *testing.T) {
	line := runlog.NewTimeline(runAt)
	at := func(ms int, kind scraperutils.EventKind, wait scraperutils.Wait) {
		line.Observe(scraperutils.Event{Time: runAt.Add(time.Duration(ms) * time.Millisecond), Kind: kind, Label: "a", Wait: wait})
	}
	at(0, scraperutils.EventStarted, scraperutils.Wait{})
	at(10, scraperutils.EventSent, scraperutils.Wait{})
	at(110, scraperutils.EventAnswered, scraperutils.Wait{})
	at(120, scraperutils.EventResumed, scraperutils.Wait{})
	at(130, scraperutils.EventWaiting, scraperutils.Wait{Rule: "busy host"})
	at(140, scraperutils.EventWaiting, scraperutils.Wait{Rule: "max_load", Until: runAt.Add(time.Second)})
	at(1000, scraperutils.EventSent, scraperutils.Wait{})
	at(1100, scraperutils.EventAnswered, scraperutils.Wait{})
	at(1100, scraperutils.EventResumed, scraperutils.Wait{})
	at(1150, scraperutils.EventEnded, scraperutils.Wait{})
	l := line.Line("a")
	text, err := json.Marshal(l.Segments)
	require.NoError(t, err)
	assert.JSONEq(t, `[["reading",0,10,""],["server",10,110,""],["queued",110,120,"turn"],["reading",120,130,""],["queued",130,140,"busy host"],
		["polite",140,1000,"max_load"],["server",1000,1100,""],["reading",1100,1150,""]]`, string(text))
	assert.Equal(t, 860*time.Millisecond, l.Totals["polite: max_load"])
	assert.Equal(t, 200*time.Millisecond, l.Totals["server"])
	var back []runlog.Segment
	require.NoError(t, json.Unmarshal(text, &back))
	assert.Equal(t, l.Segments, back)
	assert.Nil(t, line.Line("nobody"))
	assert.Error(t, json.Unmarshal([]byte(`[["x"]]`), &[]int{}))
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
	line := runlog.NewTimeline(runAt)
	for _, e := range []scraperutils.Event{{Kind: scraperutils.EventStarted}, {Kind: scraperutils.EventSent}, {Kind: scraperutils.EventAnswered}, {Kind: scraperutils.EventEnded}} {
		e.Label, e.Time = "good", runAt.Add(time.Duration(len(e.Kind))*10*time.Second)
		line.Observe(e)
	}
	require.NoError(t, h.log.Keep(runAt, "good", line.Line("good")))
	require.NoError(t, h.log.Settle(ctx))

	o, err := runlog.ReadOverview(ctx, h, runlog.View{Database: "data.sqlite", Now: runAt})
	require.NoError(t, err)
	assert.Equal(t, []string{"killed"}, o.Run.Unfinished)
	assert.Equal(t, map[runlog.Verdict]int{runlog.OK: 1, runlog.Failed: 1}, o.Run.Verdicts)
	assert.Equal(t, 60.0, o.Run.Seconds)
	assert.Equal(t, 5, o.Run.Records)
	byLabel := map[string]runlog.AuthorityOverview{}
	for _, a := range o.Authorities {
		byLabel[a.Label] = a
	}
	assert.Len(t, byLabel, 4)
	bad := byLabel["bad"]
	assert.Equal(t, "http-5xx", string(bad.Class), "the last attempt counts")
	assert.Equal(t, 2, bad.Attempts)
	assert.Equal(t, "scrape --authority bad --replay '/tmp/my evidence/run' --as-of 2025-05-07 --db replay.sqlite", bad.Replay)
	good := byLabel["good"]
	assert.Equal(t, runlog.DayOverview{Verdict: runlog.OK, Records: 5, Runs: 1}, good.Days[29])
	assert.Equal(t, runlog.DayOverview{Verdict: runlog.OK, Records: 4, Runs: 1}, good.Days[28])
	assert.Equal(t, runlog.DayOverview{}, good.Days[27])
	assert.False(t, byLabel["gone"].InRun)
	assert.Contains(t, o.Run.Critical.Sentence, "because good took until")
	text := o.Text()
	assert.Contains(t, text, "1 ok, 1 failed, 1 without an outcome; 5 records")
	assert.Contains(t, text, "bad: failed (http-5xx), 0 records\n  500 Internal Server Error for http://a.example\n  replay it: scrape --authority bad")
	assert.Contains(t, text, "without an outcome: killed")

	failed, err := runlog.Failing(ctx, h)
	require.NoError(t, err)
	assert.Equal(t, map[string]bool{"good": false, "gone": false, "bad": true, "killed": true}, failed)
}
