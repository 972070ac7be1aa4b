package runlog

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// council is a made-up authority: how many applications it enters on a day, and what of them a run sees.
type council struct {
	label    string
	rate     func(on time.Time) float64 // how many it enters on a day, on average
	burst    bool                       // all at once, now and then
	shows    func(on time.Time) int     // for how many days before a run in the morning its list goes back
	received float64                    // how many have a date of receipt
	state    int

	entered []entered // of each day
}

// entered is what a council enters on a day.
type entered struct {
	n, with int    // applications, and those with a date
	mark    uint64 // of their references
}

// On public holidays of all, and on one of a state.
var publicHolidays = map[string]int{
	"2025-03-10": 1, "2025-04-18": 0, "2025-04-21": 0, "2025-04-25": 0, "2025-06-09": 0, "2025-09-29": 2, "2025-10-06": 3, "2025-11-04": 1,
	"2025-12-25": 0, "2025-12-26": 0, "2026-01-01": 0, "2026-01-26": 0, "2026-03-09": 1, "2026-04-03": 0, "2026-04-06": 0, "2026-06-08": 0,
}

func (c *council) closed(on time.Time) bool {
	state, holiday := publicHolidays[on.Format(time.DateOnly)]
	if holiday && (state == 0 || state == c.state) {
		return true
	}
	d := on.YearDay()
	return d >= 358 || d <= 4+3*c.state // around Christmas, each for as long as it likes
}

// enter adds a day.
func (c *council) enter(rnd *rand.Rand, on time.Time) {
	e := entered{}
	switch rate := c.rate(on); {
	case c.closed(on) || rate == 0:
	case c.burst:
		if rnd.Float64() < rate {
			e.n = 5 + rnd.IntN(40)
		}
	default:
		e.n = poisson(rnd, rate*math.Exp(0.3*rnd.NormFloat64()))
	}
	for i := range e.n {
		e.mark += markOf(fmt.Sprint(on, i))
		if rnd.Float64() < c.received {
			e.with++
		}
	}
	c.entered = append(c.entered, e)
}

// list is what a run in the morning sees.
func (c *council) list(on time.Time) Yield {
	y := Yield{Filled: map[string]int{}}
	for i := 1; i <= c.shows(on) && i <= len(c.entered); i++ {
		e := c.entered[len(c.entered)-i]
		y.Records += e.n
		y.Filled["address"] += e.n
		y.Filled["date_received"] += e.with
		y.Mark += e.mark
	}
	return y
}

func poisson(rnd *rand.Rand, mean float64) (n int) {
	for p := rnd.Float64(); p > math.Exp(-mean); n++ {
		p *= rnd.Float64()
	}
	return n
}

func weekdays(rate float64) func(time.Time) float64 {
	return func(on time.Time) float64 {
		if on.Weekday() == time.Saturday || on.Weekday() == time.Sunday {
			return 0
		}
		return rate
	}
}

func daily(rate float64) func(time.Time) float64 { return func(time.Time) float64 { return rate } }

func last(days int) func(time.Time) int { return func(time.Time) int { return days } }

// councils is some of every rhythm that there is.
func councils(rnd *rand.Rand) (all []*council) {
	add := func(name string, rate func(time.Time) float64, shows func(time.Time) int, burst bool) {
		received := []float64{1, 1, 0.97, 0.6, 0.1}[rnd.IntN(5)]
		all = append(all, &council{label: name, rate: rate, shows: shows, burst: burst, received: received, state: 1 + rnd.IntN(4)})
	}
	thisMonth := func(on time.Time) int { return on.Day() - 1 }
	thisWeek := func(on time.Time) int { return (int(on.Weekday()) + 6) % 7 }
	weekly := func(on time.Time) float64 {
		if on.Weekday() == time.Tuesday {
			return 15
		}
		return 0
	}
	monthly := func(on time.Time) float64 {
		if on.Day() == 20 {
			return 30
		}
		return 0
	}
	for _, size := range []float64{0.2, 1, 3, 12, 60} {
		add(fmt.Sprintf("new ones alone, %g", size), weekdays(size), last(1), false)
		add(fmt.Sprintf("four days, %g", size), weekdays(size), last(4), false)
		add(fmt.Sprintf("a fortnight, %g", size), weekdays(size), last(14), false)
		add(fmt.Sprintf("30 days, %g", size), weekdays(size), last(30), false)
		add(fmt.Sprintf("this month, %g", size), weekdays(size), thisMonth, false)
		add(fmt.Sprintf("this week, %g", size), weekdays(size), thisWeek, false)
		add(fmt.Sprintf("every day, %g", size), daily(size), last(1), false)
		add(fmt.Sprintf("every day 30 days, %g", size), daily(size), last(30), false)
	}
	for _, days := range []int{1, 4, 14, 30} {
		add(fmt.Sprintf("weekly, %d days", days), weekly, last(days), false)
		add(fmt.Sprintf("monthly, %d days", days), monthly, last(days), false)
		add(fmt.Sprintf("often bursts, %d days", days), daily(0.2), last(days), true)
		add(fmt.Sprintf("rare bursts, %d days", days), daily(0.03), last(days), true)
	}
	return all
}

// network is runs over many councils, as the log keeps them.
type network struct {
	rnd      *rand.Rand
	councils []*council
	past     map[string][]pastYield
	day      time.Time
}

func newNetwork(seed uint64, first time.Time) *network {
	rnd := rand.New(rand.NewPCG(seed, 1))
	n := &network{rnd: rnd, councils: councils(rnd), past: map[string][]pastYield{}, day: first}
	for range 31 { // lists are as long as ever when the first run comes
		n.pass()
	}
	return n
}

// run is a run in the morning and the day after it. broken changes what is seen.
func (n *network) run(broken map[string]func(Yield) Yield) map[string][]string {
	now, doubts := map[string]Yield{}, map[string][]string{}
	for _, c := range n.councils {
		now[c.label] = c.list(n.day)
		if b := broken[c.label]; b != nil {
			now[c.label] = b(now[c.label])
		}
	}
	s := newSeason(n.past, now, n.day)
	for _, c := range n.councils {
		why := s.doubts(c.label, Least{})
		if len(why) > 0 {
			doubts[c.label] = why
		}
		past := append(n.past[c.label], pastYield{Yield: now[c.label], day: n.day, at: n.day, doubted: len(why) > 0})
		n.past[c.label] = past[max(0, len(past)-yieldDays):]
	}
	n.pass()
	return doubts
}

// pass is a day without a run.
func (n *network) pass() {
	for _, c := range n.councils {
		c.enter(n.rnd, n.day)
	}
	n.day = n.day.AddDate(0, 0, 1)
}

func (n *network) council(t *testing.T, name string) *council {
	for _, c := range n.councils {
		if c.label == name {
			return c
		}
	}
	t.Fatal(name)
	return nil
}

func (n *network) clone() *network {
	m := *n
	m.rnd = rand.New(rand.NewPCG(7, 7))
	m.past = maps.Clone(n.past)
	m.councils = nil
	for _, c := range n.councils {
		d := *c
		d.entered = slices.Clone(c.entered)
		m.councils = append(m.councils, &d)
	}
	for label, past := range m.past {
		m.past[label] = slices.Clip(past)
	}
	return &m
}
