package workers

import (
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/run/status"
)

// meter reckons how fast the totals of a worker grow. It belongs to one goroutine.
type meter struct {
	began time.Time // of the process that told them
	past  []sample  // the latest, oldest first
}

// sample is the totals at a time.
type sample struct {
	at     time.Time
	totals map[string]float64
}

// add takes in a status and returns how much its totals grew a second. A worker that began anew is measured anew.
func (m *meter) add(at time.Time, s status.Status) map[string]float64 {
	if !m.began.Equal(s.Began) {
		m.began, m.past = s.Began, nil
	}
	now := sample{at, map[string]float64{}}
	for _, f := range s.Figures {
		if f.Total {
			now.totals[f.Name] = f.Value
		}
	}
	m.past = append(m.past, now)
	m.past = m.past[max(0, len(m.past)-samples):]
	first := m.past[0]
	rates := map[string]float64{}
	for name, n := range now.totals {
		before, known := first.totals[name]
		if took := at.Sub(first.at).Seconds(); known && took > 0 {
			rates[name] = max(0, n-before) / took
		}
	}
	return rates
}
