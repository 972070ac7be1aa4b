package streamcmd_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/stream/streamtest"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// runs is the environment of a command whose program is the test binary: see program.
func runs(as string) []string { return []string{asProgram + "=" + as} }

// seeded returns what decides at which moments a test kills: STREAM_SEED is another seed than 14.
func seeded(t testing.TB) *rand.Rand {
	seed := uint64(14)
	if n, err := strconv.ParseUint(os.Getenv("STREAM_SEED"), 10, 64); err == nil {
		seed = n
	}
	t.Logf("STREAM_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 1))
}

// dear skips a test that costs too much for make test, but not in make streams.
func dear(t *testing.T) {
	t.Helper()
	if !full {
		testsize.SkipUnlessFull(t)
	}
}

// However often a run is killed, each record is handled, in the order of its shard, and again only around a kill: at most a batch of
// each shard.
func TestKilledAgainAndAgain(t *testing.T) {
	t.Parallel()
	if !full {
		killed(t, servers.Endpoint(t, streamtest.Kinesalite), testsize.Of(400, 1_000), testsize.Of(1, 2), 25)
		return
	}
	t.Run(streamtest.Kinesalite, func(t *testing.T) { killed(t, servers.Endpoint(t, streamtest.Kinesalite), 100_000, 20, 500) })
	t.Run(streamtest.KinesisLocal, func(t *testing.T) { // it takes a second for a few hundred
		killed(t, servers.Endpoint(t, streamtest.KinesisLocal), 20_000, 20, 100)
	})
}

func killed(t *testing.T, endpoint string, records, kills, batch int) {
	const shards = 4
	s, l, folder := streamtest.NewStream(t, endpoint, shards), newLedger(t), t.TempDir()
	s.Put(t, numbered(0, records, 50, 200)...)
	args := l.handled(flags(s, folder, "--batch", strconv.Itoa(batch)))
	r := seeded(t)
	for range kills {
		c := start(t, asStream, runs("good"), args...)
		enough := l.count() + records/(4*kills) + r.IntN(records/(2*kills))
		await(t, func() bool { return l.count() >= enough })
		c.kill()
	}
	before := l.count()
	require.Less(t, before, records, "it was killed too late for this test to say anything")
	began := time.Now()
	c := start(t, asStream, runs("good"), args...)
	await(t, func() bool { return handledAll(l, records) })
	took := time.Since(began)
	require.NoError(t, c.Process.Signal(syscall.SIGTERM))
	assert.Equal(t, 143, c.end())
	replayed := l.check(t, records, batch)
	assert.LessOrEqual(t, replayed, kills*shards*batch)
	t.Logf("%d records, %d kills: %d handled again; the last run %d in %s", records, kills, replayed, l.count()-before, took.Round(time.Millisecond))
}

// handledAll reports whether a ledger has so many different records.
func handledAll(l ledger, records int) bool {
	if l.count() < records {
		return false
	}
	different := map[string]bool{}
	for _, e := range l.read() {
		different[e.data] = true
	}
	return len(different) >= records
}

// Three processes share a stream by a table. One of them is killed, one stands still for four lease times: what it saves after that is
// refused, and the others have handled all.
func TestThreeProcesses(t *testing.T) {
	dear(t) // TestKilledAgainAndAgain has a process that is killed
	t.Parallel()
	records, batch := 1_200, 25
	if full {
		records, batch = 100_000, 500
	}
	const shards = 6
	s, l := streamtest.NewStream(t, servers.Endpoint(t, streamtest.Kinesalite), shards), newLedger(t)
	table := []string{"AWS_ENDPOINT_URL_DYNAMODB=" + servers.Endpoint(t, streamtest.Dynalite)}
	args := []string{"--stream", s.Name, "--endpoint", s.Endpoint, "--start", "TRIM_HORIZON", "--lease", "1s", "--dynamodb", "leases", "--create", "--batch", strconv.Itoa(batch), "--log-format", "json"}
	var all []*child
	for range 3 {
		all = append(all, start(t, asStream, append(runs("good"), table...), l.handled(args)...))
	}
	for _, c := range all { // each gets its share, with nothing to do yet
		await(t, func() bool { return held(c) == shards/3 })
	}
	s.Put(t, numbered(0, records/2, 50, 200)...)
	await(t, func() bool { return l.count() >= records/8 })
	all[0].kill()
	require.NoError(t, all[1].Process.Signal(syscall.SIGSTOP))
	s.Put(t, numbered(records/2, records, 50, 200)...)
	time.Sleep(4 * time.Second) // four lease times: that is what this test is about
	await(t, func() bool { return held(all[2]) == shards })
	require.NoError(t, all[1].Process.Signal(syscall.SIGCONT))
	await(t, func() bool { return strings.Contains(all[1].out.String(), "another process has the shard") })
	await(t, func() bool { return handledAll(l, records) })
	await(t, func() bool { return held(all[1]) == shards/2 && held(all[2]) == shards/2 })
	for _, c := range all[1:] {
		require.NoError(t, c.Process.Signal(syscall.SIGTERM))
		assert.Equal(t, 143, c.end())
	}
	different := map[string]bool{}
	for _, e := range l.read() {
		different[e.data] = true
	}
	again := l.count() - len(different)
	assert.Len(t, different, records)
	assert.LessOrEqual(t, again, 2*shards*batch)
	t.Logf("%d records, three processes, one killed, one stopped for four lease times: %d handled again", records, again)
}

// held is how many shards a process has, by its log.
func held(c *child) (n int) {
	out := c.out.String()
	return strings.Count(out, `"message":"taken"`) - strings.Count(out, `"message":"released"`) - strings.Count(out, `"message":"another process has the shard"`)
}
