package runlog

import (
	"math"
	"slices"
	"time"
)

// What it takes to know an authority.
const (
	learnDays  = 7  // days with a run, Saturday and Sunday among them, before one that gives every day is known
	learnFresh = 4  // of them with other records than the day before: what lists the same for weeks says nothing new
	learnTimes = 20 // days on which records are expected, before misses in a row mean anything
	learnSame  = 3  // of the same weekday, before one that keeps to weekdays is known
	few        = 10 // fewer than one in so many of the usual is few
	little     = 4  // and one in so many, of one that hardly changes from one run to the next
	enough     = 3  // records that are usual before none is few: of one or two a day there are days without
	plenty     = 8  // records that are usual before three misses are many
	startOf    = 7  // days at the start of a month in which a list of "this month" is short
)

// rhythm is how many records an authority gives on which days. It does not change after it was made.
type rhythm struct {
	days  []dayYield // all, oldest first
	base  []dayYield // of which it is learnt: none that was doubted, none on a holiday
	every bool       // it gives much the same on all days of the week
	usual [7]usual   // by day of the week
	// Whether its list begins anew with each month, and whether that is known: a month began in base.
	resets, turned bool
	quiet          func(day time.Time) bool // holidays
}

// usual is how many records an authority usually gives on a day of the week.
type usual struct {
	records int
	known   bool
}

// dayYield is the most that an authority gave on a day.
type dayYield struct {
	day     time.Time
	records int
	fresh   bool // other records than the day before
	doubted bool
}

// newRhythm learns from past yields before a day. quiet names days on which few give anything.
func newRhythm(past []pastYield, quiet func(day time.Time) bool) *rhythm {
	r := &rhythm{days: byDay(past), quiet: quiet}
	for _, d := range r.days {
		if !d.doubted && !closed(d.day) && !quiet(d.day) {
			r.base = append(r.base, d)
		}
	}
	r.resets, r.turned = turns(r.base)
	if r.resets {
		r.base = slices.DeleteFunc(r.base, func(d dayYield) bool { return d.day.Day() <= startOf })
	}
	r.every = givesEveryDay(r.base)
	r.learnUsual()
	return r
}

// byDay joins the runs of a day; those that were not doubted count.
func byDay(past []pastYield) (days []dayYield) {
	var mark, before uint64
	for i, y := range past {
		if i == 0 || !y.day.Equal(past[i-1].day) {
			before = mark
			days = append(days, dayYield{day: y.day, records: -1, doubted: true})
		}
		d := &days[len(days)-1]
		if y.doubted == d.doubted && y.Records > d.records || !y.doubted && d.doubted {
			d.records, d.doubted, d.fresh, mark = y.Records, y.doubted, y.Records > 0 && y.Mark != before, y.Mark
		}
	}
	return days
}

// closed reports whether offices are closed for longer than a long weekend, or have been, so that lists that go back some weeks
// are short: around Christmas and at Easter. (The fixed dates are those of a southern summer, whose holidays last through January.)
func closed(day time.Time) bool {
	fromEaster := day.Sub(easter(day.Year())).Hours() / 24
	return day.Month() == time.December && day.Day() >= 20 || day.Month() == time.January ||
		day.Month() == time.February && day.Day() <= 5 || fromEaster >= -2 && fromEaster <= 6
}

// easter returns Easter Sunday (the anonymous Gregorian algorithm).
func easter(year int) time.Time {
	a, b, c := year%19, year/100, year%100
	h := (19*a + b - b/4 - (b-(b+8)/25+1)/3 + 15) % 30
	l := (32 + 2*(b%4) + 2*(c/4) - h - c%4) % 7
	m := (a + 11*h + 22*l) / 451
	n := h + l - 7*m + 114
	return time.Date(year, time.Month(n/31), n%31+1, 0, 0, 0, 0, time.UTC)
}

// turns reports whether a list gets short when a month begins, and whether it has been seen at that time.
func turns(days []dayYield) (resets, seen bool) {
	for i, d := range days {
		if i == 0 || d.day.Month() == days[i-1].day.Month() || d.day.Sub(days[i-1].day) > startOf*day {
			continue
		}
		before, after, n := 0, 0, 0
		for _, e := range days {
			switch apart := e.day.Sub(d.day); {
			case apart < 0 && apart >= -startOf*day:
				before = max(before, e.records)
			case apart >= 0 && apart < 3*day:
				after = max(after, e.records)
				n++
			}
		}
		seen = seen || n >= 2
		resets = resets || n >= 2 && 2*after < before
	}
	return resets, seen
}

func givesEveryDay(days []dayYield) bool {
	if len(days) < learnDays {
		return false
	}
	usual, weekday := medianOf(days), map[time.Weekday]bool{}
	for _, d := range days {
		weekday[d.day.Weekday()] = true
		if little*d.records < usual {
			return false
		}
	}
	return usual > 0 && weekday[time.Saturday] && weekday[time.Sunday]
}

func (r *rhythm) learnUsual() {
	var same [7][]dayYield
	for _, d := range r.base {
		same[d.day.Weekday()] = append(same[d.day.Weekday()], d)
	}
	for w := range same {
		r.usual[w] = usual{medianOf(same[w]), len(same[w]) >= learnSame}
		if r.every {
			r.usual[w] = usual{medianOf(r.base), true}
		}
	}
}

// expects reports whether an authority should give records on a day.
func (r *rhythm) expects(on time.Time) bool {
	u := r.usual[on.Weekday()]
	return u.known && u.records >= enough && r.judges(on)
}

// judges reports whether the number of records means anything on a day.
func (r *rhythm) judges(on time.Time) bool {
	return !closed(on) && !r.quiet(on) && (on.Day() > startOf || r.turned && !r.resets)
}

// isFew reports whether a number of records is fewer than one in so many of the usual, on a day on which some are expected.
func (r *rhythm) isFew(on time.Time, records, oneIn int) bool {
	usual := float64(r.usual[on.Weekday()].records)
	if r.resets { // it grows with the month
		usual *= min(1, float64(on.Day()-1)/20)
	}
	return r.expects(on) && float64(oneIn*records) < usual
}

// fellSuddenly reports whether an authority that has never fallen by more than a third from one run to the next gives few at once.
// Its list goes back over days or weeks, or its people work every day: no holiday explains it.
func (r *rhythm) fellSuddenly(on time.Time, records int) bool {
	if !r.every || !r.judges(on) || !r.alive() {
		return false
	}
	for i := 1; i < len(r.base); i++ {
		if apart := r.base[i].day.Sub(r.base[i-1].day); apart <= 3*day && 3*r.base[i].records < 2*r.base[i-1].records {
			return false
		}
	}
	last := r.base[len(r.base)-1]
	return on.Sub(last.day) <= learnDays*day && (!r.resets || last.day.Month() == on.Month()) &&
		last.records >= 10 && little*records < last.records && r.isFew(on, records, little)
}

// alive reports whether a list changes often enough for all of it not to leave at once, as that of a single day's entries does
// after some weeks. A hundred were not entered on a single day.
func (r *rhythm) alive() bool {
	fresh := freshOf(r.base)
	return fresh >= learnFresh && 2*fresh >= len(r.base) || medianOf(r.base) >= 100
}

// misses is how many times running an authority has given few where some were expected, a day on which it did among them, and
// how many are too many: more than it has ever missed, than chance explains, and than it has ever listed nothing new.
func (r *rhythm) misses(on time.Time, records int) (n, tooMany int) {
	if !r.isFew(on, records, few) {
		return 0, math.MaxInt
	}
	n = 1
	began := on
	for _, d := range slices.Backward(r.days) {
		if !r.expects(d.day) {
			continue
		}
		if !r.isFew(d.day, d.records, few) {
			break
		}
		n, began = n+1, d.day
	}
	var times, missed, row, longest, stale, stalest int
	for _, d := range r.base {
		if !d.day.Before(began) || !r.expects(d.day) {
			continue
		}
		times, row, stale = times+1, row+1, stale+1
		if d.fresh {
			stale = 0
		}
		if r.isFew(d.day, d.records, few) {
			missed++
		} else {
			row = 0
		}
		longest, stalest = max(longest, row), max(stalest, stale)
	}
	if times < learnTimes || 3*freshOf(r.base) < 2*times { // one that enters something now and then may pause: its silence is judged by days
		return n, math.MaxInt
	}
	atLeast := 3
	if r.usual[on.Weekday()].records < plenty {
		atLeast = 6
	}
	return n, max(atLeast, 2*longest+1, stalest, byChance(times, missed))
}

// byChance is how many misses in a row chance alone gives less than once in years, of one that has missed so many times.
func byChance(times, missed int) int {
	p, once := (float64(missed)+0.5)/float64(times+1), 5e-5
	if p > 0.05 { // it is known to miss, so there will be many such days
		once = 1e-7
	}
	return int(math.Ceil(math.Log(once) / math.Log(min(p, 0.99))))
}

func freshOf(days []dayYield) (n int) {
	for _, d := range days {
		if d.fresh {
			n++
		}
	}
	return n
}

func medianOf(days []dayYield) int {
	if len(days) == 0 {
		return 0
	}
	counts := make([]int, len(days))
	for i, d := range days {
		counts[i] = d.records
	}
	slices.Sort(counts)
	return counts[len(counts)/2]
}
