package umbra

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/amqp/amqptest"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// faulty starts a worker behind a wire, with short times.
func faulty(t testing.TB, o Options) (*world, *amqptest.Wire) {
	wire := amqptest.NewWire(t, broker.URL(t))
	o.URL, o.Heartbeat, o.Timeout, o.RetryPause = wire.URL(), time.Second, 2*time.Second, 20*time.Millisecond
	return start(t, o), wire
}

// whole checks that each page of a message came to its client, and returns how many pages were begun more than once.
func (w *world) whole(urls ...string) (again int) {
	w.t.Helper()
	got := w.results()
	for _, url := range urls {
		for _, part := range []string{"", "?form", "?beacon"} {
			assert.NotEmpty(w.t, got[url+part], url+part)
		}
		again += w.times(url) - 1
	}
	return again
}

// Whatever happens to the connections while pages are open, the pages go on, what came of them is sent, and each message is settled. The same
// worker gets what comes next.
func TestFaultsWhilePagesAreOpen(t *testing.T) {
	for name, c := range map[string]struct {
		fault func(w *world, wire *amqptest.Wire)
		again int  // pages that are opened once more, at most
		dear  bool // it is tried where all tests are run
	}{
		"nothing": {dear: true, fault: func(*world, *amqptest.Wire) {}},
		"the broker closes all connections": {dear: true, fault: func(w *world, wire *amqptest.Wire) {
			broker.CloseConnections(w.t)
			w.reconnected(wire)
		}},
		"connections are cut": {fault: func(w *world, wire *amqptest.Wire) {
			wire.Cut()
			w.reconnected(wire)
		}},
		"the broker is killed and comes back": {again: 2, dear: true, fault: func(w *world, _ *amqptest.Wire) {
			broker.Kill()
			broker.URL(w.t)
		}},
		"channels end with an error": {fault: func(w *world, wire *amqptest.Wire) {
			wire.CloseChannels()
			w.reconnected(wire)
		}},
		"the queues are deleted": {fault: func(w *world, wire *amqptest.Wire) {
			broker.Delete(w.t, w.options.Queue+".retry")
			broker.Delete(w.t, w.options.Queue+".dead")
			broker.Delete(w.t, w.options.Queue)
			w.await(func() bool { return wire.Connections() > 2 && broker.Consumers(w.t, w.options.Queue) == 1 }, "the consumer is replaced")
		}},
		"the peer is frozen": {fault: func(w *world, wire *amqptest.Wire) {
			wire.Freeze(true)
			w.await(func() bool { return w.Stats().Troubles >= 2 }, "both connections are given up")
			wire.Freeze(false)
		}},
		"the broker takes nothing for want of memory": {dear: true, fault: func(w *world, _ *amqptest.Wire) {
			end := broker.Block(w.t)
			w.release()
			w.await(func() bool { return w.Stats().Blocked != "" }, "results wait")
			time.Sleep(w.options.Timeout + w.options.Timeout/2) // that is no silence
			end()
			w.await(func() bool { return w.Stats().Done == 2 }, "both pages are done")
			assert.Zero(w.t, w.Stats().Troubles)
		}},
		"both connections are replaced": {fault: func(w *world, wire *amqptest.Wire) {
			w.Reconnect()
			w.reconnected(wire)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if c.dear {
				testsize.SkipUnlessFull(t) // connections that are cut go the same way
			}
			w, wire := faulty(t, Options{Browsers: 2})
			urls := []string{"http://a.example/held/1", "http://a.example/held/2", "http://a.example/fail/1", "http://a.example/ok"}
			w.ask(w.message(urls[0]), w.message(urls[1]))
			w.await(func() bool { return w.Stats().Begun == 2 }, "two pages begin")
			c.fault(w, wire)
			w.release()
			w.ask(w.message(urls[2]), w.message(urls[3]))
			w.settled(5)
			w.await(func() bool { return w.Stats().Done >= 4 }, "the page that fails is done as well")
			w.await(func() bool { return broker.Waiting(t, w.options.Queue) == 0 }, "nothing is left")
			w.stop()
			w.empty()
			assert.LessOrEqual(t, w.whole(urls...), 1+c.again, "one is tried again because it fails")
			assert.Empty(t, w.dead())
		})
	}
}

// reconnected waits until both connections were made again.
func (w *world) reconnected(wire *amqptest.Wire) {
	w.await(func() bool { return wire.Connections() >= 4 && broker.Consumers(w.t, w.options.Queue) == 1 }, "both connections are made again")
}

// An acknowledgment that is lost with its connection is given when the message comes again. The page is not opened a second time.
func TestALostAcknowledgmentIsGivenAgain(t *testing.T) {
	w, wire := faulty(t, Options{})
	wire.CutAtAcks(1)
	w.ask(w.message("http://a.example/ok"))
	w.await(func() bool { s := w.Stats(); return s.Known == 1 && s.Lost == 1 }, "the message comes again")
	w.ask(w.message("http://a.example/ok"))
	w.await(func() bool { return w.Stats().Done == 2 }, "the same message, sent again, is another one")
	w.stop()
	w.empty()
	assert.Equal(t, 2, w.times("http://a.example/ok"))
}

func TestAConsumerThatHearsNothingIsReplaced(t *testing.T) {
	w, wire := faulty(t, Options{Silence: 100 * time.Millisecond})
	wire.Deafen()
	w.ask(w.message("http://a.example/ok"), w.message("http://a.example/ok/2"))
	w.settled(2)
	w.stop()
	w.whole("http://a.example/ok", "http://a.example/ok/2")
	assert.ErrorContains(t, <-w.troubles, "nothing comes though the queue has messages")
}

// Connections that are cut at seeded moments lose nothing, and few pages are done twice.
func TestManyCutsLoseNothing(t *testing.T) {
	const seed = 11
	pages := testsize.Of(50, 150)
	w, wire := faulty(t, Options{Browsers: 8})
	var urls []string
	for i := range pages {
		urls = append(urls, fmt.Sprintf("http://a.example/ok/%d", i))
	}
	random := rand.New(rand.NewPCG(seed, seed))
	for i := 0; i < pages; i += 10 {
		var bodies []string
		for _, url := range urls[i : i+10] {
			bodies = append(bodies, w.message(url))
		}
		wire.CutAtAcks(random.IntN(3))
		w.ask(bodies...)
		w.await(func() bool { return w.Stats().Done >= i+random.IntN(10) }, "some of them are done")
		wire.Cut()
	}
	w.await(func() bool {
		return len(w.seenURLs()) == pages && len(w.Pages()) == 0 && broker.Waiting(t, w.options.Queue) == 0
	}, "all are done")
	w.stop()
	w.empty()
	again := w.whole(urls...)
	s := w.Stats()
	assert.Zero(t, again, "this worker is the only one, and knows what it has done")
	assert.Positive(t, s.Lost)
	assert.Equal(t, pages, s.Done)
	t.Logf("seed %d: %d connections, %d pages opened again, %d acknowledgments lost and %d given again, %d messages joined with open pages",
		seed, wire.Connections(), again, s.Lost, s.Known, s.Joined)
}

// seenURLs returns the pages that were begun.
func (w *world) seenURLs() map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := map[string]int{}
	for url, n := range w.begun {
		all[url] = n
	}
	return all
}

// Another worker does what one has that dies, while that one still believes to be alive.
func TestAWorkerThatIsCutOffHasItsMessagesDoneByAnother(t *testing.T) {
	w, wire := faulty(t, Options{Browsers: 14})
	var urls []string
	for i := range 14 {
		urls = append(urls, fmt.Sprintf("http://a.example/held/%d", i))
		w.ask(w.message(urls[i]))
	}
	w.await(func() bool { return w.Stats().Begun == 14 }, "fourteen pages begin")
	other, err := Open(t.Context(), func() Options { o := w.options; o.URL = broker.URL(t); return o }(), w.fake)
	require.NoError(t, err)
	defer other.Close()
	done := make(chan error, 1)
	go func() { done <- other.Run(t.Context()) }()
	wire.Freeze(true)
	wire.Cut()
	w.await(func() bool { return other.Stats().Begun == 14 }, "the other one has them all")
	w.release()
	w.await(func() bool { return other.Stats().Done == 14 }, "and is done with them")
	wire.Freeze(false)
	w.settled(14) // their results come twice, once from each
	w.stop()
	w.empty()
	assert.Equal(t, 14, w.whole(urls...))
}

// A message is acknowledged when the broker has confirmed what came of it, and not before.
func TestAMessageStaysUntilItsResultsAreConfirmed(t *testing.T) {
	w := start(t, Options{Drain: 50 * time.Millisecond})
	w.ask(w.message("http://a.example/held"))
	w.await(func() bool { return w.Stats().Begun == 1 }, "the page begins")
	end := broker.Block(t)
	w.release()
	w.await(func() bool { return w.Stats().Blocked != "" }, "the page is done, and results wait")
	w.stop()
	end()
	assert.Equal(t, 1, broker.Waiting(t, w.options.Queue), "the message is back")
}
