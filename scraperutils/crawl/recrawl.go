package crawl

import "time"

// Levels of recrawling: at level n the next visit comes 90 minutes times 2 to the power of n-1 after one, which is from 90 minutes to 32
// days.
const (
	firstLevel = 5 // of a page that was visited once: a day
	lastLevel  = 10
	shortest   = 90 * time.Minute
)

// LevelInterval returns how long a page of a level waits for its next visit. An invalid level counts as the nearest valid one.
func LevelInterval(level int) time.Duration {
	return shortest << (min(max(level, 1), lastLevel) - 1)
}

// planned is the fate of a URL that is visited again and again: the next visit comes later where the page was as before, earlier where it
// was not. One that was there before and can't be had now is tried again when it would be visited again.
func (r Rules) planned(o Outcome, f Fate) Fate {
	switch {
	case f.State == StateDone:
		f.State, f.Level = StateReady, nextLevel(o.Item, f.Unchanged)
		f.Due = o.Ended.Add(r.pause(f.Level))
	case f.State == StateFailed && f.Tried && o.Item.Visits > 0:
		f.State, f.Again = StateRetry, true
		f.Due = o.Ended.Add(r.pause(max(o.Item.Level, firstLevel)))
	}
	return f
}

func (r Rules) pause(level int) time.Duration {
	if r.Every > 0 {
		return r.Every
	}
	return LevelInterval(level)
}

func nextLevel(i Item, unchanged bool) int {
	switch {
	case i.Level == 0:
		return firstLevel
	case unchanged:
		return min(i.Level+1, lastLevel)
	}
	return max(i.Level-2, 1) // it may have changed more than once
}
