package pace

import "time"

// These are the limits of the adaptive delay, as the ScraperUtils gem has them.
const (
	MinLoad        = 1.0
	MaxLoad        = 80.0
	DefaultMaxLoad = 50.0
	MaxDelay       = 30 * time.Second
)

// Adaptive computes delays from the time that a server took, so that it spends at most Load percent of its time on us.
type Adaptive struct {
	Load float64       // percent, clamped to 1 to 80; at 50 a server rests as long as its answer took
	Min  time.Duration // no delay is shorter
	Max  time.Duration // no delay is longer; 0 is 30 s
}

// Multiplier returns how long a server rests, as a multiple of its answer time.
func (a Adaptive) Multiplier() float64 {
	load := min(max(a.Load, MinLoad), MaxLoad)
	return (100 - load) / load
}

// First returns the delay after the first answer of a server.
func (a Adaptive) First(took time.Duration) time.Duration {
	target := a.target(took)
	return a.Next(target, took)
}

// Next returns the delay after a later answer: three parts of the previous delay and one part of what this answer asks for. So a single
// slow page does not count for too much.
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
