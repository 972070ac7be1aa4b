package runlog

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// A scrape that ends well may still have missed nearly everything: a page that shows only its first rows, a column that has
// moved. What came is held against the authority's own past:
//
//	Yield of each run ─▶ authority_yield ─▶ rhythm: how much is usual on such a day ─┬▶ doubts of one authority
//	                                    └─▶ grouped: how many of a field are filled ─┘
//	all yields of a day ─▶ season: where most give few, it is a holiday

// Least is what an authority's row in the registry says of the least that is plausible. Where it says something, the
// authority's past is not asked.
type Least struct {
	Records *int               // in a run; nil: nothing is said; 0: any number is plausible
	Filled  map[string]float64 // percent of the records in which a field holds something; 0: any share is plausible
}

// season is what is known of all authorities, up to a day.
type season struct {
	today time.Time
	past  map[string][]pastYield // before this run, today's earlier ones too
	now   map[string]Yield       // of this run
	rough map[string]*rhythm     // which knows of no holidays
	quiet map[time.Time]bool     // days that were asked for
}

func newSeason(past map[string][]pastYield, now map[string]Yield, today time.Time) *season {
	s := &season{today: today, past: map[string][]pastYield{}, now: now, rough: map[string]*rhythm{}, quiet: map[time.Time]bool{}}
	for label, all := range past {
		s.past[label] = accustomed(all)
		s.rough[label] = newRhythm(s.before(label), func(time.Time) bool { return false })
	}
	return s
}

// accustomed takes what has been doubted on twelve days of four weeks for what is usual since, and forgets what was before.
func accustomed(past []pastYield) []pastYield {
	for i, y := range past {
		if !y.doubted {
			continue
		}
		end := i
		for end < len(past) && past[end].day.Before(y.day.AddDate(0, 0, 28)) {
			end++
		}
		doubted := 0
		for _, d := range byDay(past[i:end]) {
			if d.doubted {
				doubted++
			}
		}
		if doubted >= 12 {
			since := slices.Clone(past[i:])
			for i := range since {
				since[i].doubted = false
			}
			return since
		}
	}
	return past
}

// before returns what an authority gave on days before today.
func (s *season) before(label string) []pastYield {
	all := s.past[label]
	for len(all) > 0 && !all[len(all)-1].day.Before(s.today) {
		all = all[:len(all)-1]
	}
	return all
}

// isQuiet reports whether most of the authorities that should have given records on a day gave few. Of fewer than five of
// them that says nothing.
func (s *season) isQuiet(on time.Time) bool {
	quiet, known := s.quiet[on]
	if known {
		return quiet
	}
	asked, gaveFew := 0, 0
	for label, r := range s.rough {
		records, ran := s.gave(label, on)
		if ran && r.expects(on) {
			asked++
			if r.isFew(on, records, few) {
				gaveFew++
			}
		}
	}
	s.quiet[on] = asked >= 5 && 2*gaveFew >= asked
	return s.quiet[on]
}

// gave is the most that an authority gave on a day, and whether it ran.
func (s *season) gave(label string, on time.Time) (records int, ran bool) {
	if y, ok := s.now[label]; ok && on.Equal(s.today) {
		records, ran = y.Records, true
	}
	for _, y := range s.past[label] {
		if y.day.Equal(on) {
			records, ran = max(records, y.Records), true
		}
	}
	return records, ran
}

// doubts returns what speaks against what an authority gave in this run; nothing: it is plausible.
func (s *season) doubts(label string, least Least) (remarks []string) {
	now := s.now[label]
	if remark := s.doubtRecords(label, now.Records, least.Records); remark != "" {
		remarks = append(remarks, remark)
	}
	for _, name := range slices.Sorted(maps.Keys(least.Filled)) {
		if percents := least.Filled[name]; now.Records > 0 && 100*now.filled(name) < percents {
			remarks = append(remarks, fmt.Sprintf("%s filled in %s, at least %g%% expected", name, percent(now.filled(name)), percents))
		}
	}
	missing := emptied(now, s.past[label], len(remarks) > 0)
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		if _, said := least.Filled[name]; !said {
			remarks = append(remarks, missing[name])
		}
	}
	return remarks
}

func (s *season) doubtRecords(label string, records int, least *int) string {
	count := scraperutils.Count(records, "record")
	if least != nil {
		if records >= *least {
			return ""
		}
		return fmt.Sprintf("%s, at least %d expected", count, *least)
	}
	earlier := 0
	for _, y := range s.past[label] {
		if y.day.Equal(s.today) && !y.doubted {
			earlier = max(earlier, y.Records)
		}
	}
	if earlier >= 10 && little*records < earlier {
		return fmt.Sprintf("%s, %d earlier on the same day", count, earlier)
	}
	r := newRhythm(s.before(label), s.isQuiet)
	usual := scraperutils.Digits(max(1, r.usual[s.today.Weekday()].records))
	if r.fellSuddenly(s.today, records) {
		return fmt.Sprintf("%s, usually %s", count, usual)
	}
	if n, tooMany := r.misses(s.today, records); n >= tooMany {
		return fmt.Sprintf("%s, usually %s (so few %d times running)", count, usual, n)
	}
	return ""
}

// learns reports whether what authorities give in the run that goes on is kept, and held against the past. A replay and a run
// as of another day are not: what a list says of a day long gone is no measure of what it says today. Built-in sites are held
// against themselves, whatever the day.
func (l *Log) learns() bool {
	return l.run.Source == FromFixtures || l.run.Source == FromNetwork && !l.run.AsOf
}

func (l *Log) saveYield(e entry) error {
	if !l.learns() {
		return nil
	}
	return l.yields.save(pastYield{
		Yield: e.outcome.Yield, authority: e.outcome.Authority, source: l.run.Source,
		day: l.today, at: e.at, doubted: e.outcome.Verdict == Implausible,
	})
}

// Doubt holds what the authorities of a run gave against their past, once all have ended: only then is it known whether the
// day is a holiday. It returns the outcomes that are implausible, by authority, and writes their rows again. least names
// authorities of whose least something is said.
func (l *Log) Doubt(ctx context.Context, least map[string]Least) (map[string]Outcome, error) {
	if !l.learns() {
		return nil, nil
	}
	past, err := readYields(ctx, l.database, l.run.Source, l.today)
	if err != nil {
		return nil, err
	}
	now := map[string]Yield{}
	for label, e := range l.ended {
		past[label] = slices.DeleteFunc(past[label], func(y pastYield) bool { return !y.at.Before(l.run.At) })
		if v := e.outcome.Verdict; v == OK || v == Empty {
			now[label] = e.outcome.Yield
		}
	}
	s, doubted := newSeason(past, now, l.today), map[string]Outcome{}
	l.usual = s.usualOn(l.today, l.ended)
	var problem error
	for label := range now {
		why := s.doubts(label, least[label])
		if len(why) == 0 {
			continue
		}
		e := l.ended[label]
		e.outcome = e.outcome.doubted(why)
		e.merged = e.outcome
		l.ended[label], doubted[label] = e, e.outcome
		problem = errors.Join(problem, l.saveOutcome(e), l.saveYield(e), l.remember(e))
	}
	return doubted, problem
}
