package dates_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/site/dates"
)

func day(t testing.TB, s string) time.Time {
	t.Helper()
	d, err := time.Parse(time.DateOnly, s)
	require.NoError(t, err)
	return d
}

func plan(days, everyTime, maxPeriod int) dates.Plan {
	return dates.Plan{Days: days, EveryTime: everyTime, MaxPeriod: maxPeriod}
}

// texts writes ranges as "from to why".
func texts(ranges []dates.Range) (out []string) {
	for _, r := range ranges {
		out = append(out, r.From.Format(time.DateOnly)+" "+r.To.Format(time.DateOnly)+" "+r.Why)
	}
	return out
}

func TestRanges(t *testing.T) {
	usual := dates.DefaultPlan()
	for _, c := range []struct {
		name   string
		plan   dates.Plan
		today  string
		period int
		want   []string
	}{
		{"every 2nd run: newer half", usual, "2025-03-01", 2, []string{"2025-02-11 2025-03-01 2#0+everytime"}},
		{"every 2nd run: older half", usual, "2025-03-02", 2, []string{"2025-01-28 2025-02-12 2#1", "2025-02-26 2025-03-02 everytime"}},
		{"every 3rd run, day 0", plan(33, 4, 3), "2025-03-03", 3, []string{"2025-01-28 2025-02-04 3#0", "2025-02-18 2025-03-03 2#0+everytime"}},
		{"every 3rd run, day 1", plan(33, 4, 3), "2025-03-04", 3, []string{"2025-02-05 2025-02-11 3#1", "2025-02-28 2025-03-04 everytime"}},
		{"every 3rd run, day 2", plan(33, 4, 3), "2025-03-05", 3, []string{"2025-02-12 2025-03-05 3#2+2#0+everytime"}},
		{"every 3rd run, day 3", plan(30, 2, 3), "2025-03-06", 3, []string{"2025-02-03 2025-02-10 3#3", "2025-03-04 2025-03-06 everytime"}},
		{"every 3rd run, day 4", plan(40, 5, 3), "2025-03-01", 3, []string{"2025-01-27 2025-02-03 3#4", "2025-02-13 2025-03-01 2#2+everytime"}},
		{"every 3rd run, day 5", plan(30, 2, 3), "2025-03-02", 3, []string{"2025-02-12 2025-02-19 3#5", "2025-02-28 2025-03-02 everytime"}},
		{"every 4th run, day 0", plan(60, 7, 4), "2025-03-01", 4, []string{"2025-01-27 2025-03-01 2#0+everytime"}},
		{"every 4th run, day 1", plan(60, 7, 4), "2025-03-02", 4, []string{"2024-12-30 2025-01-28 4#0", "2025-02-23 2025-03-02 everytime"}},
		{"every 4th run, day 2", plan(60, 7, 4), "2025-03-03", 4, []string{"2025-01-29 2025-03-03 2#1+everytime"}},
		{"every 4th run, day 3", plan(20, 2, 4), "2025-03-04", 4, []string{"2025-03-02 2025-03-04 everytime"}},
		{"longer than 4 is 4", plan(20, 2, 5), "2025-03-01", 4, []string{"2025-02-18 2025-03-01 2#0+everytime"}},
		{"short window", plan(14, 3, 2), "2025-03-01", 2, []string{"2025-02-21 2025-03-01 2#0+everytime"}},
		{"all in every run", plan(30, 4, 1), "2025-03-01", 1, []string{"2025-01-31 2025-03-01 everything"}},
		{"every time is the whole window", plan(30, 30, 2), "2025-03-01", 1, []string{"2025-01-31 2025-03-01 everything"}},
		{"every time is more than the window", plan(5, 9, 2), "2025-03-01", 1, []string{"2025-02-25 2025-03-01 everything"}},
		{"every time is at least 1", plan(1, 0, 2), "2025-03-01", 1, []string{"2025-03-01 2025-03-01 everything"}},
		{"no period, no search", plan(33, 4, 0), "2025-03-01", 1, nil},
		{"negative period, no search", plan(33, 4, -1), "2025-03-01", 1, nil},
		{"no days, no search", plan(0, 4, 2), "2025-03-01", 1, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, texts(c.plan.Ranges(day(t, c.today))))
			assert.Equal(t, c.period, c.plan.MaxPeriodUsed())
		})
	}
}

// The day is the one that the time shows where it is.
func TestRangesOfATimeOfDay(t *testing.T) {
	late := time.Date(2025, 3, 1, 23, 59, 0, 0, time.FixedZone("", -10*60*60))
	ranges := dates.DefaultPlan().Ranges(late)
	assert.Equal(t, []string{"2025-02-11 2025-03-01 2#0+everytime"}, texts(ranges))
	assert.Equal(t, day(t, "2025-03-01"), ranges[0].To)
}

// load is what a plan costs over a number of runs, a day each.
type load struct {
	Avg, Min, Max float64 // share of the window that is asked for, in percent
	Unchecked     int     // the longest that a day of the window goes without being asked for, in runs
}

func loadOf(p dates.Plan, start time.Time, runs int) load {
	l := load{Min: 100}
	waits := map[time.Time]int{}
	for run := range runs {
		today := start.AddDate(0, 0, run)
		ranges := p.Ranges(today)
		asked := 0
		for ago := range p.Days {
			d := today.AddDate(0, 0, -ago)
			if covered(ranges, d) {
				asked++
				waits[d] = 0
				continue
			}
			waits[d]++
			l.Unchecked = max(l.Unchecked, waits[d])
		}
		share := 100 * float64(asked) / float64(p.Days)
		l.Avg += share / float64(runs)
		l.Min, l.Max = min(l.Min, share), max(l.Max, share)
	}
	return l
}

func covered(ranges []dates.Range, d time.Time) bool {
	for _, r := range ranges {
		if !d.Before(r.From) && !d.After(r.To) {
			return true
		}
	}
	return false
}

func TestPlanKeepsItsPeriodAndSavesWork(t *testing.T) {
	for _, c := range []struct {
		plan dates.Plan
		want load
	}{
		{plan(33, 4, 2), load{59.1, 57.6, 60.6, 1}},
		{plan(33, 4, 3), load{50.5, 33.3, 66.7, 2}},
		{plan(33, 4, 4), load{47.7, 15.2, 60.6, 3}},
		{plan(60, 4, 4), load{43.3, 8.3, 55, 3}},
	} {
		t.Run(fmt.Sprint(c.plan), func(t *testing.T) {
			assertLoad(t, c.want, loadOf(c.plan, day(t, "2025-03-01"), 60))
		})
	}
}

func assertLoad(t *testing.T, want, got load) {
	t.Helper()
	assert.InDelta(t, want.Avg, got.Avg, 0.0501)
	assert.InDelta(t, want.Min, got.Min, 0.0501)
	assert.InDelta(t, want.Max, got.Max, 0.0501)
	assert.Equal(t, want.Unchecked, got.Unchecked)
}

// Whatever the plan, its ranges are in order and end today, no day of the window waits longer than the period, and each
// is looked at a last time within a period of leaving the window.
func FuzzRanges(f *testing.F) {
	f.Add(33, 4, 2, 0)
	f.Add(33, 4, 3, 1)
	f.Add(60, 7, 4, 2)
	f.Add(2, 1, 3, -800_000)
	f.Fuzz(func(t *testing.T, days, everyTime, maxPeriod, start int) {
		p := dates.Plan{Days: days % 100, EveryTime: everyTime, MaxPeriod: maxPeriod}
		first := day(t, "2025-03-01").AddDate(0, 0, start%1_000_000)
		ranges := p.Ranges(first)
		if p.Days <= 0 || maxPeriod <= 0 {
			require.Empty(t, ranges)
			return
		}
		require.NotEmpty(t, ranges)
		require.Equal(t, first, ranges[len(ranges)-1].To)
		for i, r := range ranges {
			require.False(t, r.To.Before(r.From), "%v", r)
			require.True(t, i == 0 || !r.From.Before(ranges[i-1].To), "%v", ranges)
		}
		require.Less(t, loadOf(p, first, 30).Unchecked, p.MaxPeriodUsed())

		newest := first // as it leaves the window
		asked := false
		for run := p.Days; run < p.Days+p.MaxPeriodUsed(); run++ {
			asked = asked || covered(p.Ranges(newest.AddDate(0, 0, run-1)), newest)
		}
		require.True(t, asked, "%v is not looked at again as it leaves the window", newest)
	})
}

func ExamplePlan_Ranges() {
	plan := dates.DefaultPlan()
	for _, today := range []time.Time{
		time.Date(2025, 3, 1, 0, 0, 0, 0, time.UTC),
		time.Date(2025, 3, 2, 0, 0, 0, 0, time.UTC),
	} {
		for _, r := range plan.Ranges(today) {
			fmt.Println(r.From.Format(time.DateOnly), "to", r.To.Format(time.DateOnly), r.Why)
		}
	}
	// Output:
	// 2025-02-11 to 2025-03-01 2#0+everytime
	// 2025-01-28 to 2025-02-12 2#1
	// 2025-02-26 to 2025-03-02 everytime
}
