package pace

import (
	"math"
	"time"
)

// RandomRange turns an average random delay into the gem's range: the delay is the square of a number drawn evenly between the two, in
// seconds.
func RandomRange(average time.Duration) (low, high float64) {
	low = math.Sqrt(3 * average.Seconds() / 13)
	return low, 3 * low
}

func (l *Limiter) random() time.Duration {
	if l.config.RandomDelay <= 0 || l.config.NoDelay {
		return 0
	}
	low, high := RandomRange(l.config.RandomDelay)
	r := low + (high-low)*l.config.Random()
	return time.Duration(r * r * float64(time.Second))
}
