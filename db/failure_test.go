package db_test

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mattn/go-sqlite3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils"
)

// A record that SQLite refuses fails alone and is told to its own ledger, once.
func TestBadRecordFailsAlone(t *testing.T) {
	for name, c := range map[string]struct {
		bad  record
		keys []string
		want string
	}{
		"a check":                        {rec("id", 2, "n", 99), nil, "save id 2 to table data: CHECK constraint failed: n < 10"},
		"a check, with a column to make": {rec("id", 2, "n", 99, "new", 1), nil, "save id 2 to table data: CHECK constraint failed: n < 10"},
		"two rows stand in its way":      {rec("id", 1, "k", "b"), nil, "save id 1 to table data: a row with other keys stands in its way"},
		"an update meets another row":    {rec("id", 1, "k", "b"), []string{"k"}, "save k b to table data: UNIQUE constraint failed: data.id"},
		"two keys name it":               {rec("id", 2, "k", "k", "n", 99), []string{"id", "k"}, "save id 2, k k to table data: CHECK"},
	} {
		t.Run(name, func(t *testing.T) {
			path := newPath(t)
			run(t, another(t, path), "CREATE TABLE data (id UNIQUE, k UNIQUE, n CHECK (n < 10))",
				"INSERT INTO data VALUES (1, 'a', 0), (5, 'b', 0)")
			var commits []db.Commit
			d := open(t, path, db.Options{CommitWithin: time.Hour, OnCommit: func(c db.Commit) { commits = append(commits, c) }})
			if c.keys == nil {
				c.keys = []string{"id"}
			}
			mine, others := d.Ledger("data", c.keys...), d.Ledger("data", "id")
			require.NoError(t, mine.Save(rec("id", 6, "k", "six")))
			require.NoError(t, mine.Save(c.bad))
			require.NoError(t, others.Save(rec("id", 7)))
			require.NoError(t, mine.Save(rec("id", 8, "k", "eight")))

			require.NoError(t, others.Settle(t.Context()))
			err := mine.Settle(t.Context())
			var refused *scraperutils.UnprocessableRecord
			require.ErrorAs(t, err, &refused)
			assert.ErrorContains(t, err, c.want)
			require.NoError(t, mine.Settle(t.Context()), "told once")
			assert.Equal(t, 2, mine.Saved())
			assert.Equal(t, []record{
				rec("id", int64(1), "k", "a", "n", int64(0)), rec("id", int64(5), "k", "b", "n", int64(0)),
				rec("id", int64(6), "k", "six", "n", nil), rec("id", int64(7), "k", nil, "n", nil), rec("id", int64(8), "k", "eight", "n", nil),
			}, query(t, d, "SELECT * FROM data"), "and no column is left of it")
			require.Len(t, commits, 1)
			assert.Equal(t, 3, commits[0].Records)
			assert.Equal(t, 1, commits[0].Failed)
			assert.NoError(t, commits[0].Err)
		})
	}
}

// A table that can't be made costs its own records and no others.
func TestTableThatCannotBeMade(t *testing.T) {
	for name, c := range map[string]struct{ table, key, want string }{
		"its index has a table's name":    {"s", "data", "there is already a table named data"},
		"it has an index's name":          {"id", "n", "there is already an index named id"},
		"a name that SQLite keeps":        {"sqlite_data", "id", "object name reserved for internal use: sqlite_data"},
		"a word of SQL, which has quotes": {"order", "id", `near "order": syntax error`},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, newPath(t), db.Options{CommitWithin: time.Hour})
			good, bad := d.Ledger("data", "id"), d.Ledger(c.table, c.key)
			require.NoError(t, good.Save(rec("id", 1)))
			require.NoError(t, bad.Save(rec(c.key, "x")))
			require.NoError(t, bad.Save(rec(c.key, "y")))
			require.NoError(t, good.Save(rec("id", 2)))
			require.NoError(t, good.Settle(t.Context()))
			err := bad.Settle(t.Context())
			assert.Equal(t, 2, strings.Count(err.Error(), c.want), err)
			assert.Equal(t, 0, bad.Saved())
			assert.Len(t, query(t, d, "SELECT * FROM data"), 2)
			assert.Len(t, ddl(t, d), 2)
		})
	}
}

// A commit that fails is told to all that had a record in it; the next one is tried afresh.
func TestDiskFull(t *testing.T) {
	for name, first := range map[string]record{
		"while it writes":        nil,
		"while it makes a table": rec("id", 0),
	} {
		t.Run(name, func(t *testing.T) {
			var last db.Commit
			d := open(t, newPath(t), db.Options{CommitWithin: time.Hour, OnCommit: func(c db.Commit) { last = c }})
			a, b := d.Ledger("data", "id"), d.Ledger("data", "id")
			if first == nil {
				save(t, a, rec("id", 0, "v", ""))
			}
			_, err := d.Exec(t.Context(), "PRAGMA max_page_count = 1") // no more than there are
			require.NoError(t, err)
			require.NoError(t, a.Save(rec("id", 1, "v", strings.Repeat("x", 100_000))))
			require.NoError(t, b.Save(rec("id", 2, "v", "")))
			require.NoError(t, a.Save(rec("id", 3, "v", "")))
			for l, n := range map[*db.Ledger]int{a: 2, b: 1} {
				err := l.Settle(t.Context())
				var lost *db.CommitError
				require.ErrorAs(t, err, &lost)
				assert.Equal(t, n, lost.Records)
				assert.ErrorContains(t, err, "there is no room on the disk: make some, or give another path (database or disk is full)")
				var broken *db.BrokenError
				require.ErrorAs(t, err, &broken, "it is everybody's")
				require.NoError(t, l.Settle(t.Context()), "told once")
			}
			assert.Equal(t, 0, b.Saved())
			assert.IsType(t, &db.BrokenError{}, last.Err)
			assert.Equal(t, 3, last.Failed)
			assert.Equal(t, 0, last.Records)

			_, err = d.Exec(t.Context(), "PRAGMA max_page_count = 1000000")
			require.NoError(t, err)
			save(t, b, rec("id", 4, "v", "there is room again"))
			rows := query(t, d, "SELECT id FROM data WHERE id > 0")
			assert.Equal(t, []record{rec("id", int64(4))}, rows)
			assert.Equal(t, []record{rec("integrity_check", "ok")}, query(t, d, "PRAGMA integrity_check"))
		})
	}
}

// Close says so when the records that waited for it are lost.
func TestCloseThatCannotCommit(t *testing.T) {
	path := newPath(t)
	d, err := db.Open(t.Context(), path, db.Options{CommitWithin: time.Hour, BusyTimeout: time.Millisecond})
	require.NoError(t, err)
	l := d.Ledger("data", "id")
	other := another(t, path)
	run(t, other, "BEGIN EXCLUSIVE")
	require.NoError(t, l.Save(rec("id", 1)))
	assert.ErrorContains(t, l.Settle(t.Context()), "commit 1 record to "+path+": database is locked")
	require.NoError(t, l.Save(rec("id", 2)))
	assert.ErrorContains(t, d.Close(), "database is locked")
	assert.ErrorContains(t, d.Close(), "database is locked", "as the first time")
	assert.ErrorContains(t, l.Settle(t.Context()), "commit 1 record")
	run(t, other, "ROLLBACK")
	open(t, path, db.Options{})
}

// A file that another program has locked is waited for.
func TestLockedFileIsWaitedFor(t *testing.T) {
	path := newPath(t)
	d := open(t, path, db.Options{})
	l := d.Ledger("data", "id")
	other := another(t, path)
	run(t, other, "BEGIN EXCLUSIVE")
	require.NoError(t, l.Save(rec("id", 1)))
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	err := l.Settle(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.ErrorContains(t, err, `wait for the records saved to table "data"`)
	run(t, other, "COMMIT")
	require.NoError(t, l.Settle(t.Context()), "who asks again hears that all is well")
	assert.Len(t, query(t, d, "SELECT * FROM data"), 1)
}

// A file that stays locked for longer than the timeout costs what waited, and nothing after that.
func TestLockedForTooLong(t *testing.T) {
	path := newPath(t)
	d := open(t, path, db.Options{BusyTimeout: 20 * time.Millisecond})
	l := d.Ledger("data", "id")
	save(t, l, rec("id", 1))
	other := another(t, path)
	for _, lock := range []string{"BEGIN EXCLUSIVE", "BEGIN; SELECT * FROM data"} { // before the transaction; before its commit
		run(t, other, lock)
		require.NoError(t, l.Save(rec("id", 2, "a column to make", 2)))
		err := l.Settle(t.Context())
		var lost *db.CommitError
		require.ErrorAs(t, err, &lost, lock)
		assert.ErrorContains(t, err, "database is locked")
		run(t, other, "COMMIT")
	}
	save(t, l, rec("id", 3, "a column to make", 3))
	assert.Equal(t, []record{rec("id", int64(1), "a column to make", nil), rec("id", int64(3), "a column to make", int64(3))},
		query(t, d, "SELECT * FROM data"))
}

// A disk that fails for want of room is named so, whichever way SQLite meets it.
func TestNoRoomIsNamed(t *testing.T) {
	for name, err := range map[string]error{
		"the database is full":    sqlite3.Error{Code: sqlite3.ErrFull},
		"a write beside it":       sqlite3.Error{Code: sqlite3.ErrIoErr, SystemErrno: syscall.ENOSPC},
		"a quota that is used up": sqlite3.Error{Code: sqlite3.ErrIoErr, SystemErrno: syscall.EDQUOT},
		"the lock's file":         fmt.Errorf("lock: %w", syscall.ENOSPC),
	} {
		assert.ErrorContains(t, db.File{Path: "data.sqlite"}.Explain(err), "there is no room on the disk", name)
	}
	assert.ErrorContains(t, db.File{Path: "data.sqlite"}.Explain(sqlite3.Error{Code: sqlite3.ErrIoErr, SystemErrno: syscall.EIO}), "its disk fails")
}
