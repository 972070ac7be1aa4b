package db_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db"
)

// crashPath names the variable with the database of the process that TestKilledProcessLosesNothing kills.
const crashPath = "TEST_DB_CRASH_PATH"

// crashOperations save at the same time, so that the process is hardly ever without a commit under way.
const crashOperations = 4

func TestMain(m *testing.M) {
	if path := os.Getenv(crashPath); path != "" {
		fmt.Fprintln(os.Stderr, saveUntilKilled(path))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// saveUntilKilled goes on where the process before it was killed, and writes each record that is acknowledged to standard
// output.
func saveUntilKilled(path string) error {
	d, err := db.Open(context.Background(), path, db.Options{})
	if err != nil {
		return err
	}
	ends := make(chan error)
	for operation := range crashOperations {
		n := 0
		for r, err := range d.Query(context.Background(), "SELECT count(*) AS n FROM data WHERE operation = ?", operation) {
			if err == nil {
				n, err = strconv.Atoi(r.Text("n"))
			}
			if err != nil && !strings.Contains(err.Error(), "no such table") {
				return err
			}
		}
		go func() { ends <- saveFrom(d, operation, n) }()
	}
	return <-ends
}

func saveFrom(d *db.DB, operation, n int) error {
	l := d.Ledger("data", "operation", "n")
	for ; ; n++ {
		if err := l.Save(crashRecord(operation, n)); err != nil {
			return err
		}
		if n%3 != 0 {
			continue
		}
		if err := l.Settle(context.Background()); err != nil {
			return err
		}
		fmt.Println(operation, n)
	}
}

// crashRecord is of many sizes, with a new column now and then.
func crashRecord(operation, n int) record {
	r := rec("operation", operation, "n", n, "v", strings.Repeat(strconv.Itoa(n), n*7919%3000))
	if n%17 == 16 {
		r = append(r, rec(fmt.Sprintf("column %d", n/17), n)...)
	}
	return r
}

// However a process dies, the file opens and has all that was acknowledged.
func TestKilledProcessLosesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("kills a process")
	}
	path := newPath(t)
	journals, total := 0, 0
	for round := range 20 {
		acknowledged := killAfter(t, path, 1+round*5%13)
		if _, err := os.Stat(path + "-journal"); err == nil {
			journals++
		}
		if round%2 == 0 { // reading mends the file as well
			r, err := db.OpenReader(t.Context(), path)
			require.NoError(t, err)
			require.NoError(t, r.Close())
		}
		total = checkSaved(t, path, acknowledged)
	}
	t.Logf("%d records; %d times of 20 the process died within a commit", total, journals)
}

// killAfter runs saveUntilKilled, kills it after some lines and returns the last record of each operation that it
// acknowledged.
func killAfter(t *testing.T, path string, lines int) map[int]int {
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), crashPath+"="+path)
	var complaint strings.Builder
	child.Stderr = &complaint
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	acknowledged := map[int]int{}
	for scanner := bufio.NewScanner(out); scanner.Scan(); lines-- {
		var operation, n int
		_, err := fmt.Sscan(scanner.Text(), &operation, &n)
		require.NoError(t, err)
		acknowledged[operation] = n
		if lines == 1 {
			require.NoError(t, child.Process.Kill()) // what it wrote until then is still read
		}
	}
	var ended *exec.ExitError
	require.True(t, errors.As(child.Wait(), &ended))
	require.False(t, ended.Exited(), "it was killed: %s", complaint.String())
	require.NotEmpty(t, acknowledged)
	return acknowledged
}

// checkSaved holds the file against what was acknowledged and returns how many records it has.
func checkSaved(t *testing.T, path string, acknowledged map[int]int) (total int) {
	d, err := db.Open(t.Context(), path, db.Options{})
	require.NoError(t, err)
	assert.Equal(t, []record{rec("integrity_check", "ok")}, query(t, d, "PRAGMA integrity_check"))
	for operation, last := range acknowledged {
		rows := query(t, d, "SELECT * FROM data WHERE operation = ? ORDER BY n", operation)
		assert.Greater(t, len(rows), last, "operation %d", operation)
		for n, r := range rows {
			for _, f := range crashRecord(operation, n) {
				want := fmt.Sprint(f.Value)
				require.Equal(t, want, r.Text(f.Name), "operation %d, record %d, field %s", operation, n, f.Name)
			}
		}
		total += len(rows)
	}
	require.NoError(t, d.Close())
	return total
}
