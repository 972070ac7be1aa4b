package site

import "time"

// Clock is what time it is for a visit.
type Clock struct {
	Now  time.Time      // the beginning of the run
	AsOf time.Time      // the day that the scrape is for, where that is not today; only its date counts, unless
	At   bool           // AsOf is a point in time, which is another day in another zone
	Zone *time.Location // whose date is the run's; nil is UTC
}

// In returns the date in a time zone, at midnight UTC.
func (c Clock) In(zone *time.Location) time.Time {
	switch {
	case c.AsOf.IsZero():
		return midnight(c.Now.In(zone))
	case c.At:
		return midnight(c.AsOf.In(zone))
	default:
		return midnight(c.AsOf)
	}
}

// Today returns the date in the clock's own zone, at midnight UTC.
func (c Clock) Today() time.Time {
	if c.Zone == nil {
		return c.In(time.UTC)
	}
	return c.In(c.Zone)
}

func midnight(day time.Time) time.Time {
	return time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, time.UTC)
}
