package dates

import (
	"math/rand/v2"
	"slices"
)

// Shuffle returns the values in random order, or as they are where random is nil. The slice that it is given stays as it is.
func Shuffle[T any](values []T, random *rand.Rand) []T {
	out := slices.Clone(values)
	if random != nil {
		random.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	}
	return out
}

// Fibonacci returns the Fibonacci numbers from 0 up to and including max: 0 1 1 2 3 5 …, none for a negative max.
func Fibonacci(max int) []int {
	var series []int
	for a, b := 0, 1; 0 <= a && a <= max; a, b = b, a+b { // what overflows is negative
		series = append(series, a)
	}
	return series
}
