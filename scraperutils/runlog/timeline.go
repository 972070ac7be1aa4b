package runlog

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Activity is what an authority is doing at a time.
type Activity string

// The activities.
const (
	Reading Activity = "reading" // its scraper runs
	Polite  Activity = "polite"  // its request waits because its host must rest
	Queued  Activity = "queued"  // it waits for others: another request to its host, a slot, a turn, a commit
	Server  Activity = "server"  // its host is answering
)

// Segment is one stretch of one activity, in time since the run began.
type Segment struct {
	Activity Activity
	From, To time.Duration
	Rule     string // of Polite and Queued
}

// MarshalJSON writes ["polite",1200,1900,"max_load"], times in milliseconds.
func (s Segment) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{s.Activity, s.From.Milliseconds(), s.To.Milliseconds(), s.Rule})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (s *Segment) UnmarshalJSON(data []byte) error {
	var from, to int64
	if err := json.Unmarshal(data, &[]any{&s.Activity, &from, &to, &s.Rule}); err != nil {
		return fmt.Errorf("read a stretch of a timeline: %w", err)
	}
	s.From, s.To = time.Duration(from)*time.Millisecond, time.Duration(to)*time.Millisecond
	return nil
}

// maxSegments is how many stretches of an authority are kept; the rest only count in its totals.
const maxSegments = 3000

// Timeline collects what each authority of a run is doing. It belongs to one goroutine, the one that tells the events.
type Timeline struct {
	began time.Time
	lines map[string]*Line
}

// Line is the timeline of one authority.
type Line struct {
	Segments []Segment
	Totals   map[string]time.Duration // by activity, and by rule for Polite ("polite: max_load")

	now   Activity // "" before it starts and when it has ended
	rule  string
	since time.Time
}

// NewTimeline returns an empty timeline of a run that begins now.
func NewTimeline(began time.Time) *Timeline {
	return &Timeline{began: began, lines: map[string]*Line{}}
}

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

// turn ends what an authority was doing and begins the next.
func (t *Timeline) turn(e scraperutils.Event, next Activity, rule string) {
	l := t.lines[e.Label]
	if l == nil {
		l = &Line{Totals: map[string]time.Duration{}}
		t.lines[e.Label] = l
	}
	l.add(Segment{Activity: l.now, From: l.since.Sub(t.began), To: e.Time.Sub(t.began), Rule: l.rule})
	l.now, l.rule, l.since = next, rule, e.Time
}

func (l *Line) add(s Segment) {
	took := s.To - s.From
	if s.Activity == "" || took <= 0 {
		return
	}
	l.Totals[string(s.Activity)] += took
	if s.Activity == Polite {
		l.Totals[string(Polite)+": "+s.Rule] += took
	}
	last := len(l.Segments) - 1
	switch {
	case last >= 0 && l.Segments[last].Activity == s.Activity && l.Segments[last].Rule == s.Rule && l.Segments[last].To == s.From:
		l.Segments[last].To = s.To
	case len(l.Segments) < maxSegments:
		l.Segments = append(l.Segments, s)
	}
}

// Line returns the timeline of an authority, or nil.
func (t *Timeline) Line(authority string) *Line { return t.lines[authority] }
