package runlog

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/multiscraper/multiscraper/scraperutils"
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

// More than a year of many rhythms, with weekends, holidays, Christmas, first runs: not one is doubted.
func TestNoFalseDoubts(t *testing.T) {
	const seed = 3 // sixteen others have been tried
	days := 400
	if testing.Short() {
		days = 60
	}
	n := newNetwork(seed, time.Date(2025, 2, 10, 0, 0, 0, 0, time.UTC))
	for range days {
		on := n.day
		for label, why := range n.run(nil) {
			t.Errorf("%s: %s: %v", on.Format("Mon 2006-01-02"), label, why)
		}
	}
}

func TestEaster(t *testing.T) {
	for _, day := range []string{"2019-04-21", "2024-03-31", "2025-04-20", "2026-04-05", "2027-03-28", "2038-04-25"} {
		assert.Equal(t, day, easter(parseDate(day).Year()).Format(time.DateOnly))
	}
}

// breakages is what goes wrong without an error.
var breakages = map[string]func(Yield) Yield{
	"gives nothing": func(Yield) Yield { return Yield{} },
	"gives one": func(y Yield) Yield {
		return Yield{Records: min(1, y.Records), Filled: map[string]int{"address": min(1, y.Records)}, Mark: 1}
	},
	"has no dates": func(y Yield) Yield {
		y.Filled = map[string]int{"address": y.Records}
		return y
	},
}

// What goes wrong with an authority that gives some records on most days is told within three runs on such days.
func TestBreakagesAreDoubted(t *testing.T) {
	fresh := newNetwork(1, time.Date(2025, 7, 1, 0, 0, 0, 0, time.UTC))
	for _, c := range fresh.councils {
		c.received = 1
	}
	for range 50 {
		fresh.run(nil)
	}
	for _, name := range []string{"new ones alone, 60", "a fortnight, 12", "30 days, 12", "this month, 12", "this month, 60", "this week, 60", "every day, 60", "every day 30 days, 60"} {
		for kind, breakage := range breakages {
			t.Run(name+" "+kind, func(t *testing.T) {
				n := fresh.clone()
				c := n.council(t, name)
				var doubts []string
				for runs := 0; runs < 3 && len(doubts) == 0; {
					if c.list(n.day).Records > 0 && c.rate(n.day.AddDate(0, 0, -1)) > 0 {
						runs++
					}
					doubts = n.run(map[string]func(Yield) Yield{c.label: breakage})[c.label]
				}
				assert.NotEmpty(t, doubts)
			})
		}
	}
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

// days makes a past of so many records on each day up to today, all with a date.
func days(today time.Time, counts ...int) (past []pastYield) {
	for i, n := range counts {
		on := today.AddDate(0, 0, i-len(counts))
		past = append(past, pastYield{Yield: given(n, n, uint64(i+1)), day: on, at: on})
	}
	return past
}

func given(records, dated int, mark uint64) Yield {
	return Yield{Records: records, Filled: map[string]int{"address": records, "date_received": dated}, Mark: mark}
}

func repeat(n int, counts ...int) (all []int) {
	for range n {
		all = append(all, counts...)
	}
	return all
}

func TestDoubts(t *testing.T) {
	today := time.Date(2025, 10, 24, 0, 0, 0, 0, time.UTC)
	twenty, none := 20, 0
	earlier := append(days(today, 200), pastYield{Yield: given(200, 200, 9), day: today, at: today})
	for name, c := range map[string]struct {
		past  []pastYield
		now   Yield
		least Least
		want  []string
	}{
		"one of 200, without its date":   {days(today, repeat(14, 200)...), given(1, 0, 99), Least{}, []string{"1 record, usually 200", "date_received filled in 0%, usually in 100%"}},
		"none of 200":                    {days(today, repeat(14, 200)...), Yield{}, Least{}, []string{"0 records, usually 200"}},
		"a third of 200":                 {days(today, repeat(14, 200)...), given(67, 67, 99), Least{}, nil},
		"a first run":                    {nil, given(1, 0, 99), Least{}, nil},
		"a fourth run":                   {days(today, 200, 200, 200), given(1, 1, 99), Least{}, nil},
		"fewer than this morning":        {earlier, given(1, 1, 99), Least{}, []string{"1 record, 200 earlier on the same day"}},
		"a column that is empty":         {days(today, repeat(14, 20)...), given(20, 0, 99), Least{}, []string{"date_received filled in 0%, usually in 100%"}},
		"a column that is half empty":    {days(today, repeat(14, 20)...), given(20, 10, 99), Least{}, nil},
		"two without a date":             {days(today, repeat(14, 20)...), given(18, 16, 99), Least{}, nil},
		"a list that is the same always": {same(days(today, repeat(14, 20)...)), Yield{}, Least{}, nil},
		"a month that begins":            {days(today.AddDate(0, 0, 8), repeat(14, 200)...), given(1, 1, 99), Least{}, nil},
		"fewer than its row says":        {nil, given(19, 19, 99), Least{Records: &twenty}, []string{"19 records, at least 20 expected"}},
		"as many as its row says":        {days(today, repeat(14, 200)...), given(20, 20, 99), Least{Records: &twenty}, nil},
		"its row says that any will do":  {days(today, repeat(14, 200)...), given(1, 0, 99), Least{Records: &none, Filled: map[string]float64{"date_received": 0}}, nil},
		"dates that its row asks for":    {nil, given(10, 8, 99), Least{Filled: map[string]float64{"date_received": 90}}, []string{"date_received filled in 80%, at least 90% expected"}},
		"no records, of which no dates":  {nil, Yield{}, Least{Filled: map[string]float64{"date_received": 90}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			on := today
			if n := len(c.past); n > 0 && c.past[n-1].day.After(today) {
				on = c.past[n-1].day.AddDate(0, 0, 1)
			}
			s := newSeason(map[string][]pastYield{"a": c.past}, map[string]Yield{"a": c.now}, on)
			assert.Equal(t, c.want, s.doubts("a", c.least))
		})
	}
}

func same(past []pastYield) []pastYield {
	for i := range past {
		past[i].Mark = 1
	}
	return past
}

// Where most authorities give nothing, it is a holiday; where one of them does, it is not.
func TestHolidaysAreNotDoubted(t *testing.T) {
	today := time.Date(2025, 10, 24, 0, 0, 0, 0, time.UTC)
	night := func(closed int) (doubted int) {
		past, now := map[string][]pastYield{}, map[string]Yield{}
		for i := range 8 {
			label := fmt.Sprint(i)
			past[label], now[label] = days(today, repeat(30, 200, 190, 210)...), given(200, 200, 99)
			if i < closed {
				now[label] = Yield{}
			}
		}
		s := newSeason(past, now, today)
		for label := range now {
			doubted += len(s.doubts(label, Least{}))
		}
		return doubted
	}
	assert.Equal(t, 1, night(1))
	assert.Equal(t, 3, night(3))
	assert.Zero(t, night(7))
}

// What goes on for weeks is how it is now.
func TestDoubtsEnd(t *testing.T) {
	on := time.Date(2025, 8, 10, 0, 0, 0, 0, time.UTC)
	past, doubted := days(on, repeat(30, 200)...), 0
	for range 50 {
		s := newSeason(map[string][]pastYield{"a": past}, map[string]Yield{"a": given(15, 15, uint64(on.Unix()))}, on)
		why := s.doubts("a", Least{})
		doubted += len(why)
		past = append(past, pastYield{Yield: s.now["a"], day: on, at: on, doubted: len(why) > 0})
		on = on.AddDate(0, 0, 1)
	}
	assert.Equal(t, 12, doubted)
}

func TestMarks(t *testing.T) {
	mark := func(references ...string) uint64 {
		var y Yield
		for _, r := range references {
			y.Add(scraperutils.Record{{Name: "council_reference", Value: r}, {Name: "date_received", Value: nil}, {Name: "address", Value: " "}})
		}
		assert.Empty(t, y.Filled["date_received"]+y.Filled["address"])
		assert.Equal(t, len(references), y.Filled["council_reference"])
		return y.Mark
	}
	assert.Equal(t, mark("DA/1", "DA/2"), mark("DA/2", "DA/1"))
	assert.NotEqual(t, mark("DA/1", "DA/4"), mark("DA/2", "DA/3"))
}

// Forty records of one reference are one row of data, and are judged as one.
func TestRecordsThatTakeEachOthersPlaceAreOne(t *testing.T) {
	var y Yield
	for n := range 40 {
		y.Add(scraperutils.Record{{Name: "council_reference", Value: "undefined"}, {Name: "address", Value: n}})
	}
	today := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	var past []pastYield
	for n := 14; n > 0; n-- {
		past = append(past, pastYield{Yield: given(40, 40, uint64(n)), day: today.AddDate(0, 0, -n), at: today.AddDate(0, 0, -n)})
	}
	s := newSeason(map[string][]pastYield{"a": past}, map[string]Yield{"a": y}, today)
	assert.Equal(t, []string{"1 record, usually 40"}, s.doubts("a", Least{})[:1])
}
