package pace

import "time"

// Limits of the adaptive delay, as the ScraperUtils gem has them.
const (
	MinLoad        = 1.0
	MaxLoad        = 80.0
	DefaultMaxLoad = 50.0
	MaxDelay       = 30 * time.Second
)

// Adaptive computes delays from how long a server took, so that at most Load percent of its time is spent on us.
type Adaptive struct {
	Load float64       // percent, read as 1 to 80; 50 rests as long as the answer took
	Min  time.Duration // no delay is shorter
	Max  time.Duration // no delay is longer; 0 is 30 s
}

// Multiplier is how many times as long as its answer took a server rests.
func (a Adaptive) Multiplier() float64 {
	load := min(max(a.Load, MinLoad), MaxLoad)
	return (100 - load) / load
}

// First is the delay after the first answer of a server.
func (a Adaptive) First(took time.Duration) time.Duration {
	target := a.target(took)
	return a.Next(target, took)
}

// Next is the delay after another one: three parts of the delay before, one part of what this answer asks for, so that a
// single slow page does not count for too much.
func (a Adaptive) Next(previous, took time.Duration) time.Duration {
	return min(max((3*previous+a.target(took))/4, a.Min), a.max())
}

func (a Adaptive) target(took time.Duration) time.Duration {
	return min(max(time.Duration(float64(took)*a.Multiplier()), 0), a.max())
}

func (a Adaptive) max() time.Duration {
	if a.Max == 0 {
		return MaxDelay
	}
	return a.Max
}
