package pace_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
)

// A host that is down for a time is asked again after it, and left alone again at once if it is still not reached.
func TestHostThatIsDownForATime(t *testing.T) {
	p := pace.New(pace.Config{NoRetry: true, DownFor: 10 * time.Minute}).Pace(council)
	p.Observe(trip{err: refused}.outcome(start))
	p.Observe(trip{err: refused}.outcome(start))
	w := p.Earliest()
	assert.Error(t, w.Err)
	assert.Equal(t, pace.RuleDown, w.Rule)
	assert.Equal(t, start.Add(10*time.Minute), w.Until)
	assert.False(t, w.Over(w.Until.Add(-1)))
	assert.True(t, w.Over(w.Until))

	later := w.Until
	p.Observe(trip{err: refused}.outcome(later))
	assert.Equal(t, later.Add(10*time.Minute), p.Earliest().Until, "one failure is enough now")

	later = later.Add(10 * time.Minute)
	p.Observe(trip{}.outcome(later))
	p.Observe(trip{err: refused}.outcome(later.Add(time.Minute)))
	assert.NoError(t, p.Earliest().Err, "it was reached: failures count from anew")
}

// One that is down until it is revived is never over.
func TestHostThatIsDownForGood(t *testing.T) {
	p := pace.New(pace.Config{}).Pace(council)
	p.Observe(trip{err: refused}.outcome(start))
	p.Observe(trip{err: refused}.outcome(start))
	assert.False(t, p.Earliest().Over(start.Add(1000*time.Hour)))
}

// What a host asked for before it went down holds, where it is longer.
func TestDownDoesNotShortenRetryAfter(t *testing.T) {
	p := pace.New(pace.Config{PerHost: 3, DownFor: time.Second}).Pace(council)
	busy := trip{status: 503}.outcome(start)
	busy.Response.Header = map[string][]string{"Retry-After": {"60"}}
	p.Observe(busy)
	p.Observe(trip{err: refused}.outcome(start))
	p.Observe(trip{err: refused}.outcome(start))
	assert.Error(t, p.Earliest().Err)
	assert.Equal(t, start.Add(time.Minute), p.Earliest().Until)
}

func TestMinInterval(t *testing.T) {
	for name, c := range map[string]struct {
		config pace.Config
		took   float64
		want   wait
	}{
		"is the least":                    {pace.Config{MinInterval: 5 * time.Second, MaxLoad: 20}, 0.5, wait{5, pace.RuleMinInterval}},
		"gives way to a longer rest":      {pace.Config{MinInterval: 5 * time.Second, MaxLoad: 20}, 2, wait{8, pace.RuleMaxLoad}},
		"is off where there are no rests": {pace.Config{MinInterval: 5 * time.Second, NoDelay: true}, 2, wait{0, ""}},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := waits(t, pace.New(c.config).Pace(council), trip{took: c.took})
			assert.Equal(t, []wait{c.want}, got)
		})
	}
}

// Where a host may have several requests in flight, the distance is from start to start.
func TestSeveralAtOnce(t *testing.T) {
	for name, c := range map[string]struct {
		config pace.Config
		trip   trip
		want   wait // from the start of a request, after an answer
	}{
		"the average, shared":      {pace.Config{PerHost: 4}, trip{took: 2}, wait{0.5, pace.RuleAverage}},
		"whatever max_load says":   {pace.Config{PerHost: 4, MaxLoad: 20}, trip{took: 2}, wait{0.5, pace.RuleAverage}},
		"at least the interval":    {pace.Config{PerHost: 4, MinInterval: 5 * time.Second}, trip{took: 2}, wait{5, pace.RuleMinInterval}},
		"at least its crawl-delay": {pace.Config{PerHost: 4}, trip{took: 2, crawl: 3}, wait{3, pace.RuleCrawlDelay}},
		"no rests":                 {pace.Config{PerHost: 4, NoDelay: true}, trip{took: 2}, wait{0, ""}},
	} {
		t.Run(name, func(t *testing.T) {
			p := pace.New(c.config).Pace(council)
			p.Sent(start)
			p.Observe(c.trip.outcome(start.Add(2 * time.Second)))
			sent := start.Add(10 * time.Second)
			p.Sent(sent)
			w := p.Earliest()
			assert.Equal(t, c.want, wait{w.Until.Sub(sent).Seconds(), w.Rule})
			p.Observe(c.trip.outcome(sent.Add(2 * time.Second)))
			assert.Equal(t, w, p.Earliest(), "the end of an answer moves nothing")
		})
	}
}

func TestSeveralAtOnceBackOff(t *testing.T) {
	p := pace.New(pace.Config{PerHost: 2}).Pace(council)
	p.Sent(start)
	p.Sent(start)
	p.Observe(trip{status: 503, took: 1}.outcome(start.Add(time.Second)))
	held := p.Earliest()
	assert.Equal(t, scraperutils.Wait{Until: start.Add(8 * time.Second), Rule: pace.RuleBackOff}, held)
	p.Observe(trip{took: 1}.outcome(start.Add(time.Second)))
	assert.Equal(t, held, p.Earliest(), "another answer that was under way does not end it")
}
