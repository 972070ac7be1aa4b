package dates

import "time"

// julianEpoch is the Julian day number of 1970-01-01.
const julianEpoch = 2_440_588

// Today returns the date in a time zone at a point in time, as midnight UTC.
func Today(now time.Time, zone *time.Location) time.Time { return dayOf(now.In(zone)) }

// dayOf returns the date that a time shows in its own zone, as midnight UTC.
func dayOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

// julian returns the Julian day number of the date that a time shows in its own zone.
func julian(t time.Time) int {
	const daySeconds = 24 * 60 * 60
	return int(dayOf(t).Unix()/daySeconds) + julianEpoch
}
