package runlog

import (
	"strings"
	"time"
)

// Span selects runs by when they began. The zero value selects all.
type Span struct {
	From time.Time // the earliest; zero: there is none
	To   time.Time // the latest; zero: there is none
}

// Until returns the span of a report: the KeepDays before a time, and all that is later.
func Until(at time.Time) Span { return Span{From: at.AddDate(0, 0, -KeepDays)} }

// holds reports whether a run that began at a time is selected.
func (s Span) holds(at time.Time) bool {
	return !at.Before(s.From) && (s.To.IsZero() || !at.After(s.To))
}

// longest is how many days after a run began it may still have written rows.
const longest = 3

// clause returns what selects the rows that may belong to runs of a span, and to an authority unless label is "". Times stand as text, in
// the zone where they were written, so there is a day to spare at both ends.
func (s Span) clause(column, label string) (text string, args []any) {
	var terms []string
	add := func(term string, arg any) { terms, args = append(terms, term), append(args, arg) }
	if label != "" {
		add(labelColumn+" = ?", label)
	}
	if !s.From.IsZero() {
		add(column+" >= ?", s.From.AddDate(0, 0, -1).Format(time.DateOnly))
	}
	if !s.To.IsZero() {
		add(column+" < ?", s.To.AddDate(0, 0, longest+1).Format(time.DateOnly))
	}
	if len(terms) == 0 {
		return "", nil
	}
	return "WHERE " + strings.Join(terms, " AND "), args
}
