package kinesis_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db/leases"
	"github.com/multiscraper/multiscraper/scraperutils/stream"
	"github.com/multiscraper/multiscraper/scraperutils/stream/kinesis"
	"github.com/multiscraper/multiscraper/scraperutils/stream/streamtest"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// servers are those of all tests here.
var servers = streamtest.Servers{Names: []string{streamtest.Kinesalite}}

func TestMain(m *testing.M) {
	flag.Parse()
	if full {
		patience = 10 * time.Minute
	}
	if full || testsize.Full() {
		servers.Names = append(servers.Names, streamtest.KinesisLocal)
	}
	if err := flag.Set("test.parallel", "16"); err != nil { // they wait, most of the time
		panic(err)
	}
	os.Exit(servers.Run(m))
}

// full has tests be as large as a consumer promises to bear, not as a quick suite has time for.
var full = os.Getenv("STREAM") == "full"

// patience is how long a test waits for what it expects.
var patience = time.Minute

// ledger is what handlers were given.
type ledger struct {
	mu    sync.Mutex
	byKey map[string][]int // numbers, in the order in which they came
	total int
	begun []string // shards of which a record came
}

// each handles a record whose data is a number.
func (l *ledger) each(_ context.Context, shard string, r stream.Record) error {
	n, err := strconv.Atoi(string(r.Data))
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byKey == nil {
		l.byKey = map[string][]int{}
	}
	l.byKey[r.Key] = append(l.byKey[r.Key], n)
	l.total++
	if !slices.Contains(l.begun, shard) {
		l.begun = append(l.begun, shard)
	}
	return nil
}

func (l *ledger) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.total
}

// check holds the ledger to have each number of each key once and in order.
func (l *ledger) check(t testing.TB, keys, total int) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	assert.Len(t, l.byKey, keys)
	for key, numbers := range l.byKey {
		assert.True(t, slices.IsSorted(numbers), "out of order: %s %v", key, numbers)
		n += len(slices.Compact(slices.Clone(numbers)))
	}
	assert.Equal(t, total, n, "all of them")
	assert.Equal(t, total, l.total, "once")
}

// entries are records with keys in turn, whose numbers grow.
func entries(from, to, keys int) (all []streamtest.Entry) {
	for i := from; i < to; i++ {
		all = append(all, streamtest.Entry{Key: fmt.Sprint("key-", i%keys), Data: []byte(strconv.Itoa(i))})
	}
	return all
}

// consumer returns one of a stream, with leases in a file.
func consumer(t testing.TB, s *streamtest.Stream, endpoint, name, path string, h stream.Handler) *stream.Consumer {
	t.Helper()
	source, err := kinesis.Open(t.Context(), kinesis.Options{Stream: s.Name, Endpoint: endpoint})
	require.NoError(t, err)
	file, err := leases.Open(t.Context(), path, s.Name)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, file.Close()) })
	return &stream.Consumer{
		Source: source, Leases: file, DeadLetters: file, Handler: h, Name: name, Start: stream.Position{Kind: stream.Horizon}, Lease: 6 * time.Second,
		OnEvent: logged(t, name),
	}
}

// logged shows events of a test that fails.
func logged(t testing.TB, name string) func(stream.Event) {
	return func(e stream.Event) {
		if e.What != stream.Idle && e.What != stream.Handled {
			t.Log(time.Now().Format("05.000"), name, e.What, e.Shard, e.Reason, e.Text, e.Err)
		}
	}
}

// runUntil runs a consumer until something is so, and returns what Run did.
func runUntil(t testing.TB, c *stream.Consumer, so func() bool) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx) }()
	for !so() && ctx.Err() == nil {
		select {
		case err := <-ended:
			return err
		case <-time.After(10 * time.Millisecond):
		}
	}
	cancel()
	return <-ended
}

// each runs a test on kinesalite, and on the other server, which takes its time, in the full size.
func each(t *testing.T, test func(t *testing.T, endpoint string)) {
	t.Helper()
	t.Parallel()
	names := []string{streamtest.Kinesalite}
	if full {
		names = append(names, streamtest.KinesisLocal)
	}
	on(t, names, test)
}

// both runs a test on both servers where all tests are run, for the second shows in it what the first does not.
func both(t *testing.T, test func(t *testing.T, endpoint string)) {
	t.Helper()
	if !testsize.Full() {
		each(t, test)
		return
	}
	t.Parallel()
	on(t, servers.Names, test)
}

func on(t *testing.T, names []string, test func(t *testing.T, endpoint string)) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, servers.Endpoint(t, name))
		})
	}
}

// All records of all shards are handled, those of a key in order, and a second run finds none of them again.
func TestEveryRecord(t *testing.T) {
	each(t, func(t *testing.T, endpoint string) {
		s := streamtest.NewStream(t, endpoint, 4)
		s.Put(t, entries(0, 1000, 10)...)
		path := filepath.Join(t.TempDir(), "stream.sqlite")
		var l ledger
		c := consumer(t, s, endpoint, "first", path, stream.Each(l.each))
		require.ErrorIs(t, runUntil(t, c, func() bool { return l.count() >= 1000 }), context.Canceled)
		l.check(t, 10, 1000)

		s.Put(t, entries(1000, 1100, 10)...)
		c = consumer(t, s, endpoint, "second", path, stream.Each(l.each))
		require.ErrorIs(t, runUntil(t, c, func() bool { return l.count() >= 1100 }), context.Canceled)
		l.check(t, 10, 1100)
	})
}
