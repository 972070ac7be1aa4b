package metrics_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/metrics"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
	"github.com/multiscraper/multiscraper/scraperutils/run/trace"
)

// nights writes runs into a database.
type nights struct {
	t      *testing.T
	file   *db.DB
	savers []runlog.Saver
	log    *runlog.Log
}

func open(t *testing.T) nights {
	t.Helper()
	file, err := db.Open(t.Context(), filepath.Join(t.TempDir(), "data.sqlite"), db.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, file.Close()) })
	var savers []runlog.Saver
	log, err := runlog.NewLog(t.Context(), file, func(table string, keys ...string) runlog.Saver {
		savers = append(savers, file.Ledger(table, keys...))
		return savers[len(savers)-1]
	}, began, began)
	require.NoError(t, err)
	return nights{t, file, savers, log}
}

// run writes a run with what became of its authorities; nil: it is well. "Unfinished" is of one that has no outcome.
func (n nights) run(at time.Time, ended bool, cause string, labels []string, failures map[string]error) {
	n.t.Helper()
	r := runlog.Run{At: at, Day: at, Authorities: labels, Source: runlog.FromNetwork, Cause: cause}
	if ended {
		r.Ended, r.Took, r.ExitCode = at.Add(time.Minute), time.Minute, 1
	}
	require.NoError(n.t, n.log.Save(r))
	for label, err := range failures {
		o := runlog.Outcome{Authority: label, Attempt: 1, Started: at, Took: 2 * time.Second, Requests: 3, Err: err}
		if err == nil {
			o.Saved = 5
		}
		_, err := n.log.Ended(at, o)
		require.NoError(n.t, err)
		require.NoError(n.t, n.log.Keep(at, label, &trace.Line{Totals: trace.Totals{"polite: max_load": time.Second, "server": time.Second}}))
	}
	for _, s := range n.savers {
		require.NoError(n.t, s.Settle(n.t.Context()))
	}
}

// read returns what Prometheus is told of the last run.
func (n nights) read(known metrics.Last) (metrics.Last, string) {
	n.t.Helper()
	last, err := metrics.ReadLast(n.t.Context(), n.file, known, func(label string) string { return "of " + label })
	require.NoError(n.t, err)
	var text bytes.Buffer
	if last.Run != nil {
		require.NoError(n.t, metrics.Write(&text, last.Run, last.Runs))
	}
	return last, text.String()
}

func TestReadLast(t *testing.T) {
	n, layout := open(t), &scraperutils.LayoutError{}
	last, _ := n.read(metrics.Last{})
	assert.Nil(t, last.Run)
	all := []string{"a", "b", "c", "d"}
	n.run(began, true, "", all, map[string]error{"a": nil, "b": layout, "c": layout, "d": nil})
	n.run(began.Add(time.Hour), true, "", all, map[string]error{"a": layout, "b": layout, "c": nil})
	last, text := n.read(last)
	for _, line := range []string{
		`multiscraper_last_run_changes{change="new",platform="of a"} 1`, `multiscraper_last_run_changes{change="still",platform="of b"} 1`, `multiscraper_last_run_changes{change="recovered",platform="of c"} 1`,
		`multiscraper_last_run_changes{change="unfinished",platform="of d"} 1`, `multiscraper_last_run_authorities{class="layout",platform="of a",verdict="failed"} 1`,
		`multiscraper_last_run_records{platform="of c"} 5`, `multiscraper_last_run_requests{platform="of c"} 3`, `multiscraper_last_run_authority_seconds{platform="of c"} 2`,
		`multiscraper_last_run_wait_seconds{rule="max_load"} 3`, `multiscraper_last_run_start_timestamp_seconds{source="network"} 1.79522742e+09`, `multiscraper_runs{exit_code="1",source="network"} 2`,
	} {
		assert.Contains(t, text, line+"\n")
	}
	assert.NotContains(t, text, "page_bytes")

	n.run(began.Add(2*time.Hour), false, "", all, map[string]error{"a": nil})
	again, text := n.read(last)
	assert.Same(t, last.Run, again.Run, "it is not read twice")
	assert.Contains(t, text, `multiscraper_runs{exit_code="none",source="network"} 1`, "the one that goes on, or was killed")
	assert.Contains(t, text, `multiscraper_last_run_wait_seconds{rule="max_load"} 3`, "though the next run has begun")

	n.run(began.Add(3*time.Hour), true, "SIGTERM", all, map[string]error{"a": layout, "b": errors.New("stopped"), "c": nil, "d": nil})
	_, text = n.read(again)
	assert.Contains(t, text, `multiscraper_last_run_changes{change="unfinished",platform="of b"} 1`, "a stopped run says nothing about it")
	assert.Contains(t, text, `multiscraper_last_run_changes{change="new",platform="of a"} 1`)
}
