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
)

// All wait when the end comes. The first who hears of it does not return: the others do.
func TestDeafOnceResumedAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		web := newWeb(constant(time.Second))
		pacer := &recordingPacer{wait: func() scraperutils.Wait { return scraperutils.Wait{Until: time.Now().Add(time.Hour)} }}
		s := scheduler.New(scheduler.Config{Pacer: pacer, RunTimeout: 5 * time.Second})
		register(t, s, "deaf", func(ctx context.Context) error {
			_, err := scheduler.ExecuteRequest(ctx, web, get(t, "http://a.example/"))
			standHere(release)
			return err
		})
		register(t, s, "good", pages(t, web, "b.example", 1))
		r := run(t, s)
		assert.True(t, r.Operations[0].Left)
		assert.False(t, r.Operations[1].Left)
		close(release)
	})
}

// Those who are left behind are named with where they stood then, also while they wait for a turn that never comes.
func TestStacksOfThoseWhoWaitForATurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		web := newWeb(constant(time.Hour))
		// The grace is shorter than a turn then: one gets the turn and keeps it, the others wait.
		s := scheduler.New(scheduler.Config{RunTimeout: 5 * time.Second, Grace: time.Millisecond})
		for i := range 20 {
			register(t, s, fmt.Sprint(i), func(ctx context.Context) error {
				_, err := scheduler.ExecuteRequest(ctx, web, get(t, fmt.Sprintf("http://h%d.example/", i)))
				if !errors.Is(err, scheduler.ErrEnded) {
					standHere(release)
				}
				return err
			})
		}
		for _, o := range run(t, s).Operations {
			var stuck *scheduler.StuckError
			require.ErrorAs(t, o.Err, &stuck)
			assert.Contains(t, stuck.Stack, "left_test.go", o.Label)
			assert.Contains(t, stuck.Error(), "scheduler_test.", "its own code, not this package's")
		}
		close(release)
	})
}

// Nobody starts in a run that is over before it begins.
func TestRunThatIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errBroken)
		s := scheduler.New(scheduler.Config{})
		register(t, s, "a", func(context.Context) error { t.Error("it runs"); return nil })
		r, err := s.Run(ctx)
		require.NoError(t, err)
		assert.ErrorIs(t, r.Err, errBroken)
		assert.ErrorIs(t, r.Operations[0].Err, errBroken)
		assert.True(t, r.Operations[0].Started.IsZero())
	})
}

// A goroutine that its scraper left behind learns so, whatever it made of the context.
func TestLeftBehindWithAContextOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler.New(scheduler.Config{})
		got := make(chan error, 1)
		register(t, s, "a", func(ctx context.Context) error {
			own, cancel := context.WithCancel(ctx)
			go func() {
				defer cancel()
				<-own.Done()
				_, err := scheduler.ExecuteRequest(own, newWeb(constant(0)), get(t, "http://a.example/"))
				got <- err
			}()
			return nil
		})
		run(t, s)
		assert.ErrorIs(t, <-got, scheduler.ErrEnded)
	})
}
