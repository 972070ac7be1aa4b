package scheduler_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
)

// slowClient takes ten seconds, whatever its context says, and keeps when it was asked.
type slowClient struct {
	began time.Time
	asked []time.Duration
}

func (c *slowClient) Do(_ context.Context, r *scraperutils.Request) (*scraperutils.Response, error) {
	c.asked = append(c.asked, time.Since(c.began))
	time.Sleep(10 * time.Second)
	return &scraperutils.Response{URL: r.URL, Status: 200, Took: 10 * time.Second}, nil
}

// givesUp asks for a page and gives up after a second.
func givesUp(t *testing.T, ctx context.Context, client scheduler.Client, url string) {
	t.Helper()
	short, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	began := time.Now()
	_, err := scheduler.ExecuteRequest(short, client, get(t, url))
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Equal(t, time.Second, time.Since(began))
}

// A request in flight is given up at once, too. Until its client returns it keeps its host and its place among all requests, and
// the operation's next one waits.
func TestGivenUpInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := &slowClient{began: time.Now()}
		web := newWeb(constant(time.Second))
		s := scheduler.New(scheduler.Config{MaxRequests: 1})
		register(t, s, "impatient", func(ctx context.Context) error {
			for range 3 { // one in flight, two that wait for it
				givesUp(t, ctx, client, "http://a.example/")
			}
			_, err := scheduler.ExecuteRequest(ctx, client, get(t, "http://b.example/"))
			assert.Equal(t, 22*time.Second, time.Since(client.began))
			return err
		})
		register(t, s, "same host", pages(t, web, "a.example", 1))
		register(t, s, "other host", pages(t, web, "c.example", 1))
		r := run(t, s)
		assert.Empty(t, r.Errors())
		assert.Equal(t, seconds(0, 12), client.asked)
		var began []time.Duration
		for _, e := range web.log {
			began = append(began, e.began.Sub(client.began))
		}
		assert.Equal(t, seconds(10, 11), began)
		assert.Equal(t, 2, r.Operations[0].Requests)
	})
}

// An operation that ends while a client of its is still out ends when that returns.
func TestEndAfterGivingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := &slowClient{began: time.Now()}
		s := scheduler.New(scheduler.Config{})
		register(t, s, "impatient", func(ctx context.Context) error {
			givesUp(t, ctx, client, "http://a.example/")
			return nil
		})
		r := run(t, s)
		assert.Empty(t, r.Errors())
		assert.Equal(t, 10*time.Second, r.Operations[0].Ended.Sub(client.began))
		assert.Equal(t, time.Second, r.Totals.WaitResponse)
	})
}

// Who gives up while saves are being committed hears of them with the next answer, or at the end.
func TestGivenUpWhileSettling(t *testing.T) {
	for name, goesOn := range map[string]bool{"and goes on": true, "and ends": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := newWeb(constant(0))
				ledger := &slowLedger{err: errBroken}
				s := scheduler.New(scheduler.Config{})
				register(t, s, "kyogle", func(ctx context.Context) error {
					ledger.save()
					givesUp(t, ctx, web, "http://a.example/")
					if !goesOn {
						return nil
					}
					_, err := scheduler.ExecuteRequest(ctx, web, get(t, "http://a.example/"))
					assert.ErrorIs(t, err, errBroken)
					_, err = scheduler.ExecuteRequest(ctx, web, get(t, "http://a.example/"))
					return err
				}, scheduler.SavesTo(ledger))
				r := run(t, s)
				if goesOn {
					assert.NoError(t, r.Operations[0].Err)
				} else {
					assert.ErrorIs(t, r.Operations[0].Err, errBroken)
				}
			})
		})
	}
}

// What waited behind a request that was given up waits for what that did: the host's rest.
func TestBehindOneGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		rest := scraperutils.Wait{Until: began.Add(time.Hour), Rule: "rest"}
		s := scheduler.New(scheduler.Config{Pacer: &recordingPacer{wait: func() scraperutils.Wait { return rest }}})
		web := newWeb(constant(time.Second))
		register(t, s, "impatient", func(ctx context.Context) error { givesUp(t, ctx, web, "http://a.example/"); return nil })
		register(t, s, "behind it", pages(t, web, "a.example", 1))
		go func() {
			time.Sleep(2 * time.Second)
			assert.Equal(t, rest, s.Snapshot()[1].Wait)
		}()
		assert.Empty(t, run(t, s).Errors())
		assert.Equal(t, time.Hour+time.Second, time.Since(began))
	})
}

// One that comes to a host while it rests is told so, also where the request that it rested for was given up.
func TestToldToWaitAfterOneGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rest := scraperutils.Wait{Until: time.Now().Add(time.Hour), Rule: "rest"}
		var told []scraperutils.Wait
		s := scheduler.New(scheduler.Config{
			Pacer:      &recordingPacer{wait: func() scraperutils.Wait { return rest }},
			MaxRunning: 2,
			OnEvent: []func(scraperutils.Event){func(e scraperutils.Event) {
				if e.Kind == scraperutils.EventWaiting && e.Label == "late" {
					told = append(told, e.Wait)
				}
			}},
		})
		web := newWeb(constant(time.Second))
		register(t, s, "impatient", func(ctx context.Context) error { givesUp(t, ctx, web, "http://a.example/"); return nil })
		register(t, s, "late", func(ctx context.Context) error {
			time.Sleep(2 * time.Second)
			return pages(t, web, "a.example", 1)(ctx)
		})
		assert.Empty(t, run(t, s).Errors())
		assert.Equal(t, []scraperutils.Wait{rest}, told)
	})
}
