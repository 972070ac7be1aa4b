package streamcmd_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/multiscraper/multiscraper/scraperutils/stream/streamtest"
)

// told is a record as a program is told of it.
type told struct {
	Shard    string    `json:"shard"`
	Sequence string    `json:"sequence"`
	Key      string    `json:"key"`
	Arrived  time.Time `json:"arrived"`
	Data     *string   `json:"data"`
	Base64   []byte    `json:"data_base64"`
}

// program handles records: it notes each in a file, its first argument, and then answers. What it does with one whose data begins with
// the word that it is called by is another thing.
func program(as string, args []string) int {
	ledger, err := os.OpenFile(args[0], os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return 3
	}
	lines := bufio.NewReader(os.Stdin)
	for {
		text, err := lines.ReadBytes('\n')
		if err != nil {
			return 0
		}
		var r told
		if err := json.Unmarshal(text, &r); err != nil {
			fmt.Println("error", err)
			continue
		}
		data := string(r.Base64)
		if r.Data != nil {
			data = *r.Data
		}
		if strings.HasPrefix(data, as) {
			switch as {
			case "dies":
				fmt.Fprintln(os.Stderr, "a last word")
				return 7
			case "hangs":
				time.Sleep(time.Hour)
			case "garbage":
				fmt.Println("what?\x1b[31m")
				continue
			case "muchness":
				fmt.Print("ok\nok\n")
				continue
			case "endless":
				fmt.Print(strings.Repeat("x", 1<<20))
				continue
			case "other":
				fmt.Println("ok 12345")
				continue
			case "poison":
				fmt.Println("error it is poisoned\x1b[31m")
				continue
			case "slow":
				time.Sleep(300 * time.Millisecond)
			}
		}
		number, _, _ := strings.Cut(data, " ")
		fmt.Fprintf(ledger, "%s %s %s %s\n", r.Shard, r.Sequence, r.Key, number) // in one write: whole, or not at all
		fmt.Println("ok", r.Sequence)
	}
}

// entry is a line of a ledger.
type entry struct{ shard, sequence, key, data string }

// ledger is the file of a program.
type ledger string

func newLedger(t testing.TB) ledger { return ledger(filepath.Join(t.TempDir(), "ledger")) }

func (l ledger) read() (all []entry) {
	text, err := os.ReadFile(string(l))
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 4 {
			all = append(all, entry{f[0], f[1], f[2], f[3]})
		}
	}
	return all
}

func (l ledger) count() int {
	text, _ := os.ReadFile(string(l))
	return bytes.Count(text, []byte("\n"))
}

// check holds a ledger to have all records of numbers, those of each key in order but for replays, each of which goes back by less than
// a batch, and returns how many there were more than once.
func (l ledger) check(t testing.TB, total, batch int) (replayed int) {
	t.Helper()
	all := l.read()
	byShard := map[string][]entry{}
	numbers := map[string]bool{}
	for _, e := range all {
		byShard[e.shard] = append(byShard[e.shard], e)
		numbers[e.data] = true
	}
	assert.Len(t, numbers, total, "all of them")
	for shard, entries := range byShard {
		var seen []string // in order, without replays
		at := 0           // in seen
		for _, e := range entries {
			if at < len(seen) {
				if seen[at] == e.sequence {
					replayed++
					at++
					continue
				}
				back := slices.Index(seen, e.sequence)
				if assert.GreaterOrEqual(t, back, 0, "%s: record %s is new, before a replay has ended", shard, e.data) {
					assert.LessOrEqual(t, len(seen)-back, batch, "%s: a replay of more than a batch", shard)
					replayed++
					at = back + 1
				}
				continue
			}
			if back := slices.Index(seen[max(len(seen)-2*batch, 0):], e.sequence); back >= 0 {
				back += max(len(seen)-2*batch, 0)
				assert.LessOrEqual(t, len(seen)-back, batch, "%s: a replay of more than a batch", shard)
				replayed++
				at = back + 1
				continue
			}
			seen = append(seen, e.sequence)
			at = len(seen)
		}
		assert.Len(t, slices.Compact(slices.Sorted(slices.Values(seen))), len(seen), "%s: a replay of more than two batches", shard)
		for i := 1; i < len(seen); i++ {
			assert.True(t, less(seen[i-1], seen[i]), "%s is out of order", shard)
		}
	}
	assert.Equal(t, len(all)-total, replayed)
	return replayed
}

// less compares sequence numbers.
func less(a, b string) bool { return len(a) < len(b) || len(a) == len(b) && a < b }

// numbered are records whose data begins with their numbers, with as many keys.
func numbered(from, to, keys, size int) (all []streamtest.Entry) {
	for i := from; i < to; i++ {
		text := strconv.Itoa(i) + " "
		all = append(all, streamtest.Entry{Key: fmt.Sprint("key-", i%keys), Data: []byte(text + strings.Repeat("x", max(size-len(text), 0)))})
	}
	return all
}

// flags are those of a run on a stream, with its state in a folder.
func flags(s *streamtest.Stream, folder string, more ...string) []string {
	return append([]string{"--stream", s.Name, "--endpoint", s.Endpoint, "--state", filepath.Join(folder, "stream.sqlite"), "--start", "TRIM_HORIZON", "--lease", "1s"}, more...)
}

// handled appends a program that keeps a ledger.
func (l ledger) handled(args []string) []string { return append(args, "--", os.Args[0], string(l)) }
