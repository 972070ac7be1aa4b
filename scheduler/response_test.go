package scheduler_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"

	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
)

// A page that its scraper has read is nobody's any more, while the scraper waits for the next and when it has ended.
func TestResponseIsNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler.New(scheduler.Config{})
		web := newWeb(constant(time.Second))
		freed := func(ctx context.Context) func() bool {
			r, err := scheduler.ExecuteRequest(ctx, web, get(t, "http://a.example/"))
			assert.NoError(t, err)
			p := weak.Make(r)
			return func() bool { runtime.GC(); return p.Value() == nil }
		}
		var first, last func() bool
		register(t, s, "a", func(ctx context.Context) error {
			first = freed(ctx)
			assert.True(t, first(), "while the scraper runs")
			last = freed(ctx)
			return nil
		})
		run(t, s)
		assert.True(t, last(), "after the end")
		runtime.KeepAlive(s)
	})
}

// A page that nobody will take is not kept either.
func TestPageThatNobodyTakesIsNotKept(t *testing.T) {
	for name, ledger := range map[string]*stuckLedger{"waiting for a turn": {}, "waiting for its saves": {stuck: true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var page weak.Pointer[scraperutils.Response]
				client := clientFunc(func() *scraperutils.Response {
					r := &scraperutils.Response{Status: 200, Body: make([]byte, 1000)}
					page = weak.Make(r)
					return r
				})
				s := scheduler.New(scheduler.Config{})
				register(t, s, "a", func(ctx context.Context) error {
					go func() { _, _ = scheduler.ExecuteRequest(ctx, client, get(t, "http://a.example/")) }()
					time.Sleep(10 * time.Second)
					return nil
				}, scheduler.SavesTo(ledger))
				register(t, s, "b", func(context.Context) error { time.Sleep(30 * time.Second); return nil })
				run(t, s)
				synctest.Wait()
				runtime.GC()
				assert.Nil(t, page.Value())
				runtime.KeepAlive(s)
			})
		})
	}
}
