package streamcmd_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/stream/streamtest"
)

// Whatever a program does with one record, that record becomes a dead letter with the reason, and all others are handled, in order.
func TestProgramsThatMisbehave(t *testing.T) {
	for as, says := range map[string]string{
		"dies":     "the program ended without an answer (exit status 7)",
		"hangs":    "the program did not answer within 2s",
		"garbage":  `the program answered "what?\x1b[31m": expected ok, or error and a text`,
		"muchness": `the program answered more than it was asked, after "ok"`,
		"endless":  "the program answered with a line of more than 65536 bytes",
		"other":    `the program answered for record "12345", not for the one that it was given`,
		"poison":   "it is poisoned\x1b[31m",
	} {
		t.Run(as, func(t *testing.T) {
			if !slices.Contains([]string{"dies", "hangs", "garbage"}, as) {
				dear(t) // "dies", "hangs" and "garbage" of this test each end a program
			}
			t.Parallel()
			s, l, folder := streamtest.NewStream(t, servers.Endpoint(t, streamtest.Kinesalite), 1), newLedger(t), t.TempDir()
			all := numbered(0, 9, 1, 0)
			all[4].Data = []byte(as)
			s.Put(t, all...)
			args := flags(s, folder, "--tries", "2", "--retry-after", "0.1")
			if as == "hangs" {
				args = append(args, "--answer", "2s")
			}
			c := start(t, asStream, runs(as), l.handled(args)...)
			await(t, func() bool { return l.count() == 8 })
			require.NoError(t, c.Process.Signal(os.Interrupt))
			assert.Equal(t, 130, c.end())
			assert.Equal(t, []string{"0", "1", "2", "3", "5", "6", "7", "8"}, datas(l))
			letters := deadLetters(t, folder)
			require.Len(t, letters, 1)
			assert.Equal(t, as+" 2 "+says, letters[0])
			assert.NotContains(t, c.out.String()+c.complaints.String(), "\x1b", "nothing of it reaches the terminal")
			assert.NotContains(t, c.complaints.String(), "goroutine")
			if as == "dies" {
				assert.Equal(t, 2, strings.Count(c.complaints.String(), "a last word"))
			}
		})
	}
}

// A record that can't be handled ends the run, where it is told to; the next run begins with it.
func TestPoisonStops(t *testing.T) {
	t.Parallel()
	s, l, folder := streamtest.NewStream(t, servers.Endpoint(t, streamtest.Kinesalite), 1), newLedger(t), t.TempDir()
	all := numbered(0, 5, 1, 0)
	all[3].Data = []byte("poison")
	s.Put(t, all...)
	args := l.handled(flags(s, folder, "--on-poison", "stop", "--retry-after", "0"))
	c := start(t, asStream, runs("poison"), args...)
	assert.Equal(t, 1, c.end())
	assert.Contains(t, c.complaints.String(), "failed 3×: it is poisoned")
	assert.Equal(t, []string{"0", "1", "2"}, datas(l))
	c = start(t, asStream, runs("nothing"), args...)
	await(t, func() bool { return l.count() == 5 })
	c.kill()
	assert.Equal(t, []string{"0", "1", "2", "poison", "4"}, datas(l))
}

// Ten records of a thousand are poisoned: 990 are handled, and ten are dead letters.
func TestTenOfAThousand(t *testing.T) {
	dear(t) // TestProgramsThatMisbehave has one of nine
	t.Parallel()
	s, l, folder := streamtest.NewStream(t, servers.Endpoint(t, streamtest.Kinesalite), 4), newLedger(t), t.TempDir()
	all := numbered(0, 1000, 40, 0)
	for i := 50; i < 1000; i += 100 {
		all[i].Data = fmt.Appendf(nil, "poison%d", i)
	}
	s.Put(t, all...)
	c := start(t, asStream, runs("poison"), l.handled(flags(s, folder, "--retry-after", "0"))...)
	await(t, func() bool { return l.count() == 990 && len(deadLetters(t, folder)) == 10 })
	require.NoError(t, c.Process.Signal(os.Interrupt))
	assert.Equal(t, 130, c.end())
	l.check(t, 990, 1)
	assert.Contains(t, c.out.String(), "dead_letters=10")
}

// datas are what the records of a ledger held.
func datas(l ledger) (all []string) {
	for _, e := range l.read() {
		all = append(all, e.data)
	}
	return all
}

// deadLetters lists those of a state: data, tries and error.
func deadLetters(t testing.TB, folder string) (all []string) {
	t.Helper()
	pool, err := sql.Open("sqlite3", filepath.Join(folder, "stream.sqlite")+"?_busy_timeout=10000")
	require.NoError(t, err)
	defer pool.Close()
	rows, err := pool.Query("select cast(data as text), tries, error from dead_letters order by shard, sequence")
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var data, problem string
		var tries int
		require.NoError(t, rows.Scan(&data, &tries, &problem))
		all = append(all, fmt.Sprint(data, " ", tries, " ", problem))
	}
	require.NoError(t, rows.Err())
	return all
}
