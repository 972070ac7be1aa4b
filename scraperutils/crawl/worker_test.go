package crawl_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
)

// Every page is fetched once, stored once and counted once, and hosts rest between two requests.
func TestWorkerFetchesAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t, entries(20, 50)...)
		var visits int
		c.run(t, func(w *crawl.Worker) { w.OnVisit = func(crawl.Visit) { visits++ } })
		counts := c.counts(t)
		assert.Equal(t, 1000, counts.Done)
		assert.Zero(t, counts.Leased)
		assert.Equal(t, 1000, visits)
		assert.Len(t, c.web.asked, 1000)
		assert.Len(t, c.web.log, 1000)
		assert.Len(t, c.sink.ids(), 1000)
		assert.Len(t, c.sink.pages, 1000)
		assert.GreaterOrEqual(t, c.web.gaps(), 100*time.Millisecond)
	})
}

// A host takes as long as its own pace asks for, whatever the others do: its answers, and the rests between them.
func TestHostsDoNotWaitForEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t, append(entries(200, 5), entriesOf("big", 2000)...)...)
		began := time.Now()
		last := map[string]time.Duration{}
		c.run(t, func(w *crawl.Worker) {
			w.OnVisit = func(v crawl.Visit) { last[v.Host] = v.Result.At.Sub(began) }
		})
		for host, took := range last {
			want := 900 * time.Millisecond // five answers, four rests
			if host == "big.example" {
				want = 399900 * time.Millisecond
			}
			assert.InDelta(t, want.Seconds(), took.Seconds(), want.Seconds()/20, host)
		}
	})
}

// A host that may have several requests at once has as many while there is something to ask: it does not wait for the last of those that
// it was given.
func TestQueueIsFilledWhileRequestsAreInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t, entries(3, 40)...)
		c.pace = pace.Config{PerHost: 4, NoDelay: true}
		c.web.latency = func(*scraperutils.Request) time.Duration { return time.Second }
		began := time.Now()
		c.run(t, func(w *crawl.Worker) { w.URLs = 5 })
		assert.Len(t, c.web.asked, 120)
		assert.Len(t, c.web.log, 120, "each once")
		assert.Less(t, time.Since(began), 11*time.Second, "ten rounds of four; five by five, one waiting for the other, take sixteen")
		assert.Equal(t, 120, c.counts(t).Done)
	})
}

// Where there are fewer places than hosts, those that have much to do take turns with the others like anyone else: three hosts with all but
// a twentieth of the URLs cost the others no more than the three places that they may hold.
func TestLargeHostsShareThePlaces(t *testing.T) {
	const places, hosts, pages = 60, 600, 5
	took := func(large int) (last time.Duration) {
		synctest.Test(t, func(t *testing.T) {
			all := entries(hosts, pages)
			for i := range large {
				all = append(entriesOf(fmt.Sprintf("large%d", i), hosts*pages*19/large), all...)
			}
			c := newCrew(t, all...)
			w, stop := c.worker(t, "w")
			defer stop()
			ctx, cancel := context.WithCancel(t.Context())
			began, left := time.Now(), hosts*pages
			w.Hosts = places
			w.OnVisit = func(v crawl.Visit) {
				if strings.HasPrefix(v.Host, "h") {
					if left--; left == 0 {
						last = v.Result.At.Sub(began)
						cancel()
					}
				}
			}
			assert.ErrorIs(t, w.Run(ctx), context.Canceled)
		})
		return last
	}
	alone, beside := took(0), took(3)
	t.Logf("%v alone, %v beside three large hosts", alone, beside)
	assert.LessOrEqual(t, beside.Seconds(), 1.05*alone.Seconds()*places/(places-3))
}

func entriesOf(host string, n int) []crawl.Entry {
	all := entries(1, n)
	for i := range all {
		all[i] = entry("http://" + host + ".example" + all[i].URL[len("http://h0.example"):])
	}
	return all
}

// The end of the run sends nothing more, lets requests in flight end and counts them, and gives hosts back.
func TestWorkerDrains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t, entries(10, 100)...)
		c.web.latency = func(*scraperutils.Request) time.Duration { return 3 * time.Second }
		w, stop := c.worker(t, "w")
		defer stop()
		enough := errors.New("enough")
		ctx, cancel := context.WithTimeoutCause(t.Context(), 7*time.Second, enough)
		defer cancel()
		began := time.Now()
		assert.ErrorIs(t, w.Run(ctx), enough)
		assert.InDelta(t, 9, time.Since(began).Seconds(), 0.1, "the second answers were in flight")
		counts := c.counts(t)
		assert.Equal(t, 20, counts.Done)
		assert.Equal(t, 980, counts.Ready+counts.Waiting)
		assert.Zero(t, counts.Leased)
		assert.Len(t, c.web.log, 20)
		assert.Len(t, c.sink.pages, 20)
	})
}

// A sink that fails for a while loses nothing and has nothing fetched twice: the crawl waits for it.
func TestSinkThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t, entries(10, 100)...)
		began, troubles := time.Now(), 0
		c.sink.fail = func() error {
			if d := time.Since(began); d > 2*time.Second && d < 2*time.Minute {
				return errors.New("no room")
			}
			return nil
		}
		c.run(t, func(w *crawl.Worker) { w.OnTrouble = func(error) { troubles++ } })
		assert.Equal(t, 1000, c.counts(t).Done)
		assert.Len(t, c.web.log, 1000)
		assert.Len(t, c.sink.ids(), 1000)
		assert.Positive(t, troubles)
	})
}

// A request is in flight until its page is stored and its visit counts: while a sink does nothing, no more are sent than may be in
// flight at once, so that a kill has no more than those to be asked again.
func TestInFlightUntilItCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t, entries(100, 20)...)
		c.requests = 16
		began, asked := time.Now(), 0
		c.sink.fail = func() error {
			if time.Since(began) > time.Minute {
				return nil
			}
			c.web.mu.Lock()
			defer c.web.mu.Unlock()
			asked = len(c.web.log)
			return errors.New("no room")
		}
		c.run(t, nil)
		assert.Equal(t, 16, asked)
		assert.Equal(t, 2000, c.counts(t).Done)
		assert.Len(t, c.web.log, 2000)
	})
}

// One that fails for longer than the worker has patience ends it, with nothing counted that was not stored.
func TestSinkThatNeverWorks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t, entries(10, 100)...)
		full := errors.New("no room")
		c.sink.fail = func() error { return full }
		w, stop := c.worker(t, "w")
		defer stop()
		assert.ErrorIs(t, w.Run(t.Context()), full)
		assert.Zero(t, c.counts(t).Done)
		assert.Equal(t, 1000, c.counts(t).Ready+c.counts(t).Waiting)
	})
}

// A redirect to another host is a URL of that host, with the same ID, so that the page has it.
func TestRedirectToAnotherHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t, entry("http://a.example/moved"), entry("http://a.example/loop"))
		c.web.answer = func(r *scraperutils.Request, _ int) (*scraperutils.Response, error) {
			switch r.URL.Path {
			case "/moved":
				return status(301, "Location", "http://b.example/here#part"), nil
			case "/loop":
				return status(302, "Location", "http://b.example/back"), nil
			case "/back":
				return status(302, "Location", "http://a.example/loop"), nil
			}
			return nil, nil
		}
		id := c.url(t, "http://a.example/moved").ID
		c.run(t, nil)
		require.Len(t, c.sink.pages, 1)
		p := c.sink.pages[0]
		assert.Equal(t, id, p.ID)
		assert.Equal(t, "http://b.example/here", p.URL)
		assert.Equal(t, "http://a.example/moved", p.Via)
		assert.Equal(t, 4, c.counts(t).Done)
		assert.Len(t, c.web.log, 4, "a loop ends where it is known")
	})
}

// With several requests at once to a host, their starts keep the distance.
func TestSeveralAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t, entries(3, 100)...)
		c.pace = pace.Config{PerHost: 4, NoDelay: true}
		c.web.latency = func(*scraperutils.Request) time.Duration { return 400 * time.Millisecond }
		began := time.Now()
		c.run(t, nil)
		assert.Equal(t, 300, c.counts(t).Done)
		assert.InDelta(t, 10, time.Since(began).Seconds(), 1, "a hundred at four at once")
	})
}

// A worker that keeps waiting takes what is added later, and retries that come due.
func TestWorkerKeepsWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t)
		w, stop := c.worker(t, "w")
		defer stop()
		w.Rules.Keep = true
		wake := make(chan struct{}, 1)
		w.Wake = wake
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- w.Run(ctx) }()
		time.Sleep(time.Hour)
		_, err := c.memory.Open().Add(ctx, time.Now(), entries(1, 1))
		require.NoError(t, err)
		wake <- struct{}{}
		time.Sleep(500 * time.Millisecond)
		assert.Equal(t, 1, c.counts(t).Done, "it was told")
		_, err = c.memory.Open().Add(ctx, time.Now(), entries(2, 1))
		require.NoError(t, err)
		time.Sleep(2 * time.Second)
		assert.Equal(t, 2, c.counts(t).Done, "it has looked")
		cancel()
		assert.ErrorIs(t, <-ended, context.Canceled)
	})
}

// Where a sink is slower than the web, the web is asked no faster than pages can be stored: they do not fill the memory.
func TestSlowSink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t, entries(100, 5)...)
		c.pace = pace.Config{NoDelay: true}
		c.web.answer = func(r *scraperutils.Request, _ int) (*scraperutils.Response, error) {
			large := page(r)
			large.Body = make([]byte, 256<<10)
			return large, nil
		}
		most := 0
		c.sink.fail = func() error {
			time.Sleep(time.Second)
			c.web.mu.Lock()
			most = max(most, len(c.web.log)-len(c.sink.pages))
			c.web.mu.Unlock()
			return nil
		}
		c.run(t, nil)
		assert.Equal(t, 500, c.counts(t).Done)
		assert.LessOrEqual(t, most, 96+100+1, "24 MiB, and one page of each host")
	})
}
