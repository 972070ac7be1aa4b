package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
)

// serve runs a scheduler until stop is called, which returns what Serve did.
func serve(s *scheduler.Scheduler) (stop func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx) }()
	return func() error {
		cancel()
		return <-served
	}
}

// Each host has four requests in flight, and the fifth goes out when the first has its answer, or when the distance from start to start
// allows it: the time of all is known to the nanosecond.
func TestServeSeveralAtOnce(t *testing.T) {
	for name, c := range map[string]struct {
		pace   pace.Config
		want   time.Duration
		atOnce int // to one host
	}{
		"no rests":        {pace.Config{NoDelay: true}, 10 * time.Second, 4},
		"least interval":  {pace.Config{MinInterval: 700 * time.Millisecond}, 39*700*time.Millisecond + time.Second, 2},
		"average, shared": {pace.Config{}, 10*time.Second + 3*time.Second/4, 4}, // nothing is known before the first answer
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c.pace.PerHost = 4
				s := scheduler.New(scheduler.Config{Pacer: pace.New(c.pace), MaxPerHost: 4})
				stop := serve(s)
				web := newWeb(constant(time.Second))
				began := time.Now()
				var all sync.WaitGroup
				for i := range 400 {
					all.Go(func() {
						r, err := s.Execute(t.Context(), web, get(t, fmt.Sprintf("http://%d.example/%d", i%10, i)))
						assert.NoError(t, err)
						assert.Equal(t, 200, r.Status)
					})
				}
				all.Wait()
				assert.Equal(t, c.want, time.Since(began))
				assert.Equal(t, c.atOnce, web.worst)
				assert.NoError(t, stop())
				for host := range 10 {
					var starts []time.Time
					for _, e := range web.log {
						if e.host == fmt.Sprintf("%d.example", host) {
							starts = append(starts, e.began)
						}
					}
					slices.SortFunc(starts, time.Time.Compare)
					require.Len(t, starts, 40)
					for i := range starts[1:] {
						assert.GreaterOrEqual(t, starts[i+1].Sub(starts[i]), c.pace.MinInterval)
					}
				}
			})
		})
	}
}

// Who asks is told when the host may be asked next, after what came of it.
func TestAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler.New(scheduler.Config{Pacer: pace.New(pace.Config{})})
		stop := serve(s)
		web := newWeb(constant(time.Second))
		response, next, err := s.Ask(t.Context(), web, get(t, "http://a.example/"))
		require.NoError(t, err)
		assert.Equal(t, 200, response.Status)
		assert.Equal(t, s.Wait(scraperutils.Host{Name: "a.example", Port: "80"}), next)
		assert.Equal(t, time.Second, time.Until(next.Until), "half the server's time")
		assert.Equal(t, pace.RuleMaxLoad, next.Rule)

		impatient, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		_, next, err = s.Ask(impatient, web, get(t, "http://a.example/again"))
		require.Error(t, err, "given up while it waited")
		assert.Equal(t, time.Second/2, time.Until(next.Until))
		assert.NoError(t, stop())

		_, next, err = s.Ask(t.Context(), web, get(t, "http://a.example/late"))
		require.ErrorIs(t, err, scheduler.ErrEnded)
		assert.Zero(t, next)
	})
}

// Callers and operations share the pace of a host.
func TestServeBesideOperations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler.New(scheduler.Config{Pacer: pace.New(pace.Config{})})
		web := newWeb(constant(time.Second))
		register(t, s, "kyogle", pages(t, web, "a.example", 5))
		stop := serve(s)
		began := time.Now()
		for i := range 5 {
			_, err := s.Execute(t.Context(), web, get(t, fmt.Sprintf("http://a.example/caller/%d", i)))
			require.NoError(t, err)
		}
		time.Sleep(time.Minute)
		assert.NoError(t, stop())
		assert.Len(t, web.log, 10)
		assert.Equal(t, 1, web.worst)
		assert.Equal(t, 19*time.Second, web.log[9].ended.Sub(began), "ten answers of a second, nine rests")
	})
}

func TestExecuteGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("no patience")
		s := scheduler.New(scheduler.Config{Pacer: pace.New(pace.Config{})})
		impatient := func(d time.Duration) context.Context {
			ctx, cancel := context.WithTimeoutCause(t.Context(), d, cause)
			t.Cleanup(cancel)
			return ctx
		}
		web := newWeb(constant(time.Second))
		_, err := s.Execute(impatient(time.Second), web, get(t, "http://a.example/early"))
		require.ErrorIs(t, err, cause, "before anybody serves")

		stop := serve(s)
		_, err = s.Execute(impatient(time.Second/2), web, get(t, "http://a.example/flight"))
		require.ErrorIs(t, err, cause, "in flight")
		first := make(chan error)
		go func() {
			_, err := s.Execute(t.Context(), web, get(t, "http://a.example/patient"))
			first <- err
		}()
		synctest.Wait()
		for range 100 { // more than a host keeps of those that have gone
			_, err = s.Execute(impatient(time.Millisecond), web, get(t, "http://a.example/waiting"))
			require.ErrorIs(t, err, cause, "while it waits")
		}
		require.NoError(t, <-first)
		_, err = s.Execute(t.Context(), web, get(t, "http://a.example/next"))
		require.NoError(t, err)
		require.NoError(t, stop())
		assert.Len(t, web.log, 3, "what was given up while it waited was never sent")
		assert.Equal(t, 1, web.worst)
	})
}

// The end takes no new request and gives up those that wait; what is in flight ends.
func TestServeDrains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler.New(scheduler.Config{Pacer: pace.New(pace.Config{})})
		web := newWeb(constant(5 * time.Second))
		stop := serve(s)
		errs := make(chan error, 3)
		for i := range 3 {
			go func() {
				_, err := s.Execute(t.Context(), web, get(t, fmt.Sprintf("http://a.example/%d", i)))
				errs <- err
			}()
		}
		time.Sleep(time.Second)
		began := time.Now()
		require.NoError(t, stop())
		assert.Equal(t, 4*time.Second, time.Since(began))
		assert.ErrorIs(t, <-errs, scheduler.ErrEnded)
		assert.ErrorIs(t, <-errs, scheduler.ErrEnded)
		assert.NoError(t, <-errs)
		_, err := s.Execute(t.Context(), web, get(t, "http://a.example/late"))
		assert.ErrorIs(t, err, scheduler.ErrEnded)
		assert.ErrorIs(t, s.Serve(t.Context()), scheduler.ErrNotReset)
	})
}

// A client that does not return holds nobody longer than the grace; its caller still gets what it returns.
func TestServeLeavesBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler.New(scheduler.Config{})
		stop := serve(s)
		answer := make(chan error, 1)
		go func() {
			_, err := s.Execute(t.Context(), newWeb(constant(time.Hour)), get(t, "http://a.example/"))
			answer <- err
		}()
		synctest.Wait()
		began := time.Now()
		err := stop()
		assert.ErrorIs(t, err, scheduler.ErrEnded)
		assert.ErrorContains(t, err, "1 requests were still in flight")
		assert.Equal(t, scheduler.DefaultGrace, time.Since(began))
		assert.NoError(t, <-answer)
		assert.Equal(t, time.Hour, time.Since(began))
	})
}

// A host that goes down for ten minutes costs its callers an error that says until when, and is asked once it is over.
func TestServeHostComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler.New(scheduler.Config{Pacer: pace.New(pace.Config{NoRetry: true, DownFor: 10 * time.Minute})})
		defer serve(s)()
		web, down := newWeb(constant(time.Second)), true
		web.answer = func(r *scraperutils.Request) error {
			if down && r.URL.Host == "a.example" {
				return &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
			}
			return nil
		}
		ask := func(host string) error {
			_, err := s.Execute(t.Context(), web, get(t, "http://"+host+"/"))
			return err
		}
		require.ErrorIs(t, ask("a.example"), syscall.ECONNREFUSED)
		require.ErrorIs(t, ask("a.example"), syscall.ECONNREFUSED)
		since := time.Now()
		var refused *pace.DownError
		for range 5 {
			require.ErrorAs(t, ask("a.example"), &refused)
			assert.Equal(t, since.Add(10*time.Minute), refused.Until)
			require.NoError(t, ask("b.example"), "others go on")
		}
		assert.Len(t, web.log, 2+5, "a host that is down is not asked")
		time.Sleep(time.Until(refused.Until))
		down = false
		require.NoError(t, ask("a.example"))
	})
}

func TestCrowdedHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler.New(scheduler.Config{Pacer: pace.New(pace.Config{MaxLoad: 20}), MaxWaiting: 2})
		stop := serve(s)
		web := newWeb(constant(time.Second))
		_, err := s.Execute(t.Context(), web, get(t, "http://a.example/"))
		require.NoError(t, err)
		due := time.Now().Add(4 * time.Second)
		ctx, cancel := context.WithCancel(t.Context())
		for range 2 {
			go s.Execute(ctx, web, get(t, "http://a.example/"))
		}
		synctest.Wait()
		_, err = s.Execute(t.Context(), web, get(t, "http://a.example/"))
		var crowded *scheduler.CrowdedError
		require.ErrorAs(t, err, &crowded)
		assert.Equal(t, due, crowded.Until)
		assert.Equal(t, 2, crowded.Waiting)
		_, err = s.Execute(t.Context(), web, get(t, "http://b.example/"))
		assert.NoError(t, err, "another host has room")
		cancel()
		synctest.Wait()
		_, err = s.Execute(t.Context(), web, get(t, "http://a.example/"))
		assert.NoError(t, err, "those that gave up have left their place")
		require.NoError(t, stop())
	})
}

// A retry is the pacer's, as for operations.
func TestExecuteRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler.New(scheduler.Config{Pacer: pace.New(pace.Config{})})
		defer serve(s)()
		web, n := newWeb(constant(time.Second)), 0
		web.answer = func(*scraperutils.Request) error {
			if n++; n == 1 {
				return &net.OpError{Op: "read", Err: syscall.ECONNRESET}
			}
			return nil
		}
		_, err := s.Execute(t.Context(), web, get(t, "http://a.example/"))
		require.NoError(t, err)
		assert.Equal(t, 2, n)
	})
}

func TestExecutePanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler.New(scheduler.Config{})
		defer serve(s)()
		_, err := s.Execute(t.Context(), clientFunc(func() *scraperutils.Response { panic("boom") }), get(t, "http://a.example/"))
		var panicked *scheduler.PanicError
		require.ErrorAs(t, err, &panicked)
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			s.Execute(t.Context(), clientFunc(func() *scraperutils.Response { runtime.Goexit(); return nil }), get(t, "http://a.example/"))
		}()
		<-gone
		_, err = s.Execute(t.Context(), newWeb(constant(0)), get(t, "http://a.example/"))
		assert.NoError(t, err, "the host is free again")
	})
}

// Whatever is cancelled and refused at random, each host has one request at a time, rests, and every caller gets an answer.
func TestServeAtRandom(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			perHost := 1 + random.IntN(3)
			s := scheduler.New(scheduler.Config{
				Pacer:      pace.New(pace.Config{PerHost: perHost, DownFor: time.Minute, MinInterval: time.Second}),
				MaxPerHost: perHost, MaxWaiting: 5, MaxRequests: 1 + random.IntN(20), ForgetAfter: time.Minute,
			})
			stop := serve(s)
			web := newWeb(seeded(seed))
			web.answer = func(r *scraperutils.Request) error {
				if len(r.URL.Path)%7 == 3 {
					return &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
				}
				return nil
			}
			var all sync.WaitGroup
			for i := range 300 {
				time.Sleep(time.Duration(random.IntN(2000)) * time.Millisecond)
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(random.IntN(8000))*time.Millisecond)
				all.Go(func() {
					defer cancel()
					r, err := s.Execute(ctx, web, get(t, fmt.Sprintf("http://%d.example/%0*d", random.IntN(8), i%9, i)))
					assert.True(t, (r == nil) != (err == nil), "an answer or an error")
				})
				synctest.Wait() // the seed decides, not who comes first
			}
			all.Wait()
			require.NoError(t, stop())
			assert.LessOrEqual(t, web.worst, perHost, "seed %d", seed)
		})
	}
}
