package scheduler_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/multiscraper/multiscraper/scheduler"
)

// Saves are settled before a scraper gets its next response, and before it ends; a failure reaches it there.
func TestSavesAreSettledFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := newWeb(constant(time.Second))
		ledger := &slowLedger{}
		s := scheduler.New(scheduler.Config{})
		began := time.Now()
		register(t, s, "kyogle", func(ctx context.Context) error {
			ledger.save()
			_, err := scheduler.ExecuteRequest(ctx, web, get(t, "http://a.example/1"))
			assert.Zero(t, ledger.pending, "saved before the request, settled before its answer")
			assert.Equal(t, 4*time.Second, time.Since(began), "the commit begins when the answer is there at the latest")
			ledger.save()
			return err
		}, scheduler.SavesTo(ledger))
		var neighbour time.Duration
		register(t, s, "neighbour", func(ctx context.Context) error {
			_, err := scheduler.ExecuteRequest(ctx, web, get(t, "http://a.example/2"))
			neighbour = time.Since(began)
			return err
		})
		r := run(t, s)
		assert.Empty(t, r.Errors())
		assert.Equal(t, 2*time.Second, neighbour, "a commit does not keep the host busy")
		assert.Zero(t, ledger.pending)
		assert.Equal(t, 7*time.Second, r.Operations[0].Ended.Sub(began))
		assert.Equal(t, 2, r.Operations[0].Records)
	})
}

func TestFailedSaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := newWeb(constant(time.Second))
		s := scheduler.New(scheduler.Config{})
		ledger := &slowLedger{err: errBroken}
		register(t, s, "on the way", func(ctx context.Context) error {
			ledger.save()
			_, err := scheduler.ExecuteRequest(ctx, web, get(t, "http://a.example/1"))
			assert.ErrorIs(t, err, errBroken)
			ledger.err = nil
			return err
		}, scheduler.SavesTo(ledger))
		last := &slowLedger{err: errBroken}
		register(t, s, "at the end", func(ctx context.Context) error { last.save(); return nil }, scheduler.SavesTo(last))
		errs := run(t, s).Errors()
		assert.Len(t, errs, 2)
		assert.ErrorIs(t, errs["at the end"], errBroken)
	})
}

// slowLedger needs three seconds for a commit.
type slowLedger struct {
	pending, saved int
	err            error
}

func (l *slowLedger) save() { l.pending++; l.saved++ }

func (l *slowLedger) Settle(context.Context) error {
	if l.pending > 0 {
		time.Sleep(3 * time.Second)
		l.pending = 0
		return l.err
	}
	return nil
}

func (l *slowLedger) Settled() bool { return l.pending == 0 }

func (l *slowLedger) Saved() int { return l.saved }
