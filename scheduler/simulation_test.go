package scheduler_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
)

// ideal is how long an operation takes alone: its answers, and after each but the last the delay it asks for.
func ideal(latencies []time.Duration) (total time.Duration) {
	a := pace.Adaptive{Load: pace.DefaultMaxLoad}
	var delay time.Duration
	for i, took := range latencies {
		if i == 0 {
			delay = a.First(took)
		} else {
			total += delay
			delay = a.Next(delay, took)
		}
		total += took
	}
	return total
}

// A night of 143 authorities with 20 pages each takes what the slowest authority takes, to the nanosecond.
func TestRunTakesAsLongAsItsLongestOperation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		latency := seeded(1)
		web := newWeb(latency)
		s := scheduler.New(scheduler.Config{Pacer: pace.New(pace.Config{})})
		var longest time.Duration
		own := map[string]time.Duration{}
		for i := range 143 {
			host := fmt.Sprintf("council-%d.example", i)
			var latencies []time.Duration
			for page := range 20 {
				latencies = append(latencies, latency(get(t, fmt.Sprintf("http://%s/%d", host, page))))
			}
			own[host] = ideal(latencies)
			longest = max(longest, own[host])
			register(t, s, host, pages(t, web, host, 20))
		}
		began := time.Now()
		r := run(t, s)
		assert.Equal(t, longest, time.Since(began))
		assert.Empty(t, r.Errors())
		for _, o := range r.Operations {
			assert.Equal(t, own[o.Label], o.Ended.Sub(o.Started), o.Label)
			assert.Equal(t, 20, o.Requests)
		}
		assert.Equal(t, 143*20, r.Totals.Calls)
		assert.Greater(t, web.mostAtOnce, 20, "operations must wait together, not one after the other")
	})
}

// checkPolite holds what servers saw against the rules: one request at a time a host, and after each response the delay
// that the response times so far ask for.
func checkPolite(t *testing.T, web *web) {
	t.Helper()
	assert.Equal(t, 1, web.worst, "requests at once on one host")
	byHost := map[string][]exchange{}
	slices.SortStableFunc(web.log, func(a, b exchange) int { return a.began.Compare(b.began) })
	for _, e := range web.log {
		byHost[e.host] = append(byHost[e.host], e)
	}
	a := pace.Adaptive{Load: pace.DefaultMaxLoad}
	for host, log := range byHost {
		var delay time.Duration
		for i, e := range log {
			took := e.ended.Sub(e.began)
			if i == 0 {
				delay = a.First(took)
				continue
			}
			notBefore := log[i-1].ended.Add(delay)
			require.False(t, e.began.Before(notBefore), "%s: request %d came %s early", host, i, notBefore.Sub(e.began))
			delay = a.Next(delay, took)
		}
	}
}

// FuzzSimulatedNight runs nights in which operations share hosts, in any mixture, and holds each against the rules.
func FuzzSimulatedNight(f *testing.F) {
	f.Add(uint64(1), uint8(5), uint8(1), uint8(0))
	f.Add(uint64(2), uint8(1), uint8(4), uint8(10))
	f.Add(uint64(3), uint8(40), uint8(2), uint8(7))
	f.Fuzz(func(t *testing.T, seed uint64, hosts, running, workers uint8) {
		synctest.Test(t, func(t *testing.T) { simulateNight(t, seed, max(int(hosts), 1), int(running), int(workers)) })
	})
}

func simulateNight(t *testing.T, seed uint64, hosts, running, workers int) {
	web := newWeb(seeded(seed))
	s := scheduler.New(scheduler.Config{
		Pacer: pace.New(pace.Config{}), MaxRunning: running, MaxWorkers: workers, MaxRequests: 1 + int(seed%7), RunTimeout: 1e6 * time.Hour,
	})
	alive, most := 0, 0
	for i := range 60 {
		register(t, s, fmt.Sprintf("a%d", i), func(ctx context.Context) error {
			if running <= 1 { // one scraper at a time needs no lock
				alive++
				most = max(most, alive)
				defer func() { alive-- }()
			}
			for page := range 1 + (i+int(seed))%9 {
				host := (i*7 + page*int(seed%11)) % hosts
				if _, err := scheduler.ExecuteRequest(ctx, web, get(t, fmt.Sprintf("http://h%d.example/%d/%d", host, i, page))); err != nil {
					return err
				}
			}
			return nil
		})
	}
	r := run(t, s)
	assert.Empty(t, r.Errors())
	checkPolite(t, web)
	assert.LessOrEqual(t, web.mostAtOnce, 1+int(seed%7))
	if workers > 0 {
		assert.LessOrEqual(t, most, workers)
	}
	assert.Equal(t, len(web.log), r.Totals.Calls)
}

// A page is read as soon as it is there; only the next request to its host waits.
func TestDelayHoldsTheNextRequestNotTheReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := newWeb(constant(time.Second))
		s := scheduler.New(scheduler.Config{Pacer: pace.New(pace.Config{})})
		began := time.Now()
		var read []time.Duration
		register(t, s, "kyogle", func(ctx context.Context) error {
			for _, url := range []string{"http://a.example/1", "http://a.example/2", "http://b.example/3"} {
				_, err := scheduler.ExecuteRequest(ctx, web, get(t, url))
				read = append(read, time.Since(began))
				require.NoError(t, err)
			}
			return nil
		})
		run(t, s)
		assert.Equal(t, []time.Duration{1 * time.Second, 3 * time.Second, 4 * time.Second}, read, "the other host is asked at once")
	})
}

// What the gem did wrong with three operations of two requests: it ran them one after the other.
func TestOperationsInterleave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := newWeb(constant(300 * time.Millisecond))
		s := scheduler.New(scheduler.Config{})
		var order []string
		for _, label := range []string{"a", "b", "c"} {
			register(t, s, label, func(ctx context.Context) error {
				for i := range 2 {
					order = append(order, label)
					if _, err := scheduler.ExecuteRequest(ctx, web, get(t, fmt.Sprintf("http://%s.example/%d", label, i))); err != nil {
						return err
					}
				}
				return nil
			})
		}
		began := time.Now()
		run(t, s)
		assert.Equal(t, 600*time.Millisecond, time.Since(began))
		first := strings.Join(order[:3], "")
		assert.ElementsMatch(t, []string{"a", "b", "c"}, strings.Split(first, ""))
	})
}
