package runlog

import (
	"math"
	"strconv"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// How times, durations and missing values stand in the tables.

// iso writes a time as the gem does: seconds, and the offset in figures.
func iso(t time.Time) string { return t.Format("2006-01-02T15:04:05-07:00") }

func parseTime(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}
	}
	return t
}

func parseDate(s string) time.Time {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return time.Time{}
	}
	return t
}

func dateOrNull(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.Format(time.DateOnly)
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// round1 is seconds with one decimal.
func round1(d time.Duration) float64 { return math.Round(d.Seconds()*10) / 10 }

func number(r scraperutils.Record, field string) float64 {
	n, err := strconv.ParseFloat(r.Text(field), 64)
	if err != nil {
		return 0
	}
	return n
}
