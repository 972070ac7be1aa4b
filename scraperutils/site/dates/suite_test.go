package dates_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/conformance"
	"github.com/multiscraper/multiscraper/scraperutils/site/dates"
)

// setting is a number as a caller or the environment of the gem gave it.
type setting struct{ text string }

func (s *setting) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &s.text) == nil {
		return nil
	}
	s.text = string(text)
	return nil
}

// read returns the number; it is not ours to read text, so that a plan can't have what is none.
func (s *setting) read(t *testing.T, otherwise int) int {
	t.Helper()
	if s == nil {
		return otherwise
	}
	n, err := strconv.Atoi(s.text)
	require.NoError(t, err)
	return n
}

type rangesCase struct {
	In struct {
		Today     string
		JD        int // Today as a Julian day number
		Days      *setting
		EveryTime *setting
		MaxPeriod *setting `json:"max_period"`
		Env       map[string]*setting
	}
	Out struct {
		Ranges        [][]string // from, to, why
		MaxPeriodUsed *int       `json:"max_period_used"`
		Defaults      []int      // of the environment
	}
}

func (c rangesCase) plan(t *testing.T) dates.Plan {
	p := dates.DefaultPlan()
	for name, field := range map[string]struct {
		given *setting
		into  *int
	}{
		"MORPH_DAYS":       {c.In.Days, &p.Days},
		"MORPH_EVERYTIME":  {c.In.EveryTime, &p.EveryTime},
		"MORPH_MAX_PERIOD": {c.In.MaxPeriod, &p.MaxPeriod},
	} {
		*field.into = field.given.read(t, c.In.Env[name].read(t, *field.into))
	}
	return p
}

func TestSuiteDateRanges(t *testing.T) {
	conformance.Each(t, "date_ranges", "0.8.2", func(t *testing.T, c rangesCase) {
		p := c.plan(t)
		var want []string
		for _, r := range c.Out.Ranges {
			want = append(want, strings.Join(r, " "))
		}
		assert.Equal(t, want, texts(p.Ranges(day(t, c.In.Today))))
		if c.In.Env != nil {
			assert.Equal(t, c.Out.Defaults, []int{p.Days, p.EveryTime, p.MaxPeriod})
			return
		}
		require.NotNil(t, c.Out.MaxPeriodUsed)
		assert.Equal(t, *c.Out.MaxPeriodUsed, p.MaxPeriodUsed())
	})
}

func TestSuiteDateRangesLoad(t *testing.T) {
	conformance.Each(t, "date_ranges_load", "0.8.2", func(t *testing.T, c struct {
		In struct {
			Days, EveryTime, Runs int
			MaxPeriod             int `json:"max_period"`
			Start                 string
		}
		Out struct {
			Avg       float64 `json:"avg_percent"`
			Min       float64 `json:"min_percent"`
			Max       float64 `json:"max_percent"`
			Unchecked int     `json:"max_days_a_date_is_left_unchecked"`
		}
	}) {
		assertLoad(t, load(c.Out), loadOf(plan(c.In.Days, c.In.EveryTime, c.In.MaxPeriod), day(t, c.In.Start), c.In.Runs))
	})
}

func TestSuiteDateRangesToday(t *testing.T) {
	conformance.Each(t, "date_ranges_today", "0.8.2", func(t *testing.T, c struct {
		In  struct{ Now time.Time }
		Out string
	}) {
		assert.Equal(t, day(t, c.Out), dates.Today(c.In.Now, middleOfAustralia))
	})
}

func TestSuiteCycle(t *testing.T) {
	conformance.Each(t, "cycle", "0.8.2", func(t *testing.T, c struct {
		In struct {
			Date   string
			Cycle  int
			Values []string
			Env    map[string]string
		}
		Out any
	}) {
		var override *int
		if text := c.In.Env["CYCLE_POSITION"] + c.In.Env["MORPH_CYCLE_POSITION"]; text != "" {
			n, err := strconv.Atoi(text)
			require.NoError(t, err)
			override = &n
		}
		on := time.Time{}
		if c.In.Date != "" {
			on = day(t, c.In.Date)
		}
		var got any
		position, err := dates.Position(on, c.In.Cycle, override)
		got = float64(position)
		if c.In.Values != nil {
			got, err = dates.Pick(c.In.Values, on, override)
		}
		if err != nil {
			got = map[string]any{"error": err.Error()}
		}
		assert.Equal(t, c.Out, got)
	})
}

func TestSuiteFibonacci(t *testing.T) {
	conformance.Each(t, "fibonacci", "0.15.0", func(t *testing.T, c struct {
		In  struct{ Max int }
		Out []int
	}) {
		assert.Equal(t, c.Out, append([]int{}, dates.Fibonacci(c.In.Max)...))
	})
}
