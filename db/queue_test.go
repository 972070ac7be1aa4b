package db

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// drain ends each group as soon as it is due and tells how many rows it had, and when that was.
func drain(q *queue) <-chan []time.Duration {
	began := time.Now()
	ended := make(chan []time.Duration)
	go func() {
		var due []time.Duration // once for each row
		for {
			w := q.next()
			if w.group != nil {
				for range w.group.rows {
					due = append(due, time.Since(began))
				}
				q.settled(w.group, nil, 0)
			}
			if w.last {
				ended <- due
				return
			}
		}
	}()
	return ended
}

func saveIn(t *testing.T, l *Ledger) {
	t.Helper()
	require.NoError(t, l.Save(scraperutils.Record{{Name: "id", Value: 1}}))
}

// Those who wait one after the other share commits: the disk rests as long as it has worked.
func TestRestAfterACommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(time.Second)
		l := &Ledger{queue: q, table: "data", keys: []string{"id"}}
		began := time.Now()
		for _, want := range []time.Duration{0, 3 * time.Millisecond, 6 * time.Millisecond} {
			saveIn(t, l)
			q.hurry(l)
			w := q.next()
			assert.Equal(t, want, time.Since(began))
			q.settled(w.group, nil, 3*time.Millisecond)
		}
	})
}

func TestWhenRecordsAreDue(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		use  func(t *testing.T, l *Ledger)
		want []time.Duration
	}{
		"10 ms after the first": {
			func(t *testing.T, l *Ledger) {
				time.Sleep(5 * ms)
				saveIn(t, l)
				time.Sleep(9 * ms)
				saveIn(t, l)
				time.Sleep(2 * ms) // the group is gone
				saveIn(t, l)
				time.Sleep(time.Second)
			}, []time.Duration{15 * ms, 15 * ms, 26 * ms},
		},
		"at once when somebody waits": {
			func(t *testing.T, l *Ledger) {
				saveIn(t, l)
				time.Sleep(3 * ms)
				saveIn(t, l)
				require.NoError(t, l.Settle(t.Context()))
				require.NoError(t, l.Settle(t.Context()))
				time.Sleep(time.Second)
			}, []time.Duration{3 * ms, 3 * ms},
		},
		"at once at the end": {
			func(t *testing.T, l *Ledger) {
				saveIn(t, l)
				time.Sleep(4 * ms)
			}, []time.Duration{4 * ms},
		},
		"never, without a record": {
			func(t *testing.T, l *Ledger) { time.Sleep(time.Hour) }, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := newQueue(defaultCommitWithin)
				due := drain(q)
				c.use(t, &Ledger{queue: q, table: "data", keys: []string{"id"}})
				q.close()
				assert.Equal(t, c.want, <-due)
			})
		})
	}
}

func TestSettings(t *testing.T) {
	d, err := Open(t.Context(), t.TempDir()+"/data.sqlite", Options{})
	require.NoError(t, err)
	assert.Equal(t, 10*time.Millisecond, d.writer.queue.within)
	require.NoError(t, d.Close())
	pool, conn, err := openForWriting(t.Context(), d.path, time.Second)
	require.NoError(t, err)
	for pragma, want := range map[string]string{"synchronous": "2", "journal_mode": "persist", "busy_timeout": "50"} {
		var got string
		require.NoError(t, conn.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got))
		assert.Equal(t, want, got, pragma)
	}
	require.NoError(t, conn.Close())
	require.NoError(t, pool.Close())
}
