package frontier_test

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/db/frontier"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/frontiertest"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func open(t testing.TB, path string, o frontier.Options) *frontier.Frontier {
	t.Helper()
	f, err := frontier.Open(t.Context(), path, now, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return f
}

// another is a connection of another program.
func another(t testing.TB, path string, statements ...string) *sql.Conn {
	t.Helper()
	pool, err := sql.Open("sqlite3", path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, pool.Close()) })
	conn, err := pool.Conn(t.Context())
	require.NoError(t, err)
	run(t, conn, statements...)
	return conn
}

func run(t testing.TB, conn *sql.Conn, statements ...string) {
	t.Helper()
	for _, s := range statements {
		_, err := conn.ExecContext(t.Context(), s)
		require.NoError(t, err, s)
	}
}

func entries(n int, text string) (all []crawl.Entry) {
	for i := range n {
		host := fmt.Sprintf("h%d.example", i%3)
		all = append(all, crawl.Entry{Host: scraperutils.Host{Name: host, Port: "443"}, URL: fmt.Sprintf("https://%s/%s%d", host, text, i)})
	}
	return all
}

func add(t testing.TB, f crawl.Frontier, entries []crawl.Entry) crawl.Added {
	t.Helper()
	added, err := f.Add(t.Context(), now, entries)
	require.NoError(t, err)
	return added
}

func TestFilesThatAreNoFrontier(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	made := func(name string, statements ...string) string {
		path := filepath.Join(dir, name)
		f, err := frontier.Open(t.Context(), path, now, frontier.Options{})
		require.NoError(t, err)
		require.NoError(t, f.Close())
		conn := another(t, path, statements...)
		require.NoError(t, conn.Close())
		return path
	}
	foreign := filepath.Join(dir, "data.sqlite")
	require.NoError(t, another(t, foreign, "CREATE TABLE data (id)").Close())
	whole, err := os.ReadFile(made("whole"))
	require.NoError(t, err)

	for name, c := range map[string]struct{ path, want string }{
		"another version":            {made("later", "PRAGMA user_version = 7"), "is a frontier of version 7, expected a frontier of version 3"},
		"a version before the first": {made("earlier", "PRAGMA user_version = 0"), "is a frontier of version 0, expected"},
		"another program's":          {foreign, "is another program's database, expected a frontier of version 3"},
		"a text":                     {file("list.txt", "https://example.org/\n"), "is damaged or no database (file is not a database), expected"},
		"a damaged one":              {file("damaged", string(whole[:100])+strings.Repeat("\xff", 4000)+string(whole[4100:])), "is damaged or no database (database disk image is malformed)"},
		"without a table":            {made("halved", "DROP TABLE totals"), "is a frontier without some of its tables, expected"},
	} {
		t.Run(name, func(t *testing.T) {
			before, err := os.ReadFile(c.path)
			require.NoError(t, err)
			_, err = frontier.Open(t.Context(), c.path, now, frontier.Options{})
			var wrong *crawl.SchemaError
			require.ErrorAs(t, err, &wrong)
			assert.ErrorContains(t, err, c.path+": "+c.want)
			assert.NotContains(t, err.Error(), "\n")
			_, err = frontier.Join(t.Context(), c.path, frontier.Options{Existing: true})
			require.ErrorAs(t, err, &wrong)
			after, err := os.ReadFile(c.path)
			require.NoError(t, err)
			assert.Equal(t, before, after, "the file is as it was")
		})
	}

	_, err = frontier.Join(t.Context(), filepath.Join(dir, "none"), frontier.Options{Existing: true})
	var refused *db.OpenError
	require.ErrorAs(t, err, &refused)
	assert.NoFileExists(t, filepath.Join(dir, "none"))
	_, err = frontier.Open(t.Context(), dir, now, frontier.Options{})
	assert.ErrorContains(t, err, "it is a directory: give the path of a file")
	f := open(t, file("empty", ""), frontier.Options{})
	assert.Equal(t, crawl.Added{New: 3}, add(t, f, entries(3, "")), "an empty file is a new frontier")
}

// Damage that opening does not meet is named when it is met.
func TestDamageWithin(t *testing.T) {
	path := newPath(t)
	f, err := frontier.Open(t.Context(), path, now, frontier.Options{})
	require.NoError(t, err)
	add(t, f, entries(3000, "path/"))
	require.NoError(t, f.Close())
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	copy(text[len(text)/2:], strings.Repeat("\xff", len(text)/2))
	require.NoError(t, os.WriteFile(path, text, 0o600))
	f, err = frontier.Open(t.Context(), path, now, frontier.Options{})
	if err == nil {
		_, err = f.URLs(t.Context(), crawl.URLFilter{Limit: 5000})
		assert.NoError(t, f.Close())
	}
	var wrong *crawl.SchemaError
	require.ErrorAs(t, err, &wrong)
	assert.ErrorContains(t, err, "malformed")
}

// A frontier has one worker, which is named to a second one. Others may add and look meanwhile.
func TestBesideAWorker(t *testing.T) {
	path := newPath(t)
	beside, err := frontier.Join(t.Context(), path, frontier.Options{})
	require.NoError(t, err)
	assert.Equal(t, crawl.Added{New: 3}, add(t, beside, entries(3, "first/")), "who adds may be the first")
	f := open(t, path, frontier.Options{})
	_, err = frontier.Open(t.Context(), path, now, frontier.Options{})
	var locked *db.LockedError
	require.ErrorAs(t, err, &locked)
	assert.Equal(t, os.Getpid(), locked.PID)

	leases, err := f.Claim(t.Context(), now, crawl.Claim{Worker: "w", Hosts: 9, URLs: 9, Until: now.Add(time.Minute)})
	require.NoError(t, err)
	require.Len(t, leases, 3)
	_, err = beside.Claim(t.Context(), now, crawl.Claim{Hosts: 9, URLs: 9})
	require.ErrorIs(t, err, frontier.ErrJoined)

	var all sync.WaitGroup
	for i, user := range []*frontier.Frontier{f, beside} {
		all.Go(func() {
			for n := range 20 {
				_, err := user.Add(t.Context(), now, entries(3, fmt.Sprintf("%d/%d/", i, n)))
				assert.NoError(t, err)
				_, err = user.Counts(t.Context(), now)
				assert.NoError(t, err)
			}
		})
	}
	all.Wait()
	counts, err := beside.Counts(t.Context(), now)
	require.NoError(t, err)
	assert.Equal(t, crawl.Counts{Hosts: 3, Leased: 3, Ready: 123, FailedBy: map[string]int{}}, counts)
	require.NoError(t, beside.Close())
	receipts, err := f.Complete(t.Context(), now, []crawl.Report{{Held: leases[0].Held}})
	require.NoError(t, err)
	assert.False(t, receipts[0].Lost, "nobody took the worker's leases")
	require.NoError(t, frontiertest.Audit(t.Context(), f))
}

// With a full disk nothing is acknowledged, and nothing half done; when there is room again, all goes on.
func TestDiskFull(t *testing.T) {
	f := open(t, newPath(t), frontier.Options{})
	assert.Equal(t, crawl.Added{New: 3}, add(t, f, entries(3, "")))
	pages := func(n int) {
		require.NoError(t, f.Do(t.Context(), func(exec func(string, ...any) (int64, error)) error {
			_, err := exec(fmt.Sprintf("PRAGMA max_page_count = %d", n))
			return err
		}))
	}
	pages(1) // no more than there are
	long := entries(3, strings.Repeat("long/", 10_000))
	_, err := f.Add(t.Context(), now, long)
	require.ErrorContains(t, err, "add to frontier ")
	require.ErrorContains(t, err, "database or disk is full")
	leases, err := f.Claim(t.Context(), now, crawl.Claim{Hosts: 1, URLs: 1, Until: now.Add(time.Minute)})
	require.NoError(t, err, "what needs no room goes on")
	_, err = f.Complete(t.Context(), now, []crawl.Report{{Held: leases[0].Held, Found: long, Results: []crawl.Result{{Key: leases[0].URLs[0].Key, State: crawl.StateDone}}}})
	require.ErrorContains(t, err, "full")
	require.NoError(t, frontiertest.Audit(t.Context(), f))
	counts, err := f.Counts(t.Context(), now)
	require.NoError(t, err)
	assert.Equal(t, crawl.Counts{Hosts: 3, Leased: 1, Ready: 3, FailedBy: map[string]int{}}, counts)

	pages(1_000_000)
	assert.Equal(t, crawl.Added{New: 3}, add(t, f, long))
	receipts, err := f.Complete(t.Context(), now, []crawl.Report{{Held: leases[0].Held}})
	require.NoError(t, err)
	assert.Equal(t, []crawl.Receipt{{Released: true}}, receipts)
	require.NoError(t, frontiertest.Audit(t.Context(), f))
}

// Another program's lock is waited for, as long as Busy.
func TestLockedByAnotherProgram(t *testing.T) {
	path := newPath(t)
	f := open(t, path, frontier.Options{})
	other := another(t, path, "BEGIN IMMEDIATE")
	added := make(chan error)
	go func() { _, err := f.Add(t.Context(), now, entries(3, "")); added <- err }()
	_, err := f.Counts(t.Context(), now)
	require.NoError(t, err, "looking goes on")
	run(t, other, "COMMIT")
	require.NoError(t, <-added)

	hasty := newPath(t)
	g := open(t, hasty, frontier.Options{Busy: time.Millisecond})
	other = another(t, hasty, "BEGIN IMMEDIATE")
	_, err = g.Add(t.Context(), now, entries(3, ""))
	require.ErrorContains(t, err, "database is locked")
	run(t, other, "COMMIT")
	assert.Equal(t, crawl.Added{New: 3}, add(t, g, entries(3, "")))
}

// What one call gets wrong costs those nothing that share its commit.
func TestFailureWithinACommit(t *testing.T) {
	f := open(t, newPath(t), frontier.Options{})
	wrong := errors.New("wrong")
	var all sync.WaitGroup
	var tries sync.Map
	for i := range 20 {
		all.Go(func() {
			if i%5 == 0 {
				err := f.Do(t.Context(), func(exec func(string, ...any) (int64, error)) error {
					if _, err := exec("insert into totals values (?, 1)", fmt.Sprint("wrong ", i)); err != nil {
						return err
					}
					return wrong
				})
				assert.ErrorIs(t, err, wrong)
				return
			}
			added, err := f.Add(t.Context(), now, entries(3, fmt.Sprint(i, "/")))
			assert.NoError(t, err)
			tries.Store(i, added)
		})
	}
	all.Wait()
	tries.Range(func(_, added any) bool { return assert.Equal(t, crawl.Added{New: 3}, added) })
	require.NoError(t, frontiertest.Audit(t.Context(), f))
	require.NoError(t, f.Do(t.Context(), func(exec func(string, ...any) (int64, error)) error {
		n, err := exec("delete from totals where name like 'wrong%'")
		assert.Zero(t, n)
		return err
	}))
}

// A host that a dead worker had leased may be answering its last request: it is left alone for its interval, or for the rest that was
// given where it was never asked before.
func TestRestAfterDeath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "frontier.sqlite")
	f, err := frontier.Open(t.Context(), path, now, frontier.Options{})
	require.NoError(t, err)
	_, err = f.Add(t.Context(), now, entries(6, "p"))
	require.NoError(t, err)
	claim := crawl.Claim{Worker: "w", Hosts: 3, URLs: 1, Until: now.Add(time.Minute)}
	leases, err := f.Claim(t.Context(), now, claim)
	require.NoError(t, err)
	require.Len(t, leases, 3)
	known := leases[0]
	_, err = f.Complete(t.Context(), now, []crawl.Report{{Held: known.Held, Interval: 7 * time.Second, Keep: true, Until: known.Until}})
	require.NoError(t, err)
	require.NoError(t, f.Close()) // which leaves leases as they are

	later := now.Add(10 * time.Second)
	f, err = frontier.Open(t.Context(), path, later, frontier.Options{Rest: 3 * time.Second})
	require.NoError(t, err)
	defer f.Close()
	leases, err = f.Claim(t.Context(), later.Add(time.Minute), claim)
	require.NoError(t, err)
	require.Len(t, leases, 3)
	for _, l := range leases {
		want := 3 * time.Second
		if l.HostID == known.HostID {
			want = 7 * time.Second
		}
		assert.Equal(t, later.Add(want), l.NotBefore)
	}
}
