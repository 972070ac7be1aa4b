package dates

import (
	"errors"
	"time"
)

// errEmptyCycle says that a cycle has no position that could be picked.
var errEmptyCycle = errors.New("a cycle needs at least one position")

// position returns where a cycle of so many positions stands, from 0: at override where it is not nil, else at the Julian
// day number of the date that day shows in its own zone; both modulo the cycle. Its error is errEmptyCycle.
func position(day time.Time, cycle int, override *int) (int, error) {
	if cycle < 1 {
		return 0, errEmptyCycle
	}
	if override != nil {
		return mod(*override, cycle), nil
	}
	return mod(julian(day), cycle), nil
}

// Pick returns the value whose turn it is: the one at override where that is not nil, else at the Julian day number of the date
// that day shows in its own zone; both modulo the number of values. No values are an error.
func Pick[T any](values []T, day time.Time, override *int) (T, error) {
	i, err := position(day, len(values), override)
	if err != nil {
		var none T
		return none, err
	}
	return values[i], nil
}

// mod is the remainder in 0..n-1, also of a negative number.
func mod(i, n int) int {
	r := i % n
	if r < 0 {
		r += n
	}
	return r
}
