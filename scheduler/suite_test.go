package scheduler_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/conformance"
)

func span(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }

func TestSuiteTimeoutText(t *testing.T) {
	conformance.Each(t, "scheduler_timeout_text", "0.8.2", func(t *testing.T, c struct {
		In struct {
			Limit float64 `json:"run_timeout"`
		}
		Out struct{ Stdout string }
	}) {
		want, rest, _ := strings.Cut(c.Out.Stdout, "\n")
		if rest != "" {
			conformance.Differs(t, "nothing is forced: operations are told, and have time to return")
		}
		assert.Equal(t, want, (&scheduler.RunTimeoutError{Limit: span(c.In.Limit)}).Error())
	})
}

func TestSuiteSummaryLine(t *testing.T) {
	conformance.Each(t, "scheduler_summary_line", "0.8.2", func(t *testing.T, c struct {
		In struct {
			Calls         int     `json:"resume_count"`
			WaitDelay     float64 `json:"wait_delay"`
			WaitResponse  float64 `json:"wait_response"`
			Registrations int
		}
		Out string
	}) {
		totals := scheduler.Totals{Calls: c.In.Calls, Registrations: c.In.Registrations, WaitDelay: span(c.In.WaitDelay), WaitResponse: span(c.In.WaitResponse)}
		assert.Equal(t, strings.TrimSpace(c.Out), totals.String(), "the empty lines around it are for who prints it")
	})
}

type errorCase struct {
	In struct {
		Op              string
		Subject, Method *string
	}
	Out json.RawMessage
}

func TestSuiteErrors(t *testing.T) {
	conformance.Each(t, "scheduler_errors", "0.8.2", func(t *testing.T, c errorCase) {
		var out struct {
			Exceptions map[string][2]string
			Ran        []string
			Rescued    string
			Class      string `json:"error_class"`
		}
		if json.Unmarshal(c.Out, &out) != nil {
			conformance.Replaced(t, "how Ruby shows an object")
		}
		switch {
		case out.Class != "" && c.In.Subject == nil:
			conformance.Differs(t, "a request has a client in place of a subject; the error names both")
			_, err := scheduler.ExecuteRequest(t.Context(), nil, get(t, "http://a.example/"))
			assert.ErrorContains(t, err, "a client and a request")
		case out.Class != "" && c.In.Method == nil:
			conformance.Differs(t, "a request has a URL in place of a method; the error names both")
			_, err := scheduler.ExecuteRequest(t.Context(), newWeb(constant(0)), &scraperutils.Request{})
			assert.ErrorContains(t, err, "a request with a URL")
		case out.Class != "":
			conformance.Replaced(t, "the compiler refuses what is no Client and no Request")
		case out.Rescued != "":
			assert.Equal(t, out.Rescued, rescued(t, out.Rescued))
		default:
			ran, errs := failing(t, out.Exceptions["e"][1])
			assert.Equal(t, out.Ran, ran)
			require.Len(t, errs, len(out.Exceptions))
			for label, exception := range out.Exceptions {
				assert.EqualError(t, errs[label], exception[1])
			}
		}
	})
}

// failing runs an operation e that fails, before one that does not, and returns who came to an end and what failed.
func failing(t *testing.T, message string) (ran []string, errs map[string]error) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler.New(scheduler.Config{})
		register(t, s, "e", func(context.Context) error { return errors.New(message) })
		register(t, s, "o", func(context.Context) error { ran = append(ran, "o"); return nil })
		errs = run(t, s).Errors()
	})
	return ran, errs
}

// rescued runs an operation that handles the error of its client, and returns what it was told.
func rescued(t *testing.T, message string) (told string) {
	synctest.Test(t, func(t *testing.T) {
		web := newWeb(constant(time.Second))
		web.answer = func(*scraperutils.Request) error { return errors.New(message) }
		s := scheduler.New(scheduler.Config{})
		register(t, s, "o", func(ctx context.Context) error {
			_, err := scheduler.ExecuteRequest(ctx, web, get(t, "http://a.example/"))
			told = err.Error()
			return nil
		})
		assert.Empty(t, run(t, s).Errors())
	})
	return told
}
