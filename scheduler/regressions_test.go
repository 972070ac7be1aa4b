package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/conformance"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
)

// regression is a scenario that went wrong with the gem, and what is required instead.
type regression struct {
	In  facts
	Out struct {
		Upstream any // what the gem did
		Required facts
	}
}

type facts map[string]any

// key tells scenarios apart: the names of what they are about.
func (f facts) key() string { return strings.Join(slices.Sorted(maps.Keys(f)), " ") }

func (f facts) number(name string) int         { n, _ := f[name].(float64); return int(n) }
func (f facts) span(name string) time.Duration { n, _ := f[name].(float64); return span(n) }

// inSeconds are those of a length of time as JSON has them, which knows no nanoseconds.
func inSeconds(d time.Duration) float64 { return d.Round(time.Microsecond).Seconds() }

func TestSuiteRegressions(t *testing.T) {
	conformance.Each(t, "scheduler_regressions", "0.8.2", func(t *testing.T, c regression) {
		find := regressions[c.In.key()]
		require.NotNil(t, find, "a case that nobody has translated: %s", c.In.key())
		maps.DeleteFunc(c.Out.Required, func(_ string, value any) bool { return value == nil })
		synctest.Test(t, func(t *testing.T) { assert.Equal(t, c.Out.Required, find(t, c.In)) })
	})
}

// regressions play scenarios, and return what they find under the names of what is required.
var regressions = map[string]func(t *testing.T, in facts) facts{
	"max_workers operations request_seconds requests_each threaded": func(t *testing.T, in facts) facts {
		web := newWeb(constant(in.span("request_seconds")))
		var labels []string
		s := scheduler.New(scheduler.Config{MaxWorkers: in.number("max_workers")})
		for i := range in.number("operations") {
			labels = append(labels, fmt.Sprintf("h%d", i))
			register(t, s, labels[i], pages(t, web, labels[i], in.number("requests_each")))
		}
		began := time.Now()
		assert.Empty(t, run(t, s).Errors())
		elapsed := time.Since(began)
		var first []string
		for _, e := range web.log[:len(labels)] {
			first = append(first, e.host)
		}
		slices.Sort(first)
		return facts{"elapsed_seconds_max": inSeconds(elapsed), "interleaved": slices.Equal(labels, first)} // everybody's first request is before anybody's second
	},
	"as_above_but": func(t *testing.T, _ facts) facts {
		s := scheduler.New(scheduler.Config{})
		register(t, s, "a", pages(t, newWeb(constant(span(0.3))), "a.example", 2))
		return facts{"no_error": len(run(t, s).Errors()) == 0} // of a second request after the first has answered
	},
	"max_load page_seconds pages same_host": func(t *testing.T, in facts) facts {
		web := newWeb(constant(in.span("page_seconds")))
		s := scheduler.New(scheduler.Config{Pacer: pace.New(pace.Config{MaxLoad: float64(in.number("max_load"))})})
		register(t, s, "a", pages(t, web, "a.example", in.number("pages")))
		run(t, s)
		require.Len(t, web.log, in.number("pages"))
		least := time.Hour
		for i := range web.log[1:] {
			least = min(least, web.log[i+1].began.Sub(web.log[i].began))
		}
		return facts{"gaps_between_request_starts_min": inSeconds(least)}
	},
	"block_seconds max_workers operations run_timeout": func(t *testing.T, in facts) facts {
		web := newWeb(constant(in.span("block_seconds")))
		s := scheduler.New(scheduler.Config{MaxWorkers: in.number("max_workers"), RunTimeout: in.span("run_timeout")})
		for i := range in.number("operations") {
			register(t, s, fmt.Sprint(i), pages(t, web, "a.example", 1))
		}
		began := time.Now()
		r := run(t, s)
		return facts{"timeout_fired": errors.Is(r.Err, context.DeadlineExceeded), "at_seconds": inSeconds(time.Since(began))}
	},
	"register_same_label_twice": func(t *testing.T, _ facts) facts {
		s := scheduler.New(scheduler.Config{})
		register(t, s, "a", func(context.Context) error { return nil })
		again := s.Register("a", func(context.Context) error { return nil })
		return facts{"error_on_second_registration": errors.Is(again, scheduler.ErrRegistered)}
	},
	"block_a_raises block_b": func(t *testing.T, _ facts) facts {
		s := scheduler.New(scheduler.Config{})
		ran := false
		register(t, s, "a", func(context.Context) error { panic("not implemented") })
		register(t, s, "b", func(context.Context) error { ran = true; return nil })
		errs := run(t, s).Errors()
		require.Len(t, errs, 1)
		return facts{"a_recorded_as_failed": strings.Contains(errs["a"].Error(), "not implemented"), "b_ran": ran}
	},
	"execute_request_outside_operation": func(t *testing.T, in facts) facts {
		call := in["execute_request_outside_operation"].([]any) // subject, method, arguments: here what a client makes of a page
		args := call[2].([]any)
		substitute := clientFunc(func() *scraperutils.Response {
			return &scraperutils.Response{Status: 200, Body: []byte(strings.Replace(call[0].(string), args[0].(string), args[1].(string), 1))}
		})
		response, err := scheduler.ExecuteRequest(t.Context(), substitute, get(t, "http://a.example/"))
		require.NoError(t, err)
		return facts{"result": string(response.Body)}
	},
	"execute_request_inside": func(t *testing.T, _ facts) facts {
		web := newWeb(constant(time.Second))
		s := scheduler.New(scheduler.Config{})
		register(t, s, "a", func(ctx context.Context) error {
			failed := make(chan error)
			go func() { failed <- pages(t, web, "a.example", 2)(ctx) }()
			return <-failed
		})
		r := run(t, s)
		assert.Equal(t, 2, r.Operations[0].Requests, "they are the operation's own")
		return facts{"works_by_passing_a_context": len(r.Errors()) == 0}
	},
	"response_delivered_to_live_operation": func(t *testing.T, _ facts) facts {
		var kinds []scraperutils.EventKind
		s := scheduler.New(scheduler.Config{OnEvent: []func(scraperutils.Event){func(e scraperutils.Event) { kinds = append(kinds, e.Kind) }}})
		register(t, s, "a", pages(t, newWeb(constant(time.Second)), "a.example", 1))
		run(t, s)
		all := []scraperutils.EventKind{scraperutils.EventStarted, scraperutils.EventSent, scraperutils.EventAnswered, scraperutils.EventResumed, scraperutils.EventEnded}
		return facts{"no_warning": slices.Equal(all, kinds)}
	},
	"one_operation_resume_in_seconds": func(t *testing.T, in facts) facts {
		rest := in.span("one_operation_resume_in_seconds")
		pacer := &recordingPacer{wait: func() scraperutils.Wait {
			return scraperutils.Wait{Until: time.Now().Add(rest), Rule: "rest"}
		}}
		s := scheduler.New(scheduler.Config{Pacer: pacer})
		register(t, s, "a", pages(t, newWeb(constant(0)), "a.example", 1))
		steps := make(chan int, 1)
		began := time.Now()
		go func() {
			time.Sleep(rest / 100)
			before := s.Steps()
			time.Sleep(rest * 98 / 100)
			steps <- s.Steps() - before - 1
		}()
		run(t, s)
		assert.Equal(t, rest, time.Since(began))
		return facts{"poll_wakeups_max": float64(<-steps)} // while it waits
	},
	"max_workers operations": func(t *testing.T, in facts) facts {
		s := scheduler.New(scheduler.Config{MaxWorkers: in.number("max_workers")})
		for i := range in.number("operations") {
			register(t, s, fmt.Sprint(i), pages(t, newWeb(constant(time.Second)), "a.example", 1))
		}
		totals := run(t, s).Totals
		assert.Equal(t, []int{in.number("operations"), in.number("operations")}, []int{totals.Calls, totals.Registrations})
		return facts{"one_summary": "per run, counts of that run"}
	},
	"worker_thread_dies": func(t *testing.T, _ facts) facts {
		dies := newWeb(constant(time.Second))
		dies.answer = func(*scraperutils.Request) error { runtime.Goexit(); return nil }
		s := scheduler.New(scheduler.Config{})
		register(t, s, "a", pages(t, dies, "a.example", 1))
		began := time.Now()
		err := run(t, s).Errors()["a"]
		require.Error(t, err)
		assert.Equal(t, time.Second, time.Since(began), "at once, not at the run's deadline")
		return facts{"operation_fails_with_that_error": strings.Contains(err.Error(), "ended by runtime.Goexit")}
	},
	"shutdown_while_block_rescues_StandardError": func(t *testing.T, _ facts) facts {
		web := newWeb(constant(time.Second))
		s := scheduler.New(scheduler.Config{RunTimeout: span(2.5)})
		register(t, s, "a", func(ctx context.Context) error {
			for range 100 {
				_, _ = scheduler.ExecuteRequest(ctx, web, get(t, "http://a.example/")) // whatever comes of it
			}
			return nil
		})
		began := time.Now()
		r := run(t, s)
		assert.Equal(t, span(2.5), time.Since(began))
		return facts{"operation_ends": !r.Operations[0].Left && s.Snapshot()[0].State == scheduler.StateEnded}
	},
	"crawl_delay server_port version": func(t *testing.T, in facts) facts {
		web := &crawled{web: newWeb(constant(span(0.3))), delay: in.span("crawl_delay")}
		s := scheduler.New(scheduler.Config{Pacer: pace.New(pace.Config{})})
		register(t, s, "a", pages(t, web, "a.example:8080", 3))
		began := time.Now()
		run(t, s)
		var finished []any
		for _, e := range web.log {
			finished = append(finished, inSeconds(e.ended.Sub(began)))
		}
		return facts{"three_requests_finish_at": finished}
	},
}

// crawled is a web whose hosts ask for a crawl-delay.
type crawled struct {
	*web
	delay time.Duration
}

func (c *crawled) Do(ctx context.Context, r *scraperutils.Request) (*scraperutils.Response, error) {
	response, err := c.web.Do(ctx, r)
	if response != nil {
		response.CrawlDelay = c.delay
	}
	return response, err
}
