package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
)

// At the deadline every wait ends with the cause, wherever an operation stands, and nothing new begins.
func TestRunTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := newWeb(constant(time.Second))
		slow := newWeb(constant(time.Hour))
		s := scheduler.New(scheduler.Config{Pacer: pace.New(pace.Config{}), RunTimeout: 10 * time.Second, MaxWorkers: 4})
		ended := map[string]error{}
		keep := func(label string, scrape func(context.Context) error) func(context.Context) error {
			return func(ctx context.Context) error {
				err := scrape(ctx)
				ended[label] = err
				return err
			}
		}
		register(t, s, "quick", keep("quick", pages(t, web, "quick.example", 3)))
		register(t, s, "in flight", keep("in flight", pages(t, slow, "slow.example", 1)))
		register(t, s, "behind it", keep("behind it", pages(t, web, "slow.example", 1)))
		register(t, s, "endless", keep("endless", pages(t, web, "endless.example", 1e6)))
		register(t, s, "started later", keep("started later", pages(t, web, "late.example", 1e6)))
		register(t, s, "never started", keep("never started", pages(t, web, "never.example", 1)))
		began := time.Now()
		r := run(t, s)
		assert.Equal(t, 10*time.Second, time.Since(began))
		var timeout *scheduler.RunTimeoutError
		require.ErrorAs(t, r.Err, &timeout)
		errs := r.Errors()
		assert.Len(t, errs, 5)
		assert.NotContains(t, errs, "quick")
		for label, err := range errs {
			assert.ErrorIs(t, err, context.DeadlineExceeded, label)
			assert.Equal(t, scraperutils.ClassRunTimeout, scraperutils.ClassOf(err), label)
		}
		assert.Len(t, ended, 5, "all that had started have returned")
		assert.NotContains(t, ended, "never started")
		assert.True(t, r.Operations[5].Started.IsZero())
	})
}

// The deadline is one over all runs.
func TestDeadlineCoversAllRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := newWeb(constant(time.Second))
		s := scheduler.New(scheduler.Config{RunTimeout: 10 * time.Second})
		began := time.Now()
		register(t, s, "kyogle", pages(t, web, "a.example", 7))
		assert.Empty(t, run(t, s).Errors())
		require.NoError(t, s.Reset())
		register(t, s, "kyogle", pages(t, web, "a.example", 7))
		assert.Len(t, run(t, s).Errors(), 1)
		assert.Equal(t, 10*time.Second, time.Since(began))
	})
}

// A scraper that ignores the end of its run costs the grace, is named with the place where it stands, and keeps neither
// the others from returning nor the process.
func TestScraperThatIgnoresTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		web := newWeb(constant(time.Second))
		s := scheduler.New(scheduler.Config{RunTimeout: 5 * time.Second})
		began := time.Now()
		var unwound time.Duration
		register(t, s, "deaf", func(ctx context.Context) error {
			_, err := scheduler.ExecuteRequest(ctx, web, get(t, "http://a.example/"))
			standHere(release)
			return err
		})
		register(t, s, "good", func(ctx context.Context) error {
			err := pages(t, web, "b.example", 1e6)(ctx)
			unwound = time.Since(began)
			return err
		})
		r := run(t, s)
		assert.Equal(t, 15*time.Second, time.Since(began))
		assert.Less(t, unwound, 5*time.Second+50*time.Millisecond)
		deaf := r.Operations[0]
		assert.True(t, deaf.Left)
		var stuck *scheduler.StuckError
		require.ErrorAs(t, deaf.Err, &stuck)
		assert.Contains(t, stuck.Stack, "standHere")
		assert.Contains(t, stuck.Error(), "standHere")
		assert.ErrorIs(t, deaf.Err, context.DeadlineExceeded)
		assert.Equal(t, scraperutils.ClassStuck, scraperutils.ClassOf(deaf.Err))
		assert.False(t, r.Operations[1].Left)

		assert.Equal(t, scheduler.StateLeft, s.Snapshot()[0].State)
		close(release) // what is left behind finds nobody and goes
	})
}

func standHere(release chan struct{}) { <-release }

// A client that ignores its context costs the grace as well, but the scraper has its error at once.
func TestClientThatIgnoresTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler.New(scheduler.Config{RunTimeout: 5 * time.Second})
		began := time.Now()
		var after time.Duration
		register(t, s, "kyogle", func(ctx context.Context) error {
			_, err := scheduler.ExecuteRequest(ctx, deafClient{}, get(t, "http://a.example/"))
			after = time.Since(began)
			return err
		})
		r := run(t, s)
		assert.Equal(t, 5*time.Second, after)
		assert.True(t, r.Operations[0].Left)
		time.Sleep(time.Hour) // the client returns to nobody
	})
}

type deafClient struct{}

func (deafClient) Do(context.Context, *scraperutils.Request) (*scraperutils.Response, error) {
	time.Sleep(time.Hour)
	return nil, errBroken
}

// A scraper that computes for too long loses its place, not its life.
func TestTurnLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var overdue []scraperutils.Event
		web := newWeb(constant(time.Second))
		s := scheduler.New(scheduler.Config{OnEvent: []func(scraperutils.Event){func(e scraperutils.Event) {
			if e.Kind == scraperutils.EventOverdue {
				overdue = append(overdue, e)
			}
		}}})
		began := time.Now()
		var othersEnded time.Duration
		register(t, s, "slow", func(ctx context.Context) error {
			time.Sleep(5 * time.Minute)
			return pages(t, web, "a.example", 2)(ctx)
		})
		register(t, s, "good", func(ctx context.Context) error {
			defer func() { othersEnded = time.Since(began) }()
			return pages(t, web, "b.example", 3)(ctx)
		})
		r := run(t, s)
		assert.Empty(t, r.Errors())
		assert.Equal(t, 63*time.Second, othersEnded)
		assert.True(t, r.Operations[0].Overdue)
		assert.False(t, r.Operations[1].Overdue)
		require.Len(t, overdue, 1)
		assert.Contains(t, overdue[0].Stack, "TestTurnLimit")
	})
}

// Wherever an operation waits, the end of the context that it passed ends the wait at once.
func TestCancelledContextEndsEveryWait(t *testing.T) {
	cause := errors.New("the caller has had enough")
	for name, config := range map[string]scheduler.Config{
		"for its host's delay":  {Pacer: &recordingPacer{wait: func() scraperutils.Wait { return scraperutils.Wait{Until: time.Now().Add(time.Hour)} }}},
		"for the server":        {},
		"for a busy host":       {},
		"for a slot of the I/O": {MaxRequests: 1},
		"for its saves":         {},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := newWeb(constant(time.Hour))
				if name == "for its saves" {
					web = newWeb(constant(0))
				}
				s := scheduler.New(config)
				host := map[bool]string{true: "one.example", false: "two.example"}[name == "for a busy host"]
				began := time.Now()
				for i, target := range []string{"one.example", host} {
					register(t, s, fmt.Sprint(i), pages(t, web, target, 1), scheduler.SavesTo(&stuckLedger{stuck: name == "for its saves"}))
				}
				ctx, cancel := context.WithCancelCause(t.Context())
				go func() {
					time.Sleep(time.Minute)
					cancel(cause)
				}()
				r, err := s.Run(ctx)
				require.NoError(t, err)
				assert.Equal(t, cause, r.Err)
				for _, o := range r.Operations {
					assert.ErrorIs(t, o.Err, cause, o.Label)
				}
				assert.Equal(t, time.Minute, time.Since(began))
			})
		})
	}
}

// stuckLedger can't commit until the context of that commit ends.
type stuckLedger struct{ stuck bool }

func (l *stuckLedger) Settle(ctx context.Context) error {
	if !l.stuck {
		return nil
	}
	l.stuck = false
	<-ctx.Done()
	return context.Cause(ctx)
}

func (l *stuckLedger) Settled() bool { return !l.stuck }

func (*stuckLedger) Saved() int { return 0 }

// A scraper may bound a single request; the others of its host go on.
func TestContextOfOneRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := newWeb(constant(10 * time.Second))
		s := scheduler.New(scheduler.Config{})
		register(t, s, "first", pages(t, web, "a.example", 1))
		began := time.Now()
		register(t, s, "impatient", func(ctx context.Context) error {
			short, cancel := context.WithTimeout(ctx, 3*time.Second)
			defer cancel()
			_, err := scheduler.ExecuteRequest(short, web, get(t, "http://a.example/waits"))
			assert.ErrorIs(t, err, context.DeadlineExceeded)
			assert.Equal(t, 3*time.Second, time.Since(began))
			_, err = scheduler.ExecuteRequest(ctx, web, get(t, "http://a.example/again"))
			return err
		})
		register(t, s, "third", pages(t, web, "a.example", 1))
		r := run(t, s)
		assert.Empty(t, r.Errors())
		assert.Equal(t, 30*time.Second, time.Since(began))
		assert.Len(t, web.log, 3, "what was given up while it waited is never sent")
	})
}

func TestSnapshot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := newWeb(constant(10 * time.Second))
		s := scheduler.New(scheduler.Config{Pacer: pace.New(pace.Config{}), MaxWorkers: 3})
		register(t, s, "asks", pages(t, web, "a.example", 2))
		register(t, s, "same host", pages(t, web, "a.example", 1))
		register(t, s, "other host", pages(t, web, "b.example", 2))
		register(t, s, "queued", pages(t, web, "c.example", 1))
		states := func() (all [][2]string) {
			for _, o := range s.Snapshot() {
				all = append(all, [2]string{string(o.State), o.Wait.Rule})
			}
			return all
		}
		assert.Equal(t, [][2]string{{"registered", ""}, {"registered", ""}, {"registered", ""}, {"registered", ""}}, states())
		began := time.Now()
		go func() {
			time.Sleep(5 * time.Second)
			assert.Equal(t, [][2]string{{"requesting", "server"}, {"waiting", "busy host"}, {"requesting", "server"}, {"registered", "MaxWorkers"}}, states())
			time.Sleep(10 * time.Second)
			assert.Equal(t, [][2]string{{"waiting", "busy host"}, {"waiting", "max_load"}, {"waiting", "max_load"}, {"registered", "MaxWorkers"}}, states())
			waiting := s.Snapshot()[2]
			assert.Equal(t, began.Add(20*time.Second), waiting.Wait.Until)
			assert.Equal(t, "b.example", waiting.Host.String())
			assert.Equal(t, 1, waiting.Pages)
		}()
		run(t, s)
		for _, o := range states() {
			assert.Equal(t, "ended", o[0])
		}
	})
}

// Waiting costs no wake-ups: the loop sleeps until something is due.
func TestNoPolling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := newWeb(constant(time.Hour))
		var events []scraperutils.EventKind
		s := scheduler.New(scheduler.Config{Pacer: pace.New(pace.Config{}), RunTimeout: 1000 * time.Hour, OnEvent: []func(scraperutils.Event){func(e scraperutils.Event) { events = append(events, e.Kind) }}})
		register(t, s, "kyogle", pages(t, web, "a.example", 2))
		run(t, s)
		assert.Equal(t, []scraperutils.EventKind{ // the first request does not wait
			scraperutils.EventStarted,
			scraperutils.EventSent, scraperutils.EventAnswered, scraperutils.EventResumed,
			scraperutils.EventWaiting, scraperutils.EventSent, scraperutils.EventAnswered, scraperutils.EventResumed,
			scraperutils.EventEnded,
		}, events)
	})
}

// Every operation is told to have ended, once, however it does: also those that never started.
func TestEveryOperationEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []scheduler.Result
		s := scheduler.New(scheduler.Config{
			RunTimeout: 10 * time.Second, MaxWorkers: 3, MaxRunning: 4,
			Ended: func(r scheduler.Result) { told = append(told, r) },
		})
		web := newWeb(constant(time.Second))
		release := make(chan struct{})
		register(t, s, "good", pages(t, web, "a.example", 3))
		register(t, s, "bad", func(context.Context) error { return errBroken })
		register(t, s, "stuck", func(context.Context) error { <-release; return nil })
		register(t, s, "slow", pages(t, web, "b.example", 100))
		register(t, s, "slower", pages(t, web, "c.example", 100))
		register(t, s, "never", pages(t, web, "d.example", 1))
		r := run(t, s)
		assert.ElementsMatch(t, r.Operations, told)
		for _, o := range told {
			assert.Equal(t, o.Label == "never", o.Started.IsZero(), o.Label)
		}
		assert.Equal(t, 3, r.Operations[0].Requests)
		close(release)
	})
}
