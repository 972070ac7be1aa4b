package db_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
)

var _ scheduler.Ledger = (*db.Ledger)(nil)

type record = scraperutils.Record

// rec writes a record as names and values in turn.
func rec(namesAndValues ...any) record {
	var r record
	for i := 0; i < len(namesAndValues); i += 2 {
		r = append(r, scraperutils.Field{Name: namesAndValues[i].(string), Value: namesAndValues[i+1]})
	}
	return r
}

func newPath(t testing.TB) string { return filepath.Join(t.TempDir(), "data.sqlite") }

func open(t testing.TB, path string, o db.Options) *db.DB {
	t.Helper()
	d, err := db.Open(t.Context(), path, o)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, d.Close()) })
	return d
}

// another returns a connection to the file that this package knows nothing of.
func another(t testing.TB, path string) *sql.Conn {
	t.Helper()
	pool, err := sql.Open("sqlite3", path)
	require.NoError(t, err)
	conn, err := pool.Conn(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, conn.Close())
		assert.NoError(t, pool.Close())
	})
	return conn
}

func run(t testing.TB, conn *sql.Conn, statements ...string) {
	t.Helper()
	for _, s := range statements {
		_, err := conn.ExecContext(t.Context(), s)
		require.NoError(t, err, s)
	}
}

func save(t testing.TB, l *db.Ledger, records ...record) {
	t.Helper()
	for _, r := range records {
		require.NoError(t, l.Save(r))
	}
	require.NoError(t, l.Settle(t.Context()))
}

func query(t testing.TB, d *db.DB, text string, args ...any) []record {
	t.Helper()
	all := []record{}
	for r, err := range d.Query(t.Context(), text, args...) {
		require.NoError(t, err)
		all = append(all, r)
	}
	return all
}

func ddl(t testing.TB, d *db.DB) (all []string) {
	t.Helper()
	for _, r := range query(t, d, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid") {
		all = append(all, r.Text("sql"))
	}
	return all
}

func TestSavedRecordsAreReadBack(t *testing.T) {
	d := open(t, newPath(t), db.Options{})
	l := d.Ledger("data", "authority_label", "council_reference")
	save(t, l,
		rec("authority_label", "kyogle", "council_reference", "DA 1", "address", "1 Main St"),
		rec("authority_label", "kyogle", "council_reference", "DA 2", "address", "2 Main St", "description", "Shed"),
		rec("council_reference", "DA 1", "authority_label", "kyogle", "description", "Pool"))
	assert.Equal(t, []record{
		rec("rowid", int64(1), "authority_label", "kyogle", "council_reference", "DA 1", "address", nil, "description", "Pool"),
		rec("rowid", int64(2), "authority_label", "kyogle", "council_reference", "DA 2", "address", "2 Main St", "description", "Shed"),
	}, query(t, d, "SELECT rowid, * FROM data"), "the later record replaces values, not the row; what it lacks is NULL")
	assert.Equal(t, 3, l.Saved())
}

// The record belongs to the scraper again as soon as Save has returned.
func TestRecordMayBeChangedAfterSave(t *testing.T) {
	d := open(t, newPath(t), db.Options{CommitWithin: time.Hour})
	l := d.Ledger("data", "id")
	b := []byte("before")
	r := rec("id", 1, "v", b, "w", "before")
	require.NoError(t, l.Save(r))
	copy(b, "after!")
	r[2].Value = "after"
	r[0].Name = "other"
	require.NoError(t, l.Settle(t.Context()))
	assert.Equal(t, []record{rec("id", int64(1), "v", []byte("before"), "w", "before")}, query(t, d, "SELECT * FROM data"))
}

func TestSettled(t *testing.T) {
	d := open(t, newPath(t), db.Options{CommitWithin: time.Hour})
	l := d.Ledger("data", "id")
	assert.True(t, l.Settled(), "nothing was saved")
	require.NoError(t, l.Save(rec("id", 1)))
	assert.False(t, l.Settled())
	require.NoError(t, l.Settle(t.Context()))
	assert.True(t, l.Settled())

	_, err := d.Exec(t.Context(), "CREATE TABLE strict (id, n CHECK (n > 0))")
	require.NoError(t, err)
	l = d.Ledger("strict", "id")
	require.NoError(t, l.Save(rec("id", 1, "n", 0)))
	_, err = d.Exec(t.Context(), "SELECT 1") // commits what waits
	require.NoError(t, err)
	assert.False(t, l.Settled(), "it has not been told of the failure")
	assert.Error(t, l.Settle(t.Context()))
	assert.True(t, l.Settled())
}

func TestEverybodyWaitsForTheSameCommit(t *testing.T) {
	var commits []db.Commit
	d := open(t, newPath(t), db.Options{CommitWithin: time.Hour, OnCommit: func(c db.Commit) { commits = append(commits, c) }})
	var ledgers []*db.Ledger
	for i := range 50 {
		l := d.Ledger("data", "id")
		require.NoError(t, l.Save(rec("id", i)))
		ledgers = append(ledgers, l)
	}
	require.NoError(t, ledgers[7].Settle(t.Context()))
	assert.Len(t, query(t, d, "SELECT * FROM data"), 50)
	for _, l := range ledgers {
		require.NoError(t, l.Settle(t.Context()))
	}
	require.Len(t, commits, 1)
	assert.Equal(t, 50, commits[0].Records)
	assert.Equal(t, 0, commits[0].Failed)
	assert.Positive(t, commits[0].Took)
	require.NoError(t, d.Ledger("data", "id").Settle(t.Context()), "a ledger without records has nothing to wait for")
}

// Without anybody who waits a record is committed all the same.
func TestCommitComesByItself(t *testing.T) {
	committed := make(chan db.Commit, 1)
	d := open(t, newPath(t), db.Options{OnCommit: func(c db.Commit) { committed <- c }})
	require.NoError(t, d.Ledger("data", "id").Save(rec("id", 1)))
	assert.Equal(t, 1, (<-committed).Records)
}

func TestManyGoroutines(t *testing.T) {
	d := open(t, newPath(t), db.Options{})
	shared := d.Ledger("log", "id")
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			own := d.Ledger("data", "authority", "n")
			for n := range 10 {
				assert.NoError(t, own.Save(rec("authority", i, "n", n, fmt.Sprintf("field %d", n%4), "x")))
				assert.NoError(t, shared.Save(rec("id", i*10+n)))
				if n%3 == 0 {
					assert.NoError(t, own.Settle(t.Context()))
				}
			}
			assert.NoError(t, own.Settle(t.Context()))
			assert.NoError(t, shared.Settle(t.Context()))
			assert.Equal(t, 10, own.Saved())
		})
	}
	wg.Wait()
	assert.Equal(t, 200, shared.Saved())
	for _, table := range []string{"data", "log"} {
		assert.Equal(t, []record{rec("n", int64(200))}, query(t, d, "SELECT count(*) AS n FROM "+table))
	}
}

func TestCloseCommitsWhatWaits(t *testing.T) {
	path := newPath(t)
	d, err := db.Open(t.Context(), path, db.Options{CommitWithin: time.Hour})
	require.NoError(t, err)
	l := d.Ledger("data", "id")
	require.NoError(t, l.Save(rec("id", 1)))
	require.NoError(t, d.Close())
	assert.NoFileExists(t, path+"-journal")
	assert.NoFileExists(t, path+"-wal")
	require.NoError(t, d.Close(), "twice does no harm")
	require.NoError(t, l.Settle(t.Context()))
	assert.ErrorIs(t, l.Save(rec("id", 2)), db.ErrClosed)
	_, err = d.Exec(t.Context(), "VACUUM")
	assert.ErrorIs(t, err, db.ErrClosed)
	assert.Len(t, query(t, open(t, path, db.Options{}), "SELECT * FROM data"), 1)
}

func TestExec(t *testing.T) {
	d := open(t, newPath(t), db.Options{CommitWithin: time.Hour})
	l := d.Ledger("data", "id")
	for i := range 10 {
		require.NoError(t, l.Save(rec("id", i)))
	}
	n, err := d.Exec(t.Context(), "DELETE FROM data WHERE id < ?", 4)
	require.NoError(t, err)
	assert.Equal(t, int64(4), n, "what was saved before is there")
	_, err = d.Exec(t.Context(), "VACUUM")
	require.NoError(t, err)

	_, err = d.Exec(t.Context(), "DELETE FROM nowhere")
	assert.ErrorContains(t, err, "no such table: nowhere")
	_, err = d.Exec(t.Context(), "BEGIN; DELETE FROM data")
	require.NoError(t, err)
	save(t, l, rec("id", 10))
	assert.Len(t, query(t, d, "SELECT * FROM data"), 7, "a transaction left open is rolled back")

	ended, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	_, err = d.Exec(ended, "DELETE FROM data")
	assert.ErrorContains(t, err, "enough")
	assert.Len(t, query(t, d, "SELECT * FROM data"), 7)
}
