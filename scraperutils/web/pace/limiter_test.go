package pace_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
)

var (
	council = scraperutils.Host{Name: "council.example", Port: "80"}
	start   = time.Date(2025, 5, 7, 10, 0, 0, 0, time.UTC)
)

// trip is one request: how long it took, and what came of it.
type trip struct {
	took   float64 // seconds
	status int     // 0 is 200
	header [2]string
	crawl  float64
	err    error
	method string
	try    int // 0 is 1
}

func (r trip) outcome(ended time.Time) scraperutils.Outcome {
	o := scraperutils.Outcome{
		Request: &scraperutils.Request{Method: "GET", URL: &url.URL{Scheme: "http", Host: council.Name}},
		Started: ended.Add(-seconds(r.took)), Ended: ended, Err: r.err, Try: max(r.try, 1),
	}
	if r.method != "" {
		o.Request.Method = r.method
	}
	if r.err == nil || r.status != 0 || r.crawl != 0 {
		o.Response = &scraperutils.Response{Status: r.status, Header: http.Header{}, Took: seconds(r.took), CrawlDelay: seconds(r.crawl)}
		if r.status == 0 && r.err == nil {
			o.Response.Status = 200
		}
		if r.header[0] != "" {
			o.Response.Header.Set(r.header[0], r.header[1])
		}
	}
	return o
}

// wait is what a host that made these trips has to wait, and by which rule.
type wait struct {
	seconds float64
	rule    string
}

func waits(t *testing.T, l scraperutils.Pace, trips ...trip) (all []wait, again []bool) {
	t.Helper()
	ended := start
	for _, r := range trips {
		again = append(again, l.Observe(r.outcome(ended)))
		w := l.Earliest()
		require.NoError(t, w.Err)
		all = append(all, wait{w.Until.Sub(ended).Seconds(), w.Rule})
		ended = ended.Add(time.Minute)
	}
	return all, again
}

func TestWaits(t *testing.T) {
	for name, c := range map[string]struct {
		config pace.Config
		trips  []trip
		want   []wait
	}{
		"in proportion to the answers": {pace.Config{}, []trip{{took: 2}, {took: 1}, {took: 1}}, []wait{{2, "max_load"}, {1.75, "max_load"}, {1.5625, "max_load"}}},
		"a fifth of the server":        {pace.Config{MaxLoad: 20}, []trip{{took: 0.5}}, []wait{{2, "max_load"}}},
		"crawl-delay over it":          {pace.Config{}, []trip{{took: 2, crawl: 7}, {took: 1, crawl: 7}}, []wait{{7, "crawl-delay"}, {7, "crawl-delay"}}},
		"crawl-delay under it":         {pace.Config{}, []trip{{took: 2, crawl: 1}}, []wait{{2, "max_load"}}},
		"crawl-delay with a fraction":  {pace.Config{}, []trip{{took: 0.1, crawl: 0.25}}, []wait{{0.25, "crawl-delay"}}},
		"no delay":                     {pace.Config{NoDelay: true, RandomDelay: time.Second}, []trip{{took: 2}}, []wait{{0, ""}}},
		"no delay, crawl-delay stays":  {pace.Config{NoDelay: true}, []trip{{took: 2, crawl: 3}}, []wait{{3, "crawl-delay"}}},
		"random delay on top":          {pace.Config{RandomDelay: 13 * time.Second / 3, Random: func() float64 { return 0.5 }}, []trip{{took: 2}}, []wait{{6, "random delay"}}},
		"never over 30 s":              {pace.Config{}, []trip{{took: 99}}, []wait{{30, "max_load"}}},
		"errors are no sample":         {pace.Config{}, []trip{{took: 2}, {took: 0.001, err: io.ErrUnexpectedEOF, method: "POST"}}, []wait{{2, "max_load"}, {2, "max_load"}}},
		"a timeout is one":             {pace.Config{}, []trip{{took: 20, err: os.ErrDeadlineExceeded, method: "POST"}}, []wait{{20, "max_load"}}},

		"an answer beside an error is one":          {pace.Config{}, []trip{{took: 2, status: 200, err: errors.New("gzip")}, {took: 1, status: 302, err: forbidden}}, []wait{{2, "max_load"}, {1.75, "max_load"}}},
		"a crawl-delay beside an error":             {pace.Config{}, []trip{{took: 0.1, crawl: 4, err: reset}, {took: 0.1, crawl: 4, err: refused}}, []wait{{4, "crawl-delay"}, {4, "crawl-delay"}}},
		"overloaded, with a body that breaks off":   {pace.Config{}, []trip{{took: 1, status: 503, err: io.ErrUnexpectedEOF, header: [2]string{"Retry-After", "7"}}}, []wait{{7, "Retry-After"}}},
		"back-off stands while nothing goes better": {pace.Config{}, []trip{{took: 1, status: 503}, {took: 1, status: 500}, {took: 1, err: context.Canceled}, {took: 1, status: 200, err: errors.New("gzip")}, {took: 1, err: reset}, {took: 1, status: 403}}, []wait{{7, "back-off"}, {7, "back-off"}, {7, "back-off"}, {7, "back-off"}, {7, "back-off"}, {7, "back-off"}}},

		"overloaded: back-off doubles, and is forgiven step by step": {pace.Config{},
			[]trip{{took: 1, status: 503}, {took: 1, status: 429}, {took: 1, status: 503}, {took: 1}, {took: 1}, {took: 1}},
			[]wait{{7, "back-off"}, {14, "back-off"}, {28, "back-off"}, {14, "back-off"}, {7, "back-off"}, {1, "max_load"}}},
		"back-off has an end":                         {pace.Config{}, []trip{{took: 50, status: 503}, {took: 50, status: 503}, {took: 50, status: 503}}, []wait{{105, "back-off"}, {120, "back-off"}, {120, "back-off"}}},
		"Retry-After in seconds":                      {pace.Config{}, []trip{{took: 1, status: 503, header: [2]string{"Retry-After", "7"}}, {took: 1}}, []wait{{7, "Retry-After"}, {1, "max_load"}}},
		"Retry-After as a date":                       {pace.Config{}, []trip{{took: 1, status: 429, header: [2]string{"Retry-After", "Wed, 07 May 2025 10:00:09 GMT"}}}, []wait{{9, "Retry-After"}}},
		"Retry-After of a day":                        {pace.Config{}, []trip{{took: 1, status: 429, header: [2]string{"Retry-After", "86400"}}}, []wait{{600, "Retry-After"}}},
		"Retry-After in the past is at least a pause": {pace.Config{NoDelay: true}, []trip{{took: 1, status: 429, header: [2]string{"Retry-After", "Wed, 07 May 2025 09:00:00 GMT"}}}, []wait{{1, "retry"}}},
		"Retry-After that nobody can read":            {pace.Config{}, []trip{{took: 1, status: 429, header: [2]string{"Retry-After", "later"}}}, []wait{{7, "back-off"}}},
		"Retry-After under the crawl-delay":           {pace.Config{}, []trip{{took: 1, crawl: 20, status: 429, header: [2]string{"Retry-After", "7"}}}, []wait{{20, "crawl-delay"}}},
		"Retry-After of a good answer":                {pace.Config{}, []trip{{took: 1, header: [2]string{"Retry-After", "7"}}}, []wait{{1, "max_load"}}},
		"no delay leaves back-off":                    {pace.Config{NoDelay: true}, []trip{{took: 1, status: 503}}, []wait{{7, "back-off"}}},
		"a pause before another try":                  {pace.Config{}, []trip{{took: 0.1, status: 500}}, []wait{{1, "retry"}}},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := waits(t, pace.New(c.config).Pace(council), c.trips...)
			require.Len(t, got, len(c.want))
			for i, w := range c.want {
				assert.InDelta(t, w.seconds, got[i].seconds, 1e-6, "wait %d", i+1)
				assert.Equal(t, w.rule, got[i].rule, "rule of wait %d", i+1)
			}
		})
	}
}

var (
	refused   = &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	reset     = &net.OpError{Op: "read", Err: syscall.ECONNRESET}
	forbidden = &scraperutils.UnprocessableSite{Kind: scraperutils.ClassRobots}
	noName    = &net.DNSError{Err: "no such host", Name: "council.example", IsNotFound: true}
)

func TestTriesOfARequest(t *testing.T) {
	for name, c := range map[string]struct {
		trip trip
		want int // tries, the first included
	}{
		"a good answer":            {trip{}, 1},
		"404":                      {trip{status: 404}, 1},
		"429":                      {trip{status: 429}, 4},
		"503":                      {trip{status: 503}, 4},
		"503 to a POST":            {trip{status: 503, method: "POST"}, 4},
		"500":                      {trip{status: 500}, 2},
		"502":                      {trip{status: 502}, 2},
		"500 to a POST":            {trip{status: 500, method: "POST"}, 1},
		"a reset":                  {trip{err: reset}, 2},
		"a reset in the body":      {trip{status: 200, err: reset}, 2},
		"half of a busy page":      {trip{status: 503, err: io.ErrUnexpectedEOF}, 4},
		"led to what is forbidden": {trip{status: 302, err: &scraperutils.UnprocessableSite{Kind: scraperutils.ClassRobots}}, 1},
		"half a body":              {trip{err: fmt.Errorf("read: %w", io.ErrUnexpectedEOF)}, 2},
		"a reset of a POST":        {trip{err: reset, method: "POST"}, 1},
		"a timeout":                {trip{err: os.ErrDeadlineExceeded}, 2},
		"refused":                  {trip{err: refused}, 2},
		"a refused POST":           {trip{err: refused, method: "POST"}, 2},
		"no such host":             {trip{err: noName}, 2},
		"forbidden by robots.txt":  {trip{err: &scraperutils.UnprocessableSite{Kind: scraperutils.ClassRobots}}, 1},
		"blocked":                  {trip{err: &scraperutils.UnprocessableSite{Kind: scraperutils.ClassBlocked}}, 1},
		"a certificate":            {trip{err: errors.New("x509")}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			for _, noRetry := range []bool{false, true} {
				l := pace.New(pace.Config{NoRetry: noRetry}).Pace(council)
				tries := 1
				for ; tries < 10; tries++ {
					c.trip.try = tries
					if !l.Observe(c.trip.outcome(start)) {
						break
					}
				}
				want := c.want
				if noRetry {
					want = 1
				}
				assert.Equal(t, want, tries)
			}
		})
	}
}

// A host that was not reached twice is down until it is revived; what reaches it in between counts from anew.
func TestHostThatIsDown(t *testing.T) {
	l := pace.New(pace.Config{}).Pace(council)
	assert.Equal(t, scraperutils.Wait{}, l.Earliest(), "nobody has asked yet")
	l.Observe(trip{err: refused}.outcome(start))
	l.Observe(trip{status: 404}.outcome(start))
	l.Observe(trip{err: refused}.outcome(start))
	assert.NoError(t, l.Earliest().Err)
	l.Observe(trip{err: refused}.outcome(start))
	err := l.Earliest().Err
	var down *pace.DownError
	require.ErrorAs(t, err, &down)
	assert.Equal(t, scraperutils.ClassConnect, scraperutils.ClassOf(err))
	assert.ErrorContains(t, err, "council.example is down: ")

	l.Revive()
	assert.NoError(t, l.Earliest().Err)
}

func TestRevivedHostKeepsItsPace(t *testing.T) {
	l := pace.New(pace.Config{}).Pace(council)
	l.Observe(trip{took: 4}.outcome(start))
	l.Observe(trip{took: 1, status: 503}.outcome(start))
	before := l.Earliest()
	l.Revive()
	assert.Equal(t, before, l.Earliest())
	l.Observe(trip{took: 1, status: 503}.outcome(start))
	assert.Equal(t, 14*time.Second, l.Earliest().Until.Sub(start), "the next step of the back-off")
}

func TestForbiddenPagesAreNoSample(t *testing.T) {
	l := pace.New(pace.Config{}).Pace(council)
	l.Observe(trip{err: &scraperutils.UnprocessableSite{Kind: scraperutils.ClassRobots}}.outcome(start))
	assert.Equal(t, scraperutils.Wait{}, l.Earliest())
}

func TestRandomRange(t *testing.T) {
	for average, want := range map[time.Duration][2]float64{
		time.Second:      {0.48, 1.441},
		3 * time.Second:  {0.832, 2.496},
		5 * time.Second:  {1.074, 3.223},
		10 * time.Second: {1.519, 4.557},
		30 * time.Second: {2.631, 7.894},
	} {
		low, high := pace.RandomRange(average)
		assert.InDelta(t, want[0], low, 0.0005)
		assert.InDelta(t, want[1], high, 0.0005)
	}
	// The average is what was asked for.
	sum, n := 0.0, 10_000
	i := 0
	l := pace.New(pace.Config{RandomDelay: 5 * time.Second, Random: func() float64 { i++; return (float64(i) - 0.5) / float64(n) }}).Pace(council)
	for range n {
		l.Observe(trip{}.outcome(start))
		sum += l.Earliest().Until.Sub(start).Seconds()
	}
	assert.InDelta(t, 5, sum/float64(n), 0.01)
}

func TestRetryAfter(t *testing.T) {
	for value, want := range map[string]time.Duration{
		"0": 0, "7": 7 * time.Second, " 7 ": 7 * time.Second, "1.5": 1500 * time.Millisecond, "1e99": 10 * time.Minute,
		"Wed, 07 May 2025 10:01:00 GMT":     time.Minute,
		"Wednesday, 07-May-25 10:01:00 GMT": time.Minute,
		"Wed May  7 10:01:00 2025":          time.Minute,
		"Wed, 07 May 2025 09:00:00 GMT":     0,
		"Wed, 07 May 2125 09:00:00 GMT":     10 * time.Minute,
	} {
		got, ok := pace.RetryAfter(value, start)
		assert.True(t, ok, value)
		assert.Equal(t, want, got, value)
	}
	for _, value := range []string{"", "-1", "soon", "NaN", "7s", "2025-05-07"} {
		_, ok := pace.RetryAfter(value, start)
		assert.False(t, ok, value)
	}
}

func FuzzRetryAfter(f *testing.F) {
	f.Add("7")
	f.Add("Wed, 07 May 2025 10:01:00 GMT")
	f.Fuzz(func(t *testing.T, value string) {
		if d, ok := pace.RetryAfter(value, start); ok && (d < 0 || d > pace.MaxRetryAfter) {
			t.Fatalf("%q is %s", value, d)
		}
	})
}

func ExampleLimiter() {
	l := pace.New(pace.Config{MaxLoad: 20})
	host := scraperutils.Host{Name: "council.example", Port: "443"}
	ended := time.Date(2025, 5, 7, 10, 0, 0, 0, time.UTC)
	p := l.Pace(host)
	p.Observe(scraperutils.Outcome{Response: &scraperutils.Response{Status: 200, Took: time.Second}, Ended: ended})
	next := p.Earliest()
	fmt.Println(next.Until.Sub(ended), next.Rule)
	// Output: 4s max_load
}
