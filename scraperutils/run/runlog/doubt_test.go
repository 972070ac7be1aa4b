package runlog

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// More than a year of many rhythms, with weekends, holidays, Christmas, first runs: not one is doubted.
func TestNoFalseDoubts(t *testing.T) {
	const seed = 3 // sixteen others have been tried
	days := testsize.Of(60, 400)
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
			y.Add(r, scraperutils.Record{{Name: "reference", Value: r}, {Name: "date_received", Value: nil}, {Name: "address", Value: " "}})
		}
		assert.Empty(t, y.Filled["date_received"]+y.Filled["address"])
		assert.Equal(t, len(references), y.Filled["reference"])
		return y.Mark
	}
	assert.Equal(t, mark("DA/1", "DA/2"), mark("DA/2", "DA/1"))
	assert.NotEqual(t, mark("DA/1", "DA/4"), mark("DA/2", "DA/3"))
}

// Forty records of one reference are one row of data, and are judged as one.
func TestRecordsThatTakeEachOthersPlaceAreOne(t *testing.T) {
	var y Yield
	for n := range 40 {
		y.Add("undefined", scraperutils.Record{{Name: "reference", Value: "undefined"}, {Name: "address", Value: n}})
	}
	today := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	var past []pastYield
	for n := 14; n > 0; n-- {
		past = append(past, pastYield{Yield: given(40, 40, uint64(n)), day: today.AddDate(0, 0, -n), at: today.AddDate(0, 0, -n)})
	}
	s := newSeason(map[string][]pastYield{"a": past}, map[string]Yield{"a": y}, today)
	assert.Equal(t, []string{"1 record, usually 40"}, s.doubts("a", Least{})[:1])
}
