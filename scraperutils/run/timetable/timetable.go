package timetable

import (
	"fmt"
	"strings"
	"time"

	cron "github.com/netresearch/go-cron"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Timetable is the times of a line of cron in a time zone. The zero value has none.
type Timetable struct {
	line string
	zone *time.Location
	spec cron.Schedule
}

// Accepted is what Parse takes, as an error says it after "expected".
const Accepted = "five fields as cron has them (minute hour day month weekday), such as 17 1 * * *, or one of @hourly, @daily, @weekly, @monthly"

// fields are those of cron, where a day that both fields name need only be one of the two.
const fields = cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.DowOrDom | cron.Descriptor

// Parse reads a line of cron: five fields, or a word such as @daily. Its times are those of the zone's clocks; nil is UTC. Times that
// an hour of summer time skips come right after it, and those of an hour that comes twice come once. The error is a
// *scraperutils.ConfigError.
func Parse(line string, zone *time.Location) (Timetable, error) {
	if zone == nil {
		zone = time.UTC
	}
	line = strings.Join(strings.Fields(line), " ")
	refused := &scraperutils.ConfigError{Name: "schedule", Value: line, Accepted: Accepted}
	if strings.Contains(line, "=") || strings.HasPrefix(line, "@every") { // a zone of its own; seconds, which depend on the start
		return Timetable{}, refused
	}
	spec, err := cron.MustNewParser(fields).Parse(line)
	if err != nil {
		return Timetable{}, refused
	}
	t := Timetable{line: line, zone: zone, spec: spec}
	if t.Next(time.Now()).IsZero() {
		return Timetable{}, fmt.Errorf("schedule %q: that day never comes", line)
	}
	return t, nil
}

// Next returns the first time after another. It is zero for the zero Timetable.
func (t Timetable) Next(after time.Time) time.Time {
	if t.spec == nil {
		return time.Time{}
	}
	return t.spec.Next(after.In(t.zone))
}

// String returns the line with its zone.
func (t Timetable) String() string {
	if t.spec == nil {
		return ""
	}
	return t.line + " " + t.zone.String()
}
