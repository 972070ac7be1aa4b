package leases_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db/leases"
	"github.com/multiscraper/multiscraper/scraperutils/stream"
	"github.com/multiscraper/multiscraper/scraperutils/stream/leasestest"
)

func open(t testing.TB, path, name string) *leases.File {
	t.Helper()
	f, err := leases.Open(t.Context(), path, name)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, f.Close()) })
	return f
}

func TestContract(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stream.sqlite")
	leasestest.Run(t, func(t testing.TB, name string) leasestest.Keeper { return open(t, path, name) }, func(t testing.TB, name string) []stream.DeadLetter {
		return letters(t, path, name)
	})
}

// letters reads what is buried as any program would.
func letters(t testing.TB, path, name string) (all []stream.DeadLetter) {
	pool, err := sql.Open("sqlite3", path)
	require.NoError(t, err)
	defer pool.Close()
	rows, err := pool.Query("select shard, sequence, sub, key, arrived, data, error, tries, at from dead_letters where stream = ?", name)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var l stream.DeadLetter
		var arrived, at string
		require.NoError(t, rows.Scan(&l.Shard, &l.Record.Sequence, &l.Record.Sub, &l.Record.Key, &arrived, &l.Record.Data, &l.Error, &l.Tries, &at))
		l.Record.Arrived, err = time.Parse(time.RFC3339, arrived)
		require.NoError(t, err)
		l.At, err = time.Parse(time.RFC3339, at)
		require.NoError(t, err)
		all = append(all, l)
	}
	require.NoError(t, rows.Err())
	return all
}

// A file that is something else is refused, and left as it was.
func TestForeignFiles(t *testing.T) {
	folder := t.TempDir()
	other := filepath.Join(folder, "other.sqlite")
	pool, err := sql.Open("sqlite3", other)
	require.NoError(t, err)
	_, err = pool.Exec("create table mine (x)")
	require.NoError(t, err)
	require.NoError(t, pool.Close())
	text := filepath.Join(folder, "text")
	require.NoError(t, os.WriteFile(text, []byte(strings.Repeat("no database ", 100)), 0o600))
	for path, says := range map[string]string{other: "another program's database", text: "damaged or no database"} {
		before, err := os.ReadFile(path)
		require.NoError(t, err)
		_, err = leases.Open(t.Context(), path, "s")
		var wrong *leases.SchemaError
		require.ErrorAs(t, err, &wrong)
		assert.Contains(t, err.Error(), says)
		after, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, before, after)
	}
	_, err = leases.Open(t.Context(), filepath.Join(folder, "none", "stream.sqlite"), "s")
	require.Error(t, err)
}

func BenchmarkSave(b *testing.B) {
	f := open(b, filepath.Join(b.TempDir(), "stream.sqlite"), "s")
	require.NoError(b, f.Add(b.Context(), []stream.Lease{{Shard: "s1"}}))
	l, err := f.Take(b.Context(), stream.Lease{Shard: "s1"}, "A")
	require.NoError(b, err)
	for b.Loop() {
		require.NoError(b, f.Save(b.Context(), l, "49590338271490256608559692538361571095921575989136588898"))
	}
}
