package timetable_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/timetable"
)

func at(t testing.TB, zone, text string) time.Time {
	t.Helper()
	place, err := time.LoadLocation(zone)
	require.NoError(t, err)
	got, err := time.ParseInLocation("2006-01-02 15:04:05", text, place)
	require.NoError(t, err)
	return got
}

func TestNext(t *testing.T) {
	const sydney = "Australia/Sydney"
	for name, c := range map[string]struct{ line, zone, after, want string }{
		"every night":                     {"17 1 * * *", "UTC", "2026-11-22 01:17:00", "2026-11-23 01:17:00"},
		"the same night":                  {"17 1 * * *", "UTC", "2026-11-22 01:16:59", "2026-11-22 01:17:00"},
		"weekdays":                        {"0 6 * * 1-5", sydney, "2026-11-20 06:00:00", "2026-11-23 06:00:00"},
		"a word":                          {"@daily", sydney, "2026-11-22 09:00:00", "2026-11-23 00:00:00"},
		"twice a day, with more spaces":   {"0   4,16 * * *", "UTC", "2026-11-22 05:00:00", "2026-11-22 16:00:00"},
		"a leap day":                      {"0 0 29 2 *", "UTC", "2026-03-01 00:00:00", "2028-02-29 00:00:00"},
		"an hour that summer time skips":  {"30 2 * * *", sydney, "2026-10-03 03:00:00", "2026-10-04 03:30:00"},
		"an hour that comes twice":        {"30 2 * * *", sydney, "2026-04-04 03:00:00", "2026-04-05 02:30:00"},
		"after an hour that comes twice":  {"30 2 * * *", sydney, "2026-04-05 03:00:00", "2026-04-06 02:30:00"},
		"day of the month or of the week": {"0 0 1 * 0", "UTC", "2026-11-02 00:00:00", "2026-11-08 00:00:00"},
	} {
		t.Run(name, func(t *testing.T) {
			after := at(t, c.zone, c.after)
			table, err := timetable.Parse(c.line, after.Location())
			require.NoError(t, err)
			assert.Equal(t, c.want, table.Next(after).Format("2006-01-02 15:04:05"))
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for _, line := range []string{"", "1", "17 1 * *", "17 1 * * * *", "60 1 * * *", "17 25 * * *", "nightly", "@every 1s", "TZ=UTC 1 1 * * *", "CRON_TZ=", "\x00", "* * * * *; rm"} {
		t.Run(line, func(t *testing.T) {
			_, err := timetable.Parse(line, nil)
			var config *scraperutils.ConfigError
			require.ErrorAs(t, err, &config)
			assert.Contains(t, err.Error(), "17 1 * * *")
		})
	}
	_, err := timetable.Parse("0 0 30 2 *", nil)
	assert.ErrorContains(t, err, "never comes")
}

func FuzzParse(f *testing.F) {
	for _, line := range []string{"17 1 * * *", "@daily", "*/5 * * * *", "0 0 30 2 *", "TZ=x", "1-0 * * * *", "*/0 * * * *"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		table, err := timetable.Parse(line, time.UTC)
		if err != nil {
			return
		}
		now := time.Now()
		if next := table.Next(now); !next.After(now) {
			t.Fatalf("%q: %s after %s", line, next, now)
		}
	})
}

// begun are the times at which a keeper began runs, until an end, when each takes so long.
func begun(t *testing.T, k timetable.Keeper, end, each time.Duration) (times []string) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), end, errors.New("the test is over"))
	defer cancel()
	running := 0
	k.Run = func(ctx context.Context, _ time.Time) {
		running++
		assert.Equal(t, 1, running, "one at a time")
		times = append(times, time.Now().UTC().Format("02 15:04"))
		select {
		case <-time.After(each):
		case <-ctx.Done():
		}
		running--
	}
	k.Keep(ctx)
	return times
}

// A bubble begins at midnight of 2000-01-01, UTC.
func TestKeep(t *testing.T) {
	nightly, err := timetable.Parse("17 1 * * *", nil)
	require.NoError(t, err)
	hourly, err := timetable.Parse("@hourly", nil)
	require.NoError(t, err)
	start := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		keeper    timetable.Keeper
		end, each time.Duration
		want      []string
	}{
		"every night":                     {timetable.Keeper{Table: nightly}, 72 * time.Hour, time.Hour, []string{"01 01:17", "02 01:17", "03 01:17"}},
		"no run before is made up":        {timetable.Keeper{Table: nightly}, time.Hour, time.Hour, nil},
		"three nights missed, made up":    {timetable.Keeper{Table: nightly, Last: start.Add(-72 * time.Hour)}, 2 * time.Hour, 10 * time.Minute, []string{"01 00:00", "01 01:17"}},
		"none missed":                     {timetable.Keeper{Table: nightly, Last: start.Add(-22 * time.Hour)}, 2 * time.Hour, time.Minute, []string{"01 01:17"}},
		"a run that takes longer than it": {timetable.Keeper{Table: hourly}, 4*time.Hour + 30*time.Minute, 90 * time.Minute, []string{"01 01:00", "01 03:00"}},
		"no timetable":                    {timetable.Keeper{}, time.Hour, time.Minute, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { assert.Equal(t, c.want, begun(t, c.keeper, c.end, c.each)) })
		})
	}
}

// Jitter spreads the beginnings over its time, and none is early.
func TestJitter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table, err := timetable.Parse("@daily", nil)
		require.NoError(t, err)
		times := begun(t, timetable.Keeper{Table: table, Jitter: 2 * time.Hour}, 100*24*time.Hour, time.Minute)
		hours := map[string]int{}
		for _, text := range times {
			hours[text[3:5]]++
		}
		assert.Len(t, hours, 2, "%v", hours)
		assert.Greater(t, hours["00"], 20)
		assert.Greater(t, hours["01"], 20)
	})
}

func ExampleTimetable_Next() {
	sydney, err := time.LoadLocation("Australia/Sydney")
	if err != nil {
		panic(err)
	}
	table, err := timetable.Parse("17 1 * * *", sydney)
	if err != nil {
		panic(err)
	}
	fmt.Println(table.Next(time.Date(2026, 11, 22, 20, 0, 0, 0, time.UTC)))
	// Output: 2026-11-24 01:17:00 +1100 AEDT
}
