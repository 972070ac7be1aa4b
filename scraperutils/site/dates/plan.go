package dates

import "time"

// Range is a stretch of days to search, both ends included. From and To are midnight UTC.
type Range struct {
	From, To time.Time
	Why      string // which bands it covers, such as "2#0+everytime": for people and logs
}

// Plan says how far back a search goes and how often each day is asked for.
type Plan struct {
	Days      int // how many days back from today the window reaches; 0 or less: nothing is searched
	EveryTime int // how many of them are asked for in every run; at least 1
	MaxPeriod int // each day is asked for at least every so many runs: 1 to 4, more counts as 4; 0 or less: nothing is searched
}

// DefaultPlan is 33 days, the last 4 in every run, each of the others in every 2nd.
func DefaultPlan() Plan { return Plan{Days: 33, EveryTime: 4, MaxPeriod: 2} }

// longestPeriod is the longest one that has a rota.
const longestPeriod = 4

// maxPeriodUsed returns the period that Ranges keeps: MaxPeriod within 1 to 4, or 1 where there is nothing to take turns.
func (p Plan) maxPeriodUsed() int {
	if p.Days <= 0 || p.Days <= p.everyTime() {
		return 1
	}
	return min(max(p.MaxPeriod, 1), longestPeriod)
}

func (p Plan) everyTime() int { return max(p.EveryTime, 1) }

// Ranges returns what to search on the day that today shows in its own zone, oldest first; none: nothing is searched.
func (p Plan) Ranges(today time.Time) []Range {
	if p.Days <= 0 || p.MaxPeriod <= 0 {
		return nil
	}
	rota := p.rota()
	day := dayOf(today)
	var ranges []Range
	for _, b := range rota[mod(julian(day), len(rota))] {
		ranges = append(ranges, Range{From: day.AddDate(0, 0, -b.from), To: day.AddDate(0, 0, -b.to), Why: b.why})
	}
	return ranges
}

// band is a stretch of days, counted back from today.
type band struct {
	from, to int
	why      string
}

// rota returns the bands to search, one list for each day of the round.
func (p Plan) rota() [][]band {
	every := p.everyTime()
	always := band{every, 0, "everytime"}
	older := p.Days - every // the days that take turns
	half := every + older/2
	switch p.maxPeriodUsed() {
	case 1:
		return [][]band{{{p.Days - 1, 0, "everything"}}}
	case 2:
		return [][]band{
			{{half, 0, "2#0+everytime"}},
			{{p.Days, half, "2#1"}, always},
		}
	case 3:
		third := every + older/3
		part := 2 * older / 9
		end, first, second := p.Days+1, p.Days-part, p.Days-2*part // where the three older parts begin
		return [][]band{
			{{end, first, "3#0"}, {third, 0, "2#0+everytime"}},
			{{first, second, "3#1"}, always},
			{{second, 0, "3#2+2#0+everytime"}},
			{{end, first, "3#3"}, always},
			{{first, second, "3#4"}, {third, 0, "2#2+everytime"}},
			{{second, third, "3#5"}, always},
		}
	default:
		return [][]band{
			{{half, 0, "2#0+everytime"}},
			{{p.Days + 2, half, "4#0"}, always},
			{{half, 0, "2#1+everytime"}},
			{always},
		}
	}
}
