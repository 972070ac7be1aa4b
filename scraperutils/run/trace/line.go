package trace

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"
)

// Activity is what an operation is doing at a time.
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

// maxSegments is how many stretches of an operation are kept; the rest only count in its totals.
const maxSegments = 3000

// Line is the timeline of one operation. Its JSON has the totals in seconds.
type Line struct {
	Segments []Segment `json:"segments"`
	Totals   Totals    `json:"totals"`

	now   Activity // "" before it starts and when it has ended
	rule  string
	since time.Time
}

// Totals is the time of an operation by activity, and by rule for Polite ("polite: max_load").
type Totals map[string]time.Duration

// polite is what stands before the rule in the name of a total.
const polite = string(Polite) + ": "

// PoliteRule returns the rule of politeness that a total is of, and whether it is of one.
func PoliteRule(total string) (rule string, ok bool) { return strings.CutPrefix(total, polite) }

// Seconds returns the totals in seconds.
func (t Totals) Seconds() map[string]float64 {
	seconds := make(map[string]float64, len(t))
	for name, d := range t {
		seconds[name] = d.Seconds()
	}
	return seconds
}

// MarshalJSON writes seconds.
func (t Totals) MarshalJSON() ([]byte, error) { return json.Marshal(t.Seconds()) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (t *Totals) UnmarshalJSON(data []byte) error {
	var seconds map[string]float64
	if err := json.Unmarshal(data, &seconds); err != nil {
		return fmt.Errorf("read the totals of a timeline: %w", err)
	}
	*t = make(Totals, len(seconds))
	for name, s := range seconds {
		(*t)[name] = time.Duration(math.Round(s * float64(time.Second)))
	}
	return nil
}

func (l *Line) add(s Segment) {
	took := s.To - s.From
	if s.Activity == "" || took <= 0 {
		return
	}
	l.Totals[string(s.Activity)] += took
	if s.Activity == Polite {
		l.Totals[polite+s.Rule] += took
	}
	last := len(l.Segments) - 1
	switch {
	case last >= 0 && l.Segments[last].Activity == s.Activity && l.Segments[last].Rule == s.Rule && l.Segments[last].To == s.From:
		l.Segments[last].To = s.To
	case len(l.Segments) < maxSegments:
		l.Segments = append(l.Segments, s)
	}
}
