package report_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db"
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
