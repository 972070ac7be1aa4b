package pace_test

import (
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/conformance"
	"github.com/multiscraper/multiscraper/scraperutils/pace"
	"github.com/multiscraper/multiscraper/scraperutils/robots"
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
		if c.Out.Unknown > 0 {
			conformance.Differs(t, "nobody waits for a host that was never asked")
		}
		delays, known := map[scraperutils.Host]time.Duration{}, map[string]scraperutils.Host{}
		for i, v := range c.In.Sequence {
			host := scraperutils.HostOf(v.url)
			assert.Equal(t, scraperutils.Wait{}, pace.New(pace.Config{MaxLoad: a.Load}).Pace(host).Earliest())
			want := c.Out.Delays[i]
			if before, ok := known[v.url.Scheme+host.Name]; ok && before != host {
				conformance.Differs(t, "what is known of a host is known of its name and port")
				want = v.took * a.Multiplier()
			}
			known[v.url.Scheme+host.Name] = host
			if delay, ok := delays[host]; ok {
				delays[host] = a.Next(delay, seconds(v.took))
			} else {
				delays[host] = a.First(seconds(v.took))
			}
			assert.InDelta(t, want, delays[host].Seconds(), 2e-9, "after answer %d", i+1)
		}
		if a.Min != 0 || a.Max != 0 || a.Load == 0 {
			return // no run is configured like that
		}
		l := pace.New(pace.Config{MaxLoad: a.Load}) // keeps hosts apart in the same way
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
			l := pace.New(pace.Config{RandomDelay: seconds(c.In.RandomDelay), Random: func() float64 { return random }})
			l.Pace(council).Observe(trip{}.outcome(start))
			return l.Pace(council).Earliest().Until.Sub(start).Seconds()
		}
		if c.Out == nil {
			assert.Zero(t, waitAt(0.5))
			return
		}
		low, high := pace.RandomRange(seconds(c.In.RandomDelay))
		assert.InDelta(t, c.Out.Min, low, 0.0005)
		assert.InDelta(t, c.Out.Max, high, 0.0005)
		// The gem squares what it has rounded to three digits.
		assert.InDelta(t, c.Out.SecondsMin, waitAt(0), 0.0005+2*low*0.0005)
		assert.InDelta(t, c.Out.SecondsMax, waitAt(1), 0.0005+2*high*0.0005)
	})
}

// throttled is what the gem's later version is asked: how long to wait for a host that answered like this.
type throttled struct {
	Options struct {
		Crawl   float64  `json:"crawl_delay"`
		MaxLoad *float64 `json:"max_load"`
	}
	Took       float64 `json:"response_time"`
	Overloaded bool
	Crawl      float64  `json:"crawl_delay"` // outside of the options in one case
	MaxLoad    *float64 `json:"max_load"`
	Work       *float64 `json:"work_seconds_before_next_request"`
	Other      bool     `json:"other_host"`
}

func TestSuiteHostThrottler(t *testing.T) {
	conformance.Each(t, "host_throttler", "0.15.0", func(t *testing.T, c struct {
		In  throttled
		Out any
	}) {
		in := c.In
		if in.Work != nil {
			in.Options.Crawl, in.Options.MaxLoad = in.Crawl, in.MaxLoad
			c.Out = c.Out.(map[string]any)["sleeps"]
		}
		asked := council
		if in.Other {
			asked.Name = "other.example"
			c.Out = 0.0
		}
		config := pace.Config{MaxLoad: or(in.Options.MaxLoad, 0), NoDelay: in.Options.MaxLoad == nil}
		status := map[bool]int{false: 200, true: 503}[in.Overloaded]
		l := pace.New(config)
		l.Pace(council).Observe(trip{took: in.Took, crawl: in.Options.Crawl, status: status}.outcome(start))
		waits := 0.0
		if w := l.Pace(asked).Earliest(); !w.Until.IsZero() {
			waits = max(w.Until.Sub(start).Seconds()-or(in.Work, 0), 0)
		}
		want, ok := c.Out.(float64)
		require.True(t, ok)
		rests, asIs := in.rests()
		if !asIs {
			conformance.Differs(t, "of several rests the longest counts, not their sum, and max_load is read as 1 to 80")
			want = slices.Max(rests)
		}
		assert.InDelta(t, want, waits, 0.0006, "the gem rounds to three digits")
	})
}

// rests are what each rule asks for by itself, in seconds, and whether the gem makes the same of them.
func (c throttled) rests() (rests []float64, asIs bool) {
	rests, asIs = []float64{c.Options.Crawl}, true
	if load := c.Options.MaxLoad; load != nil {
		clamped := min(max(*load, 1), 80)
		rests = append(rests, min(c.Took*(100-clamped)/clamped, 30))
		asIs = *load >= 10 && *load <= 80
	}
	if c.Overloaded {
		rests = append(rests, min(2*c.Took+5, 120))
	}
	several := len(slices.DeleteFunc(slices.Clone(rests), func(s float64) bool { return s == 0 })) > 1
	return rests, asIs && !several
}

func TestSuitePostConnectDelay(t *testing.T) {
	conformance.Each(t, "post_connect_delay", "0.8.2", func(t *testing.T, c struct {
		In struct {
			Robots  string `json:"robots_txt"`
			Options struct {
				MaxLoad any `json:"max_load"`
			}
			Took []float64 `json:"response_times"`
		}
		Out []float64
	}) {
		load, ok := c.In.Options.MaxLoad.(float64)
		l := pace.New(pace.Config{MaxLoad: load, NoDelay: !ok}) // max_load: false
		crawl := robots.Parse([]byte(c.In.Robots), "ScraperUtils").CrawlDelay()
		for i, took := range c.In.Took {
			l.Pace(council).Observe(trip{took: took, crawl: crawl.Seconds()}.outcome(start))
			assert.InDelta(t, c.Out[i], l.Pace(council).Earliest().Until.Sub(start).Seconds(), 0.0006, "after answer %d", i+1)
		}
	})
}

func TestSuiteOverloadError(t *testing.T) {
	conformance.Each(t, "overload_error", "0.15.0", func(t *testing.T, c struct {
		In  struct{ Status int }
		Out bool
	}) {
		if c.In.Status == 500 {
			conformance.Differs(t, "429 and 503 say that a host is overloaded; a 500 says that it is broken")
			c.Out = false
		}
		answer := trip{took: 1, status: c.In.Status}
		if c.In.Status == 0 {
			answer.err = errors.New("no code")
		}
		l := pace.New(pace.Config{})
		l.Pace(council).Observe(answer.outcome(start))
		assert.Equal(t, c.Out, l.Pace(council).Earliest().Rule == pace.RuleBackOff)
	})
}
