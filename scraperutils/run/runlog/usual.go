package runlog

import "time"

// usualOn returns how many records each authority that ran usually gives on a day, of those of which that is known.
func (s *season) usualOn(on time.Time, ran map[string]entry) map[string]int {
	usual := map[string]int{}
	for label := range ran {
		if r := s.rough[label]; r != nil && r.usual[on.Weekday()].known && r.judges(on) && !s.isQuiet(on) {
			usual[label] = r.usual[on.Weekday()].records
		}
	}
	return usual
}

// Usual returns how many records each authority of the run usually gives on such a day. It leaves out authorities of which that is not
// known yet, and is empty before Doubt, on holidays, and for runs that are not held against the past.
func (l *Log) Usual() map[string]int { return l.usual }

// Before returns the history of an authority as it was before the run that Save began. It is empty where there is none of runs of that
// kind: what the real site did says nothing about a built-in one.
func (l *Log) Before(authority string) History {
	h := l.known[authority]
	if e, ended := l.ended[authority]; ended {
		h = e.before
	}
	if known := h.Source; known != l.run.kind() && (known != "" || l.run.kind() != FromNetwork) {
		return History{}
	}
	return h
}
