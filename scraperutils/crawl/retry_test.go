package crawl_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// A busy answer is tried again an hour later, and the day's tries end in a failure that says why.
func TestHourlyRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t, entry("http://a.example/busy"), entry("http://a.example/later"), entry("http://a.example/good"))
		c.web.answer = func(r *scraperutils.Request, asked int) (*scraperutils.Response, error) {
			switch {
			case r.URL.Path == "/busy", r.URL.Path == "/later" && asked < 5:
				return status(http.StatusServiceUnavailable), nil
			}
			return nil, nil
		}
		w, stop := c.worker(t, "w")
		defer stop()
		w.Rules.Keep = true
		day, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
		defer cancel()
		assert.ErrorIs(t, w.Run(day), context.DeadlineExceeded)
		assert.Equal(t, 13, c.web.asked["http://a.example/busy"])
		assert.Equal(t, 6, c.web.asked["http://a.example/later"])
		busy := c.url(t, "http://a.example/busy")
		assert.Equal(t, crawl.StateFailed, busy.State)
		assert.Equal(t, "http-503", busy.Reason)
		assert.Equal(t, map[string]int{"http-503": 1}, c.counts(t).FailedBy)
		assert.Equal(t, 2, c.counts(t).Done)
		var times []time.Time
		for _, e := range c.web.log {
			if e.url == "http://a.example/busy" {
				times = append(times, e.began)
			}
		}
		for i := range len(times) - 1 {
			gap := times[i+1].Sub(times[i])
			assert.GreaterOrEqual(t, gap, time.Hour)
			assert.Less(t, gap, time.Hour+5*time.Minute, "a retry waits for the host's back-off, not for the next hour")
		}
	})
}

// A host that can't be reached rests ten minutes, and its other URLs lose no try.
func TestHostThatIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t, append(entries(3, 10), entriesOf("down", 8)...)...)
		began, up := time.Now(), 65*time.Minute
		c.web.answer = func(r *scraperutils.Request, _ int) (*scraperutils.Response, error) {
			if r.URL.Host == "down.example" && time.Since(began) < up {
				return nil, refused
			}
			return nil, nil
		}
		c.run(t, func(w *crawl.Worker) { w.Rules.Retries, w.Rules.RetryAfter = 12, time.Hour })
		assert.Equal(t, 38, c.counts(t).Done)
		var probes []exchange
		for _, e := range c.web.log {
			if e.host == "down.example" && e.began.Sub(began) < up {
				probes = append(probes, e)
			}
		}
		assert.Len(t, probes, 7, "one in ten minutes")
		for i := range len(probes) - 1 {
			assert.GreaterOrEqual(t, probes[i+1].began.Sub(probes[i].ended), 10*time.Minute)
		}
	})
}

// A host that stays down is given up: all that waits for it fails, unasked, and the crawl ends.
func TestDeadHostIsGivenUp(t *testing.T) {
	for _, perHost := range []int{1, 4} {
		synctest.Test(t, func(t *testing.T) { giveUpDeadHost(t, perHost) })
	}
}

func giveUpDeadHost(t *testing.T, perHost int) {
	c := newCrew(t, append(entries(3, 10), entriesOf("dead", 500)...)...)
	c.pace.PerHost = perHost
	c.web.answer = func(r *scraperutils.Request, _ int) (*scraperutils.Response, error) {
		if r.URL.Host == "dead.example" {
			return nil, refused
		}
		return nil, nil
	}
	began := time.Now()
	c.run(t, nil)
	assert.Less(t, time.Since(began), 2*time.Hour)
	assert.Equal(t, 30, c.counts(t).Done)
	assert.Equal(t, 500, c.counts(t).Failed)
	asked := 0
	for _, e := range c.web.log {
		if e.host == "dead.example" {
			asked++
		}
	}
	assert.LessOrEqual(t, asked, 8*perHost)
}
