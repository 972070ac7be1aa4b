package runlog

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// What is usual is known of those that have run for weeks, and not on holidays.
func TestUsual(t *testing.T) {
	sunday := time.Date(2025, 7, 20, 0, 0, 0, 0, time.UTC)
	christmas := time.Date(2025, 12, 25, 0, 0, 0, 0, time.UTC)
	weeks := []int{10, 11, 12, 10, 11, 12, 10, 11, 12, 10, 11, 12, 10, 11}
	for _, c := range []struct {
		name  string
		today time.Time
		want  map[string]int
	}{
		{"a day like others", sunday, map[string]int{"weeks": 11}},
		{"Christmas", christmas, map[string]int{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			past := map[string][]pastYield{"weeks": days(c.today, weeks...), "new": days(c.today, 5, 6), "elsewhere": days(c.today, weeks...)}
			s := newSeason(past, nil, c.today)
			assert.Equal(t, c.want, s.usualOn(c.today, map[string]entry{"weeks": {}, "new": {}, "never": {}}))
		})
	}
}
