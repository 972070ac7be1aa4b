package frontiertest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

func announce(t testing.TB, f crawl.Frontier, now time.Time, w crawl.WorkerStatus) (stop bool) {
	t.Helper()
	stop, err := f.Announce(t.Context(), now, w)
	require.NoError(t, err)
	return stop
}

func workers(t testing.TB, f crawl.Frontier, now time.Time) []crawl.WorkerStatus {
	t.Helper()
	all, err := f.Workers(t.Context(), now)
	require.NoError(t, err)
	return all
}

// Workers are listed as they have announced themselves, until they leave or have been silent for an hour.
func crewListed(t *testing.T, d Driver) {
	f := fresh(t, d)
	assert.Empty(t, workers(t, f, start))
	one := crawl.WorkerStatus{Name: "one \x00\x1b[31m", Since: start, Hosts: 3, Done: 20, Failed: 1}
	two := crawl.WorkerStatus{Name: "two", Since: at(time.Second)}
	assert.False(t, announce(t, f, at(2*time.Second), two))
	assert.False(t, announce(t, f, at(3*time.Second), one))
	one.Hosts, one.Done = 4, 30
	assert.False(t, announce(t, f, at(5*time.Second), one))
	one.Seen, two.Seen = at(5*time.Second), at(2*time.Second)
	assert.Equal(t, []crawl.WorkerStatus{one, two}, workers(t, f, at(6*time.Second)))

	assert.Equal(t, []crawl.WorkerStatus{one, two}, workers(t, f, two.Seen.Add(crawl.SilentFor)), "it may come back")
	assert.Equal(t, []crawl.WorkerStatus{one}, workers(t, f, two.Seen.Add(crawl.SilentFor+time.Millisecond)))
	require.NoError(t, f.Leave(t.Context(), one.Name))
	require.NoError(t, f.Leave(t.Context(), one.Name), "a second time")
	assert.Empty(t, workers(t, f, two.Seen.Add(crawl.SilentFor+time.Second)))
	audit(t, f)
}

// All that are listed are told to stop, and say so; one that comes later works.
func crewStopped(t *testing.T, d Driver) {
	f := fresh(t, d)
	stop := func(now time.Time) int {
		n, err := f.StopWorkers(t.Context(), now)
		require.NoError(t, err)
		return n
	}
	assert.Zero(t, stop(start), "nobody is there")
	for _, name := range []string{"dead", "a", "b"} {
		assert.False(t, announce(t, f, start, crawl.WorkerStatus{Name: name, Since: start}))
	}
	later := at(crawl.SilentFor + time.Second)
	for _, name := range []string{"a", "b"} {
		announce(t, f, later, crawl.WorkerStatus{Name: name, Since: start})
	}
	assert.Equal(t, 2, stop(later))
	assert.Equal(t, 2, stop(later), "a second time")
	for _, w := range workers(t, f, later) {
		assert.True(t, w.Stop, w.Name)
	}
	assert.True(t, announce(t, f, later, crawl.WorkerStatus{Name: "a", Since: start}))
	assert.False(t, announce(t, f, later, crawl.WorkerStatus{Name: "c", Since: later}))
	require.NoError(t, f.Leave(t.Context(), "a"))
	assert.False(t, announce(t, f, later, crawl.WorkerStatus{Name: "a", Since: later}), "it has come back")
	require.Len(t, workers(t, f, later), 3)
}

// What a worker has announced outlasts its connection, but not a worker that has the frontier to itself.
func crewAfterOpening(t *testing.T, d Driver) {
	place := d.New(t, crawl.Hash)
	f := open(t, place, start)
	announce(t, f, start, crawl.WorkerStatus{Name: "w", Since: start})
	require.NoError(t, f.Close())
	f = open(t, place, at(time.Second))
	want := 1
	if d.Alone {
		want = 0
	}
	assert.Len(t, workers(t, f, at(time.Second)), want)
}
