package postgres

import "time"

// Shift has a frontier's machine be ahead of this one.
func Shift(f *Frontier, by time.Duration) { f.now = func() time.Time { return time.Now().Add(by) } }

// Now is the time of a frontier's machine.
func Now(f *Frontier) time.Time { return f.now() }
