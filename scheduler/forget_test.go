package scheduler_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
)

// Hosts that nobody asks any more are forgotten once their rest is over: a process that serves for months does not grow.
func TestHostsAreForgotten(t *testing.T) {
	const sample = 10_000 // no more hosts are known at once
	hosts := testsize.Of(3, 10) * sample
	synctest.Test(t, func(t *testing.T) {
		s := scheduler.New(scheduler.Config{Pacer: pace.New(pace.Config{}), ForgetAfter: time.Minute})
		stop := serve(s)
		client := clientFunc(func() *scraperutils.Response { return &scraperutils.Response{Status: 200} })
		var largest, first uint64
		for i := range hosts {
			_, err := s.Execute(t.Context(), client, get(t, fmt.Sprintf("http://%d.example/", i)))
			require.NoError(t, err)
			if i%100 == 0 {
				time.Sleep(time.Second)
			}
			if i%sample == sample-1 {
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				if largest = max(largest, m.HeapAlloc); first == 0 {
					first = m.HeapAlloc
				}
			}
		}
		require.NoError(t, stop())
		assert.Less(t, largest, first+first/4, "bytes of heap")
		assert.Less(t, s.Hosts(), 7000)
	})
}

// What a host still wants, such as a Retry-After, is not forgotten.
func TestRestsAreNotForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler.New(scheduler.Config{Pacer: pace.New(pace.Config{NoRetry: true}), ForgetAfter: time.Second})
		defer serve(s)()
		busy := clientFunc(func() *scraperutils.Response {
			return &scraperutils.Response{Status: 503, Header: map[string][]string{"Retry-After": {"300"}}}
		})
		_, err := s.Execute(t.Context(), busy, get(t, "http://a.example/"))
		require.NoError(t, err)
		began := time.Now()
		time.Sleep(2 * time.Minute)
		_, err = s.Execute(t.Context(), busy, get(t, "http://a.example/"))
		require.NoError(t, err)
		assert.Equal(t, 5*time.Minute, time.Since(began))
	})
}

// What a host wants is known while the scheduler serves, and before and after.
func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler.New(scheduler.Config{Pacer: pace.New(pace.Config{})})
		host := scraperutils.Host{Name: "a.example", Port: "80"}
		assert.Zero(t, s.Wait(host))
		stop := serve(s)
		_, err := s.Execute(t.Context(), newWeb(constant(time.Second)), get(t, "http://a.example/"))
		require.NoError(t, err)
		want := scraperutils.Wait{Until: time.Now().Add(time.Second), Rule: pace.RuleMaxLoad}
		assert.Equal(t, want, s.Wait(host))
		require.NoError(t, stop())
		assert.Equal(t, want, s.Wait(host))
	})
}

// What a caller holds counts as in flight until it lets go: so many answers are not safe yet, and no more are asked for.
func TestHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := newWeb(constant(time.Second))
		s := scheduler.New(scheduler.Config{MaxRequests: 4})
		stop := serve(s)
		began, answers := time.Now(), make(chan time.Duration, 12)
		for i := range 12 {
			go func() {
				_, err := s.Execute(t.Context(), holding{web, s}, get(t, fmt.Sprintf("http://h%d.example/", i)))
				assert.NoError(t, err)
				answers <- time.Since(began)
			}()
		}
		for round := range 3 {
			time.Sleep(10 * time.Second)
			assert.Len(t, answers, 4)
			assert.Equal(t, s.MaxRequests(), s.Held())
			for range 4 {
				assert.Equal(t, time.Duration(10*round+1)*time.Second, <-answers)
			}
			s.Hold(-4)
		}
		require.NoError(t, stop())
	})
}

// holding is a client that holds its requests.
type holding struct {
	web       *web
	scheduler *scheduler.Scheduler
}

func (h holding) Do(ctx context.Context, r *scraperutils.Request) (*scraperutils.Response, error) {
	defer h.scheduler.Hold(1)
	return h.web.Do(ctx, r)
}
