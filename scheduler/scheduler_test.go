package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
)

func TestRegisterRefusesWhatCannotRun(t *testing.T) {
	s := scheduler.New(scheduler.Config{})
	fine := func(context.Context) error { return nil }
	require.NoError(t, s.Register("kyogle", fine))
	assert.ErrorIs(t, s.Register("kyogle", fine), scheduler.ErrRegistered)
	assert.ErrorContains(t, s.Register("", fine), "no label")
	assert.ErrorContains(t, s.Register("hobart", nil), "no function")

	run(t, s)
	assert.ErrorIs(t, s.Register("hobart", fine), scheduler.ErrNotReset)
	_, err := s.Run(t.Context())
	assert.ErrorIs(t, err, scheduler.ErrNotReset)
	require.NoError(t, s.Reset())
	require.NoError(t, s.Register("kyogle", fine), "after Reset the label is free")
}

// One authority's failure is its own, whatever it is.
func TestFailuresStayApart(t *testing.T) {
	failures := map[string]struct {
		scrape func(ctx context.Context, get func() error) error
		check  func(t *testing.T, err error)
	}{
		"an error": {
			func(context.Context, func() error) error { return errBroken },
			func(t *testing.T, err error) { assert.Equal(t, errBroken, err) },
		},
		"a panic": {
			func(context.Context, func() error) error { panic("it is broken") },
			func(t *testing.T, err error) {
				var p *scheduler.PanicError
				require.ErrorAs(t, err, &p)
				assert.Equal(t, "it is broken", p.Value)
				assert.Equal(t, scraperutils.ClassPanic, scraperutils.ClassOf(err))
				require.NotEmpty(t, p.Stack)
				assert.Contains(t, p.Stack[0], "scheduler_test.go:", "the project's own line comes first")
			},
		},
		"a panic with an error": {
			func(context.Context, func() error) error { panic(fmt.Errorf("reading: %w", errBroken)) },
			func(t *testing.T, err error) { assert.ErrorIs(t, err, errBroken) },
		},
		"a panic of the runtime": {
			func(context.Context, func() error) error { var none []int; return fmt.Errorf("%d", none[0]) },
			func(t *testing.T, err error) { assert.ErrorContains(t, err, "index out of range") },
		},
		"Goexit": {
			func(context.Context, func() error) error { runtime.Goexit(); return nil },
			func(t *testing.T, err error) { assert.ErrorContains(t, err, "Goexit") },
		},
		"the client's error": {
			func(_ context.Context, get func() error) error { return fmt.Errorf("fetch the list: %w", get()) },
			func(t *testing.T, err error) { assert.ErrorIs(t, err, errBroken) },
		},
		"the client's panic": {
			func(_ context.Context, get func() error) error { return get() },
			func(t *testing.T, err error) { assert.Equal(t, scraperutils.ClassPanic, scraperutils.ClassOf(err)) },
		},
		"the client's Goexit, twice": {
			func(_ context.Context, get func() error) error { return errors.Join(get(), get()) },
			func(t *testing.T, err error) { assert.ErrorContains(t, err, "Goexit") },
		},
	}
	for name, failure := range failures {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := newWeb(constant(time.Second))
				broken := newWeb(constant(time.Second))
				broken.answer = func(*scraperutils.Request) error {
					switch name {
					case "the client's panic":
						panic("in the client")
					case "the client's Goexit, twice":
						runtime.Goexit()
					}
					return errBroken
				}
				s := scheduler.New(scheduler.Config{})
				register(t, s, "bad", func(ctx context.Context) error {
					return failure.scrape(ctx, func() error {
						_, err := scheduler.ExecuteRequest(ctx, broken, get(t, "http://bad.example/"))
						return err
					})
				})
				register(t, s, "good", pages(t, web, "good.example", 3))
				r := run(t, s)
				require.Len(t, r.Errors(), 1)
				failure.check(t, r.Errors()["bad"])
				assert.Len(t, web.log, 3)
			})
		})
	}
}

// A scraper may handle an error of its client and succeed; the error has the client's own type.
func TestScraperGetsTheClientsOwnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := newWeb(constant(time.Second))
		web.answer = func(*scraperutils.Request) error { return &scraperutils.StatusError{Status: 404, URL: "x"} }
		s := scheduler.New(scheduler.Config{})
		var seen *scraperutils.StatusError
		register(t, s, "kyogle", func(ctx context.Context) error {
			_, err := scheduler.ExecuteRequest(ctx, web, get(t, "http://a.example/"))
			require.ErrorAs(t, err, &seen)
			return nil
		})
		assert.Empty(t, run(t, s).Errors())
		assert.Equal(t, 404, seen.Status)
	})
}

// Outside an operation a request is done at once, by whoever asks.
func TestExecuteRequestOutsideAnOperation(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {}))
	defer server.Close()
	web := newWeb(constant(0))
	response, err := scheduler.ExecuteRequest(t.Context(), web, get(t, "http://a.example/page"))
	require.NoError(t, err)
	assert.Equal(t, "/page", string(response.Body))

	_, err = scheduler.ExecuteRequest(t.Context(), nil, get(t, "http://a.example/"))
	assert.ErrorContains(t, err, "a client and a request")
}

// A context carries its operation into goroutines that a scraper starts; they take turns.
func TestGoroutinesOfAScraper(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := newWeb(constant(time.Second))
		s := scheduler.New(scheduler.Config{})
		register(t, s, "kyogle", func(ctx context.Context) error {
			var wg sync.WaitGroup
			for i := range 5 {
				wg.Go(func() {
					_, err := scheduler.ExecuteRequest(ctx, web, get(t, fmt.Sprintf("http://h%d.example/", i)))
					assert.NoError(t, err)
				})
			}
			wg.Wait()
			return nil
		})
		r := run(t, s)
		assert.Empty(t, r.Errors())
		assert.Equal(t, 1, web.mostAtOnce, "an operation has one request in flight")
		assert.Equal(t, 5, r.Operations[0].Requests)
	})
}

// Goroutines that outlive their scraper get an error, before and after, and disturb nobody.
func TestGoroutineThatOutlivesItsScraper(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := newWeb(constant(time.Second))
		s := scheduler.New(scheduler.Config{})
		errs := make(chan error, 2)
		register(t, s, "kyogle", func(ctx context.Context) error {
			go func() {
				_, err := scheduler.ExecuteRequest(ctx, web, get(t, "http://a.example/1"))
				errs <- err
				_, err = scheduler.ExecuteRequest(context.WithoutCancel(ctx), web, get(t, "http://a.example/2"))
				errs <- err
			}()
			synctest.Wait()
			return nil
		})
		register(t, s, "hobart", pages(t, web, "a.example", 3))
		r := run(t, s)
		assert.Empty(t, r.Errors())
		assert.Error(t, <-errs)
		assert.ErrorIs(t, <-errs, scheduler.ErrEnded)
	})
}

func TestResetKeepsWhatWasLearnt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pacer := &recordingPacer{}
		s := scheduler.New(scheduler.Config{Pacer: pacer})
		web := newWeb(constant(time.Second))
		register(t, s, "kyogle", func(ctx context.Context) error {
			return errors.Join(pages(t, web, "a.example", 1)(ctx), errBroken)
		})
		assert.Len(t, run(t, s).Errors(), 1)
		require.NoError(t, s.Reset())
		assert.Empty(t, s.Snapshot())
		register(t, s, "kyogle", pages(t, web, "a.example", 1))
		r := run(t, s)
		assert.Empty(t, r.Errors())
		assert.Equal(t, scheduler.Totals{Calls: 1, Registrations: 1, WaitResponse: time.Second}, r.Totals, "totals are of one run")
		assert.Equal(t, 1, pacer.revived)
	})
}

// The pacer decides on retries: the request goes out again, before others that wait for the host.
func TestRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := newWeb(constant(time.Second))
		tries := 0
		web.answer = func(r *scraperutils.Request) error {
			if tries++; tries < 3 {
				return errBroken
			}
			return nil
		}
		var seen []int
		pacer := &recordingPacer{observe: func(o scraperutils.Outcome) bool {
			seen = append(seen, o.Try)
			return o.Err != nil && o.Try < 3
		}}
		s := scheduler.New(scheduler.Config{Pacer: pacer})
		register(t, s, "first", pages(t, web, "a.example", 1))
		register(t, s, "second", pages(t, web, "a.example", 1))
		r := run(t, s)
		assert.Empty(t, r.Errors())
		assert.Equal(t, []int{1, 2, 3, 1}, seen)
		assert.Equal(t, 3, r.Operations[0].Requests)
	})
}

// A host that the pacer calls down fails at once, for all that wait for it.
func TestHostThatIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := newWeb(constant(time.Second))
		web.answer = func(*scraperutils.Request) error { return errBroken }
		down := false
		pacer := &recordingPacer{
			observe: func(o scraperutils.Outcome) bool { down = true; return false },
			wait: func() scraperutils.Wait {
				if down {
					return scraperutils.Wait{Err: errBroken}
				}
				return scraperutils.Wait{}
			},
		}
		s := scheduler.New(scheduler.Config{Pacer: pacer})
		for i := range 5 {
			register(t, s, fmt.Sprint(i), pages(t, web, "a.example", 1))
		}
		began := time.Now()
		assert.Len(t, run(t, s).Errors(), 5)
		assert.Len(t, web.log, 1)
		assert.Equal(t, time.Second, time.Since(began))
	})
}

func TestTotalsLine(t *testing.T) {
	for _, c := range []struct {
		totals scheduler.Totals
		want   string
	}{
		{scheduler.Totals{Calls: 42, Registrations: 5, WaitDelay: 22 * time.Second, WaitResponse: 66 * time.Second},
			"Scheduler processed 42 calls for 5 registrations, with 25.0% of 88 seconds spent keeping under max_load, and 75.0% waiting for network I/O requests."},
		{scheduler.Totals{Calls: 3, Registrations: 3},
			"Scheduler processed 3 calls for 3 registrations, with 0% of 0 seconds spent keeping under max_load, and 0% waiting for network I/O requests."},
		{scheduler.Totals{Calls: 7, Registrations: 2, WaitDelay: time.Second / 4, WaitResponse: 3 * time.Second / 4},
			"Scheduler processed 7 calls for 2 registrations, with 25.0% of 1.0 seconds spent keeping under max_load, and 75.0% waiting for network I/O requests."},
		{scheduler.Totals{Calls: 1, Registrations: 1, WaitDelay: time.Second},
			"Scheduler processed 1 calls for 1 registrations, with 100.0% of 1.0 seconds spent keeping under max_load, and 0.0% waiting for network I/O requests."},
	} {
		assert.Equal(t, c.want, c.totals.String())
	}
}

func TestRunTimeoutText(t *testing.T) {
	for limit, want := range map[time.Duration]string{
		time.Second:             "1 seconds",
		1500 * time.Millisecond: "1.5 seconds",
		99 * time.Second:        "99 seconds",
		100 * time.Second:       "1.7 minutes",
		150 * time.Second:       "2.5 minutes",
		5400 * time.Second:      "90.0 minutes",
		5999 * time.Second:      "100.0 minutes",
		6000 * time.Second:      "1.7 hours",
		6 * time.Hour:           "6.0 hours",
	} {
		err := &scheduler.RunTimeoutError{Limit: limit}
		assert.Equal(t, "ERROR: Script exceeded maximum allowed runtime of "+want+"!", err.Error())
		assert.ErrorIs(t, err, context.DeadlineExceeded)
	}
}
