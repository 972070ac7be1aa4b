package pace_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
)

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func TestAdaptiveDelay(t *testing.T) {
	for name, c := range map[string]struct {
		adaptive   pace.Adaptive
		multiplier float64
		took, want []float64
	}{
		"half the server's time":       {pace.Adaptive{Load: 50}, 1, []float64{1.5, 1.5, 3, 0.1}, []float64{1.5, 1.5, 1.875, 1.43125}},
		"never under the minimum":      {pace.Adaptive{Load: 50, Min: time.Second}, 1, []float64{-30, 2.5, 2.5}, []float64{1, 1.375, 1.65625}},
		"never over the maximum":       {pace.Adaptive{Load: 50, Min: time.Second}, 1, []float64{999, 1, 1}, []float64{30, 22.75, 17.3125}},
		"a fifth":                      {pace.Adaptive{Load: 20}, 4, []float64{0.5, 0.5}, []float64{2, 2}},
		"no more than 80 percent":      {pace.Adaptive{Load: 999}, 0.25, []float64{2}, []float64{0.5}},
		"80 percent":                   {pace.Adaptive{Load: 80}, 0.25, []float64{2}, []float64{0.5}},
		"no less than one percent":     {pace.Adaptive{Load: 0}, 99, []float64{0.2, 10}, []float64{19.8, 22.35}},
		"a load that does not divide":  {pace.Adaptive{Load: 33.3}, 2.003003003, []float64{0.75, 0.25, 1.25}, []float64{1.502252252, 1.251876877, 1.564846096}},
		"a minimum over what is asked": {pace.Adaptive{Load: 50, Min: time.Second / 2}, 1, []float64{0, 0.1}, []float64{0.5, 0.5}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.InDelta(t, c.multiplier, c.adaptive.Multiplier(), 1e-9)
			var delay time.Duration
			for i, took := range c.took {
				if i == 0 {
					delay = c.adaptive.First(seconds(took))
				} else {
					delay = c.adaptive.Next(delay, seconds(took))
				}
				assert.InDelta(t, c.want[i], delay.Seconds(), 2e-9, "after answer %d", i+1)
			}
		})
	}
}
