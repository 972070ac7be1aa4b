package pace_test

import (
	"encoding/json"
	"errors"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/conformance"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
	"github.com/multiscraper/multiscraper/scraperutils/web/robots"
)

func or(v *float64, otherwise float64) float64 {
	if v == nil {
		return otherwise
	}
	return *v
}

// visit is [URL, response time].
type visit struct {
	url  *url.URL
	took float64
}

func (v *visit) UnmarshalJSON(text []byte) error {
	var raw string
	pair := []any{&raw, &v.took}
	if err := json.Unmarshal(text, &pair); err != nil {
		return err
	}
	var err error
	v.url, err = url.Parse(raw)
	return err
}

// memory is the paces of hosts by one set of rules, as a scheduler keeps them.
type memory struct {
	rules *pace.Limiter
	hosts map[scraperutils.Host]scraperutils.Pace
}

func remembered(c pace.Config) memory {
	return memory{pace.New(c), map[scraperutils.Host]scraperutils.Pace{}}
}

func (m memory) Pace(host scraperutils.Host) scraperutils.Pace {
	if m.hosts[host] == nil {
		m.hosts[host] = m.rules.Pace(host)
	}
	return m.hosts[host]
}

// restOf returns for how many seconds from start nobody may ask a host.
func restOf(l memory, host scraperutils.Host) float64 {
	w := l.Pace(host).Earliest()
	if w.Until.IsZero() {
		return 0
	}
	return w.Until.Sub(start).Seconds()
}

func TestSuiteAdaptiveDelay(t *testing.T) {
	conformance.Each(t, "adaptive_delay", "0.8.2", func(t *testing.T, c struct {
		In struct {
			Config struct {
				MaxLoad *float64 `json:"max_load"`
				Min     *float64 `json:"min_delay"`
				Max     *float64 `json:"max_delay"`
			}
			Sequence []visit
		}
		Out struct {
			Multiplier float64
			Unknown    float64 `json:"unknown_host_delay"`
			Delays     []float64
		}
	}) {
		a := pace.Adaptive{Load: or(c.In.Config.MaxLoad, pace.DefaultMaxLoad), Min: seconds(or(c.In.Config.Min, 0)), Max: seconds(or(c.In.Config.Max, 0))}
		assert.InDelta(t, c.Out.Multiplier, a.Multiplier(), 1e-9)
		delays := map[scraperutils.Host]time.Duration{}
		require.Len(t, c.Out.Delays, len(c.In.Sequence))
		for i, v := range c.In.Sequence {
			host := scraperutils.HostOf(v.url)
			assert.InDelta(t, c.Out.Unknown, restOf(remembered(pace.Config{MaxLoad: a.Load}), host), 1e-9)
			if delay, ok := delays[host]; ok {
				delays[host] = a.Next(delay, seconds(v.took))
			} else {
				delays[host] = a.First(seconds(v.took))
			}
			assert.InDelta(t, c.Out.Delays[i], delays[host].Seconds(), 2e-9, "after answer %d", i+1)
		}
		if a.Min != 0 || a.Max != 0 || a.Load == 0 {
			return // no run is configured like that
		}
		l := remembered(pace.Config{MaxLoad: a.Load}) // keeps hosts apart in the same way
		for _, v := range c.In.Sequence {
			l.Pace(scraperutils.HostOf(v.url)).Observe(trip{took: v.took}.outcome(start))
		}
		for host, delay := range delays {
			assert.Equal(t, delay, l.Pace(host).Earliest().Until.Sub(start), host)
		}
	})
}

func TestSuiteRandomRange(t *testing.T) {
	conformance.Each(t, "agent_random_range", "0.8.2", func(t *testing.T, c struct {
		In struct {
			RandomDelay float64 `json:"random_delay"`
		}
		Out *struct {
			Min, Max   float64
			SecondsMin float64 `json:"seconds_min"`
			SecondsMax float64 `json:"seconds_max"`
		}
	}) {
		waitAt := func(random float64) float64 {
			l := remembered(pace.Config{RandomDelay: seconds(c.In.RandomDelay), Random: func() float64 { return random }})
			l.Pace(council).Observe(trip{}.outcome(start))
			return restOf(l, council)
		}
		if c.Out == nil {
			assert.Zero(t, waitAt(0.5))
			return
		}
		low, high := pace.RandomRange(seconds(c.In.RandomDelay))
		assert.InDelta(t, c.Out.Min, low, 0.0005)
		assert.InDelta(t, c.Out.Max, high, 0.0005)
		assert.InDelta(t, c.Out.SecondsMin, waitAt(0), 0.0005)
		assert.InDelta(t, c.Out.SecondsMax, waitAt(1), 0.0005)
	})
}

func TestSuiteHostThrottler(t *testing.T) {
	type options struct {
		Crawl   float64  `json:"crawl_delay"`
		MaxLoad *float64 `json:"max_load"`
	}
	conformance.Each(t, "host_throttler", "0.15.0", func(t *testing.T, c struct {
		In struct {
			Options    options
			Took       float64 `json:"response_time"`
			Overloaded bool
			First      bool `json:"no_before_request"`
			Other      bool `json:"other_host"`
			// One case has the options here, and asks after so much work.
			options
			Work float64 `json:"work_seconds_before_next_request"`
		}
		Out json.RawMessage
	}) {
		in := c.In
		if in.MaxLoad != nil {
			in.Options = in.options
		}
		asked := council
		if in.Other {
			asked.Name = "other.example"
		}
		status := map[bool]int{false: 200, true: 503}[in.Overloaded]
		l := remembered(pace.Config{MaxLoad: or(in.Options.MaxLoad, 0), NoDelay: in.Options.MaxLoad == nil})
		l.Pace(council).Observe(trip{took: in.Took, crawl: in.Options.Crawl, status: status}.outcome(start))
		got := restOf(l, asked) - in.Work
		var want *float64 // null: the host is not known, so nobody waits
		if in.MaxLoad != nil {
			var out struct{ Sleeps *float64 }
			conformance.Decode(t, c.Out, &out)
			want = out.Sleeps
		} else {
			conformance.Decode(t, c.Out, &want)
		}
		assert.InDelta(t, or(want, 0), got, 0.0005, "the gem rounds to three digits")
		assert.Equal(t, want == nil, in.Other)
	})
}

func TestSuitePostConnectDelay(t *testing.T) {
	conformance.Each(t, "post_connect_delay", "0.8.2", func(t *testing.T, c struct {
		In struct {
			Robots  string `json:"robots_txt"`
			Options struct {
				MaxLoad   any   `json:"max_load"`
				Compliant *bool `json:"compliant_mode"`
			}
			Took []float64 `json:"response_times"`
		}
		Out []float64
	}) {
		load, ok := c.In.Options.MaxLoad.(float64)
		l := remembered(pace.Config{MaxLoad: load, NoDelay: !ok}) // max_load: false
		crawl := robots.Parse([]byte(c.In.Robots), "ScraperUtils").CrawlDelay()
		require.Len(t, c.Out, len(c.In.Took))
		for i, took := range c.In.Took {
			l.Pace(council).Observe(trip{took: took, crawl: crawl.Seconds()}.outcome(start))
			assert.InDelta(t, c.Out[i], restOf(l, council), 0.0006, "after answer %d", i+1)
		}
	})
}

func TestSuiteOverloadError(t *testing.T) {
	conformance.Each(t, "overload_error", "0.15.0", func(t *testing.T, c struct {
		In struct {
			Status int
			Error  string
		}
		Out bool
	}) {
		answer := trip{took: 1, status: c.In.Status}
		if c.In.Status == 0 {
			answer.err = errors.New(c.In.Error)
		}
		l := remembered(pace.Config{})
		l.Pace(council).Observe(answer.outcome(start))
		assert.Equal(t, c.Out, l.Pace(council).Earliest().Rule == pace.RuleBackOff)
	})
}
