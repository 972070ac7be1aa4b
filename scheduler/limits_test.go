package scheduler_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/multiscraper/multiscraper/scheduler"
)

func TestMaxRunning(t *testing.T) {
	for _, limit := range []int{0, 1, 3} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := newWeb(constant(time.Second))
				s := scheduler.New(scheduler.Config{MaxRunning: limit})
				var mu sync.Mutex
				running, most := 0, 0
				add := func(n int) {
					mu.Lock()
					defer mu.Unlock()
					running += n
					most = max(most, running)
				}
				for i := range 10 {
					register(t, s, fmt.Sprint(i), func(ctx context.Context) error {
						for page := range 3 {
							add(1)
							time.Sleep(time.Second) // a page that is slow to read
							add(-1)
							if _, err := scheduler.ExecuteRequest(ctx, web, get(t, fmt.Sprintf("http://h%d.example/%d", i, page))); err != nil {
								return err
							}
						}
						return nil
					})
				}
				assert.Empty(t, run(t, s).Errors())
				assert.Equal(t, max(limit, 1), most)
			})
		})
	}
}

func TestMaxRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := newWeb(constant(time.Second))
		s := scheduler.New(scheduler.Config{MaxRequests: 4})
		for i := range 10 {
			register(t, s, fmt.Sprint(i), pages(t, web, fmt.Sprintf("h%d.example", i), 2))
		}
		began := time.Now()
		assert.Empty(t, run(t, s).Errors())
		assert.Equal(t, 4, web.mostAtOnce)
		assert.Equal(t, 5*time.Second, time.Since(began))
	})
}

// MaxWorkers is no batch: as one operation ends, the next starts, the one that took longest last time first.
func TestMaxWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := newWeb(constant(time.Second))
		s := scheduler.New(scheduler.Config{MaxWorkers: 2})
		var started []string
		for _, o := range []struct {
			label string
			last  time.Duration
			pages int
		}{{"short", 2 * time.Second, 2}, {"new", 0, 1}, {"newer", 0, 1}, {"longest", 9 * time.Second, 9}, {"long", 4 * time.Second, 4}} {
			scrape := pages(t, web, o.label+".example", o.pages)
			register(t, s, o.label, func(ctx context.Context) error {
				started = append(started, o.label)
				return scrape(ctx)
			}, scheduler.LastTook(o.last))
		}
		began := time.Now()
		r := run(t, s)
		assert.Empty(t, r.Errors())
		assert.Equal(t, []string{"longest", "long", "short", "new", "newer"}, started)
		assert.Equal(t, 9*time.Second, time.Since(began), "4 + 2 + 1 + 1 seconds beside 9")
	})
}
