package dates_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/site/dates"
)

// middleOfAustralia is a zone whose days begin at half past an hour.
var middleOfAustralia = time.FixedZone("+09:30", (9*60+30)*60)

func TestToday(t *testing.T) {
	for now, want := range map[string]string{
		"2025-02-28T14:29:59Z":      "2025-02-28",
		"2025-02-28T14:30:00Z":      "2025-03-01",
		"2025-12-31T23:00:00Z":      "2026-01-01",
		"2025-03-01T00:30:00+11:00": "2025-02-28",
	} {
		t.Run(now, func(t *testing.T) {
			at, err := time.Parse(time.RFC3339, now)
			require.NoError(t, err)
			assert.Equal(t, day(t, want), dates.Today(at, middleOfAustralia))
		})
	}
}

func TestPosition(t *testing.T) {
	number := func(n int) *int { return &n }
	for _, c := range []struct {
		name, day string
		cycle     int
		override  *int
		want      int
	}{
		{"odd Julian day", "2024-01-01", 2, nil, 1},
		{"even Julian day", "2024-01-02", 2, nil, 0},
		{"a week", "2024-01-01", 7, nil, 0},
		{"four", "2025-05-07", 4, nil, 3},
		{"leap day", "2000-02-29", 5, nil, 4},
		{"before the Julian epoch", "-4800-01-01", 7, nil, 5},
		{"override", "2024-01-01", 4, number(6), 2},
		{"override 0 is not the day", "2024-01-01", 2, number(0), 0},
		{"override under zero", "2024-01-01", 4, number(-1), 3},
		{"override under zero, huge cycle", "2024-01-01", math.MaxInt, number(-1), math.MaxInt - 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			at := time.Date(-4800, 1, 1, 0, 0, 0, 0, time.UTC)
			if c.day[0] != '-' {
				at = day(t, c.day)
			}
			got, err := dates.Position(at, c.cycle, c.override)
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
	for _, cycle := range []int{0, -3} {
		_, err := dates.Position(day(t, "2024-01-01"), cycle, number(1))
		assert.ErrorIs(t, err, dates.ErrEmptyCycle)
	}
}

func TestPick(t *testing.T) {
	values := []string{"L28", "L7", "L14", "L7"}
	for on, want := range map[string]string{"2025-05-01": "L7", "2025-05-03": "L7", "2025-05-04": "L28", "2025-05-06": "L14"} {
		got, err := dates.Pick(values, day(t, on), nil)
		require.NoError(t, err)
		assert.Equal(t, want, got, on)
	}
	three := 3
	got, err := dates.Pick([]string{"a", "b", "c", "d"}, day(t, "2025-05-01"), &three)
	require.NoError(t, err)
	assert.Equal(t, "d", got)

	_, err = dates.Pick([]string{}, day(t, "2024-01-01"), nil)
	assert.ErrorIs(t, err, dates.ErrEmptyCycle)
}

func TestShuffle(t *testing.T) {
	values := []int{3, 1, 2, 5, 4}
	t.Run("off: order is kept", func(t *testing.T) {
		out := dates.Shuffle(values, nil)
		assert.Equal(t, values, out)
		out[0] = 9
		assert.Equal(t, 3, values[0], "the result is a copy")
	})
	t.Run("on: the same values in many orders", func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 2))
		orders := map[string]bool{}
		for range 100 {
			out := dates.Shuffle(values, random)
			orders[fmt.Sprint(out)] = true
			slices.Sort(out)
			assert.Equal(t, []int{1, 2, 3, 4, 5}, out)
		}
		assert.Greater(t, len(orders), 30)
		assert.Equal(t, []int{3, 1, 2, 5, 4}, values)
	})
}

func TestFibonacci(t *testing.T) {
	for limit, want := range map[int][]int{
		-1:  nil,
		0:   {0},
		1:   {0, 1, 1},
		2:   {0, 1, 1, 2},
		5:   {0, 1, 1, 2, 3, 5},
		9:   {0, 1, 1, 2, 3, 5, 8},
		21:  {0, 1, 1, 2, 3, 5, 8, 13, 21},
		900: {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610},
	} {
		assert.Equal(t, want, dates.Fibonacci(limit), "up to %d", limit)
	}
	assert.Len(t, dates.Fibonacci(math.MaxInt64), 93)
}

func ExampleToday() {
	fmt.Println(dates.Today(time.Date(2025, 2, 28, 14, 30, 0, 0, time.UTC), middleOfAustralia).Format(time.DateOnly))
	// Output: 2025-03-01
}

func ExamplePick() {
	searches := []string{"last month", "last week", "last fortnight", "last week"}
	search, err := dates.Pick(searches, time.Date(2025, 5, 4, 0, 0, 0, 0, time.UTC), nil)
	fmt.Println(search, err)
	// Output: last month <nil>
}

func ExampleShuffle() {
	fmt.Println(dates.Shuffle([]string{"hobart", "kyogle", "albury"}, nil))
	// Output: [hobart kyogle albury]
}

func ExampleFibonacci() {
	fmt.Println(dates.Fibonacci(21))
	// Output: [0 1 1 2 3 5 8 13 21]
}
