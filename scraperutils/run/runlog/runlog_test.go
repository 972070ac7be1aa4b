package runlog_test

import (
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
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
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
	assert.Len(t, h.rows(t, "SELECT * FROM scrape_run"), 2, "runs are kept for longer")
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

// A turn that was held for too long is remarked upon, and makes no failure.
func TestOverdueRow(t *testing.T) {
	h := open(t, filepath.Join(t.TempDir(), "data.sqlite"), runAt)
	h.ran(t, runAt, runlog.FromNetwork, runlog.Outcome{Authority: "slow", Saved: 1, Overdue: true})
	assert.Equal(t, []map[string]any{{"verdict": "ok", "status": "successful", "error_message": nil, "remark": runlog.OverdueRemark}},
		h.rows(t, "SELECT verdict, status, error_message, remark FROM scrape_log"))
	assert.Equal(t, runlog.OverdueRemark, h.results(t)[0].Note)
}
