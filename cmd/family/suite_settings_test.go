package family

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities"
	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/cmd/internal/egress"
	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils/conformance"
	"github.com/multiscraper/multiscraper/scraperutils/site/dates"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
)

// variables are an environment.
type variables map[string]string

func (v variables) get(name string) string { return v[name] }

// console is one in that environment, with flags that are settings.
func (v variables) console(given ...map[string]string) cli.Console {
	c := cli.Console{Env: v.get}
	for _, flags := range given {
		c.Given = flags
	}
	return c
}

// textOf is the text of an error, "" of none.
func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestSuiteSchedulerEnvironment(t *testing.T) {
	type outcome struct {
		MaxWorkers int `json:"max_workers"` // 0 is no limit
		RunTimeout int `json:"run_timeout"`
		Threaded   bool
		Error      string
	}
	conformance.Each(t, "scheduler_env", "0.8.2", func(t *testing.T, c struct {
		In  struct{ Env variables }
		Out outcome
	}) {
		s, err := councils.readSettings(c.In.Env.console(), time.Now())
		if err != nil {
			assert.Equal(t, c.Out, outcome{Error: err.Error()})
			return
		}
		config := (&job{family: councils, settings: s}).schedulerConfig()
		timeout := cmp.Or(config.RunTimeout, scheduler.DefaultRunTimeout)
		assert.Equal(t, c.Out, outcome{MaxWorkers: config.MaxWorkers, RunTimeout: int(timeout / time.Second), Threaded: !s.disableThreads})
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
		code, sentence := cli.ExitCode(&scheduler.RunTimeoutError{Limit: time.Duration(c.In.Limit) * time.Second}, false)
		assert.Equal(t, c.Out.Exit, code)
		assert.Equal(t, c.Out.Stdout, sentence)
	})
}

func TestSuiteProxyValidation(t *testing.T) {
	type outcome struct {
		OK    bool
		Used  bool `json:"proxy_used"`
		Error string
	}
	conformance.Each(t, "agent_proxy_validation", "0.8.2", func(t *testing.T, c struct {
		In  struct{ Proxy string }
		Out outcome
	}) {
		s, err := councils.readSettings(variables{"MORPH_AUSTRALIAN_PROXY": c.In.Proxy}.console(), time.Now())
		used := egress.New(egress.Config{Settings: s.network}).Proxied(egress.Site{ByProxy: true})
		assert.Equal(t, c.Out, outcome{OK: err == nil, Used: used, Error: textOf(err)})
	})
}

func TestSuiteDebugLevel(t *testing.T) {
	type outcome struct {
		Level                 int
		Basic, Verbose, Trace bool
	}
	conformance.Each(t, "debug_level", "0.8.2", func(t *testing.T, c struct {
		In  struct{ Env variables }
		Out outcome
	}) {
		s, err := councils.readSettings(c.In.Env.console(), time.Now())
		require.NoError(t, err)
		log := councils.newLog(io.Discard, "json", s.debug)
		assert.Equal(t, c.Out, outcome{Level: s.debug, Basic: log.Debug().Enabled(), Verbose: log.Trace().Enabled(), Trace: s.debug >= 3})
	})
}

func TestSuiteRandomize(t *testing.T) {
	type outcome struct {
		Random bool
		Kept   []int `json:"keeps_order_when_off"`
	}
	conformance.Each(t, "randomize", "0.8.2", func(t *testing.T, c struct {
		In struct {
			Off string `json:"MORPH_DISABLE_RANDOM"` // null is as good as empty
		}
		Out outcome
	}) {
		s, err := councils.readSettings(variables{"MORPH_DISABLE_RANDOM": c.In.Off}.console(), time.Now())
		require.NoError(t, err)
		random := s.search().Random
		orders := map[string]bool{}
		var last []int
		for range 50 {
			last = dates.Shuffle([]int{3, 1, 2}, random)
			orders[fmt.Sprint(last)] = true
			assert.ElementsMatch(t, []int{1, 2, 3}, last)
		}
		got := outcome{Random: len(orders) > 1}
		if !got.Random {
			got.Kept = last
		}
		assert.Equal(t, c.Out, got)
	})
}

func TestSuiteSelectedAuthorities(t *testing.T) {
	conformance.Each(t, "selected_authorities", "0.8.2", func(t *testing.T, c struct {
		In struct {
			All      []string
			Selected *string `json:"MORPH_AUTHORITIES"`
		}
		Out any // labels, or an object with an error
	}) {
		rows := database(t) + ".yml"
		var text strings.Builder
		for _, label := range c.In.All {
			fmt.Fprintf(&text, "- {authority: %s, platform: icon, url: \"http://%s.example\", period: thisweek}\n", label, label)
		}
		writeFile(t, rows, text.String())
		known, err := authorities.Load(rows)
		require.NoError(t, err)

		list := ""
		if c.In.Selected != nil {
			list = *c.In.Selected
		}
		s, err := councils.readSettings(variables{"MORPH_AUTHORITIES": list}.console(), time.Now())
		var entries []registry.Entry
		if err == nil {
			entries, err = known.Select(s.labels)
		}
		var got any = map[string]any{"error": textOf(err)}
		if err == nil {
			labels := []any{}
			for _, e := range entries {
				if strings.HasSuffix(e.URL, "//"+e.Label+".example") { // the built-in ones are there too
					labels = append(labels, e.Label)
				}
			}
			got = labels
		}
		assert.Equal(t, c.Out, got)
	})
}
