package trace

import (
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Timeline collects what each operation of a run is doing. It belongs to one goroutine, the one that tells the events.
type Timeline struct {
	began time.Time
	lines map[string]*Line // by label
}

// New returns an empty timeline of a run that begins now.
func New(began time.Time) *Timeline {
	return &Timeline{began: began, lines: map[string]*Line{}}
}

// Line returns the timeline of an operation, or nil where no event was of it.
func (t *Timeline) Line(label string) *Line { return t.lines[label] }

// Observe takes an event of the schedule loop.
func (t *Timeline) Observe(e scraperutils.Event) {
	switch e.Kind {
	case scraperutils.EventStarted, scraperutils.EventResumed:
		t.turn(e, Reading, "")
	case scraperutils.EventWaiting:
		if e.Wait.Until.After(e.Time) {
			t.turn(e, Polite, e.Wait.Rule)
		} else {
			t.turn(e, Queued, e.Wait.Rule)
		}
	case scraperutils.EventSent:
		t.turn(e, Server, "")
	case scraperutils.EventAnswered:
		t.turn(e, Queued, "turn") // until it runs, or is tried again
	case scraperutils.EventEnded, scraperutils.EventLeft:
		t.turn(e, "", "")
	}
}

// turn ends what an operation was doing and begins the next.
func (t *Timeline) turn(e scraperutils.Event, next Activity, rule string) {
	l := t.lines[e.Label]
	if l == nil {
		l = &Line{Totals: Totals{}}
		t.lines[e.Label] = l
	}
	l.add(Segment{Activity: l.now, From: l.since.Sub(t.began), To: e.Time.Sub(t.began), Rule: l.rule})
	l.now, l.rule, l.since = next, rule, e.Time
}
