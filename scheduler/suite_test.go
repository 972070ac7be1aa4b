package scheduler_test

import (
	"context"
	"errors"
	"fmt"
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
		Out struct {
			Stdout string
			Exit   int // is the command's
		}
	}) {
		assert.Equal(t, c.Out.Stdout, (&scheduler.RunTimeoutError{Limit: span(c.In.Limit)}).Error())
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
		Args            []string
	}
	Out struct {
		Exceptions map[string]conformance.Raised // type and text
		Ran        []string
		Rescued    string
		Error      string
	}
}

func TestSuiteErrors(t *testing.T) {
	conformance.Each(t, "scheduler_errors", "0.8.2", func(t *testing.T, c errorCase) {
		got := c.Out
		switch c.In.Op {
		case "raise in block 1 of 2":
			got.Ran, got.Exceptions = failing(t, "Test error")
		case "request raises, block rescues":
			got.Rescued, got.Exceptions = rescued(t, "no 1")
		default:
			got.Error = refused(t, c.In.Subject == nil).Error()
		}
		assert.Equal(t, c.Out, got)
	})
}

// refused asks for a request without a client, or without a URL.
func refused(t *testing.T, noClient bool) error {
	t.Helper()
	if noClient {
		_, err := scheduler.ExecuteRequest(t.Context(), nil, get(t, "http://a.example/"))
		require.Error(t, err)
		return err
	}
	_, err := scheduler.ExecuteRequest(t.Context(), newWeb(constant(0)), &scraperutils.Request{})
	require.Error(t, err)
	return err
}

// shown are errors as their types and texts.
func shown(errs map[string]error) map[string]conformance.Raised {
	all := map[string]conformance.Raised{}
	for label, err := range errs {
		all[label] = conformance.Raised{Class: fmt.Sprintf("%T", err), Text: err.Error()}
	}
	return all
}

// failing runs an operation e that fails, before one that does not, and returns who came to an end and what failed.
func failing(t *testing.T, message string) (ran []string, errs map[string]conformance.Raised) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler.New(scheduler.Config{})
		register(t, s, "e", func(context.Context) error { return errors.New(message) })
		register(t, s, "o", func(context.Context) error { ran = append(ran, "o"); return nil })
		errs = shown(run(t, s).Errors())
	})
	return ran, errs
}

// rescued runs an operation that handles the error of its client, and returns what it was told and what failed.
func rescued(t *testing.T, message string) (told string, errs map[string]conformance.Raised) {
	synctest.Test(t, func(t *testing.T) {
		web := newWeb(constant(time.Second))
		web.answer = func(*scraperutils.Request) error { return errors.New(message) }
		s := scheduler.New(scheduler.Config{})
		register(t, s, "o", func(ctx context.Context) error {
			_, err := scheduler.ExecuteRequest(ctx, web, get(t, "http://a.example/"))
			told = err.Error()
			return nil
		})
		errs = shown(run(t, s).Errors())
	})
	return told, errs
}
