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
