package app

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities"
	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/conformance"
)

// variables are an environment.
type variables map[string]string

func (v variables) get(name string) string { return v[name] }

// assertRefused checks that a setting that the gem makes something of is an error that names it and its value.
func assertRefused(t *testing.T, name, value string, err error) {
	t.Helper()
	conformance.Differs(t, "a value that can't be used is an error, before anything runs")
	assert.ErrorContains(t, err, fmt.Sprintf("%s: can't use %q: expected ", name, value))
}

func TestSuiteSchedulerEnvironment(t *testing.T) {
	conformance.Each(t, "scheduler_env", "0.8.2", func(t *testing.T, c struct {
		In  struct{ Env variables }
		Out struct {
			MaxWorkers int `json:"max_workers"`
			RunTimeout int `json:"run_timeout"`
			Threaded   bool
		}
	}) {
		s, err := readSettings(flagValues{}, c.In.Env.get, time.Now())
		workers := c.In.Env["MORPH_MAX_WORKERS"]
		if workers != "" && workers != fmt.Sprint(c.Out.MaxWorkers) {
			assertRefused(t, "MORPH_MAX_WORKERS", workers, err)
			return
		}
		require.NoError(t, err)
		config := (&job{settings: s, network: &network{}}).schedulerConfig()
		timeout := time.Duration(c.Out.RunTimeout) * time.Second
		switch c.In.Env["MORPH_RUN_TIMEOUT"] {
		case "6h":
			conformance.Differs(t, "a duration with its unit is read as one")
			timeout = 6 * time.Hour
		case "":
			if timeout == 0 {
				conformance.Differs(t, "an empty variable is as good as none")
				timeout = 6 * time.Hour
			}
		}
		assert.Equal(t, timeout, cmp.Or(config.RunTimeout, scheduler.DefaultRunTimeout))
		assert.Equal(t, !c.Out.Threaded, s.disableThreads)
		switch {
		case s.disableThreads:
			assert.Equal(t, 1, config.MaxWorkers)
		case workers == "":
			conformance.Differs(t, "without a limit all operations are alive at once")
			assert.Zero(t, config.MaxWorkers)
		default:
			assert.Equal(t, c.Out.MaxWorkers, config.MaxWorkers)
		}
	})
}

// The text itself is the scheduler's; here is what becomes of the process.
func TestSuiteTimeoutExit(t *testing.T) {
	conformance.Each(t, "scheduler_timeout_text", "0.8.2", func(t *testing.T, c struct {
		In struct {
			Limit int `json:"run_timeout"`
		}
		Out struct {
			Stdout string
			Exit   int
		}
	}) {
		code, sentence := exitCode(&scheduler.RunTimeoutError{Limit: time.Duration(c.In.Limit) * time.Second}, false)
		assert.Equal(t, c.Out.Exit, code)
		first, _, _ := strings.Cut(c.Out.Stdout, "\n")
		assert.Equal(t, first, sentence)
	})
}

func TestSuiteProxyValidation(t *testing.T) {
	conformance.Each(t, "agent_proxy_validation", "0.8.2", func(t *testing.T, c struct {
		In  struct{ Proxy string }
		Out struct {
			Used  bool `json:"proxy_used"`
			Error string
		}
	}) {
		s, err := readSettings(flagValues{}, variables{"MORPH_AUSTRALIAN_PROXY": c.In.Proxy}.get, time.Now())
		if c.Out.Error == "" {
			require.NoError(t, err)
			assert.Equal(t, c.Out.Used, (&network{settings: s}).proxied(authorities.Entry{Authority: scraperutils.Authority{AustralianProxy: true}}))
			return
		}
		sentence, value, _ := strings.Cut(c.Out.Error, ": ")
		if value != "" {
			conformance.Differs(t, "the value is not repeated, for it may hold a password")
			assert.NotContains(t, err.Error(), c.In.Proxy)
		}
		assert.ErrorContains(t, err, "("+sentence+")")
	})
}

func TestSuiteDebugLevel(t *testing.T) {
	conformance.Each(t, "debug_level", "0.8.2", func(t *testing.T, c struct {
		In  struct{ Env variables }
		Out struct {
			Level                 int
			Basic, Verbose, Trace bool
		}
	}) {
		if value, ok := c.In.Env["DEBUG"]; ok && value == "" {
			conformance.Differs(t, "an empty variable is as good as none")
			c.Out.Level, c.Out.Basic = 0, false
		}
		s, err := readSettings(nil, c.In.Env.get, time.Now())
		require.NoError(t, err)
		level := s.debug
		assert.Equal(t, c.Out.Level, level)
		log := newLog(io.Discard, "json", level)
		assert.Equal(t, c.Out.Basic, log.Debug().Enabled())
		assert.Equal(t, c.Out.Verbose, log.Trace().Enabled(), "level 3 shows what level 2 does")
	})
}

func TestSuiteSelectedAuthorities(t *testing.T) {
	conformance.Each(t, "selected_authorities", "0.8.2", func(t *testing.T, c struct {
		In struct {
			All      []string
			Selected *string `json:"MORPH_AUTHORITIES"`
		}
		Out json.RawMessage
	}) {
		rows := database(t) + ".yml"
		var text strings.Builder
		for _, label := range c.In.All {
			fmt.Fprintf(&text, "- {authority: %s, platform: icon, url: \"http://%s.example\", period: thisweek}\n", label, label)
		}
		writeFile(t, rows, text.String())
		registry, err := authorities.Load(rows)
		require.NoError(t, err)

		list := ""
		if c.In.Selected != nil {
			list = *c.In.Selected
		}
		s, err := readSettings(flagValues{}, variables{"MORPH_AUTHORITIES": list}.get, time.Now())
		var entries []authorities.Entry
		if err == nil {
			entries, err = registry.Select(s.authorities)
		}
		var want []string
		if json.Unmarshal(c.Out, &want) != nil {
			assertNotSelected(t, c.Out, list, err)
			return
		}
		require.NoError(t, err)
		var got []string
		seen := map[string]bool{}
		for _, e := range entries {
			if strings.HasSuffix(e.URL, "//"+e.Label+".example") { // the built-in ones are there too
				got = append(got, e.Label)
			}
		}
		var once []string
		for _, label := range want {
			if !seen[label] {
				once = append(once, label)
			}
			seen[label] = true
		}
		if len(once) < len(want) {
			conformance.Differs(t, "an authority that is named twice is scraped once")
		}
		if list == "" && len(want) == 0 {
			conformance.Differs(t, "an empty variable is as good as none")
			once = c.In.All
		}
		assert.Equal(t, once, got)
	})
}

// assertNotSelected checks the error for labels that nobody has.
func assertNotSelected(t *testing.T, out json.RawMessage, list string, err error) {
	t.Helper()
	var want struct{ Error string }
	require.NoError(t, json.Unmarshal(out, &want))
	_, labels, _ := strings.Cut(want.Error, ": ")
	var unknown *authorities.UnknownError
	if labels == "" {
		assertRefused(t, "MORPH_AUTHORITIES", list, err)
		return
	}
	conformance.Differs(t, "the error has words of its own, with the nearest labels that there are")
	require.True(t, errors.As(err, &unknown), "%v", err)
	assert.Equal(t, labels, strings.Join(unknown.Labels, ", "))
	assert.Equal(t, exitUsage, codeOf(err, 0))
}
