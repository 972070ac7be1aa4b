package dates

import (
	"errors"
	"time"
)

// ErrEmptyCycle says that a cycle has no position that could be picked.
var ErrEmptyCycle = errors.New("a cycle needs at least one position")

// Position returns where a cycle of so many positions stands, from 0: at override where it is not nil, else at the Julian
// day number of the date that day shows in its own zone; both modulo the cycle. Its error is ErrEmptyCycle.
func Position(day time.Time, cycle int, override *int) (int, error) {
	if cycle < 1 {
		return 0, ErrEmptyCycle
	}
	if override != nil {
		return mod(*override, cycle), nil
	}
	return mod(julian(day), cycle), nil
}

// Pick returns the value whose turn it is; day, override and error are those of Position.
func Pick[T any](values []T, day time.Time, override *int) (T, error) {
	i, err := Position(day, len(values), override)
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
