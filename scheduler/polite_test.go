package scheduler_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
)

// server is a host in a bubble: each answer takes a second and is as the test says, in order; the last one stays.
type server struct {
	answers []answer
	began   time.Time
	seen    []time.Duration // when each request came
}

type answer struct {
	status     int
	retryAfter string
	crawl      time.Duration
	err        error
}

func (s *server) Do(_ context.Context, r *scraperutils.Request) (*scraperutils.Response, error) {
	s.seen = append(s.seen, time.Since(s.began))
	a := s.answers[min(len(s.seen), len(s.answers))-1]
	if a.err != nil {
		return &scraperutils.Response{CrawlDelay: a.crawl}, a.err
	}
	time.Sleep(time.Second)
	response := &scraperutils.Response{URL: r.URL, Status: a.status, Header: http.Header{}, Took: time.Second, CrawlDelay: a.crawl}
	if a.status == 0 {
		response.Status = 200
	}
	if a.retryAfter == "date" {
		a.retryAfter = time.Now().Add(9 * time.Second).UTC().Format(http.TimeFormat)
	}
	if a.retryAfter != "" {
		response.Header.Set("Retry-After", a.retryAfter)
	}
	return response, nil
}

func seconds(all ...float64) (d []time.Duration) {
	for _, s := range all {
		d = append(d, time.Duration(s*float64(time.Second)))
	}
	return d
}

// What a server sees of each rule: when requests come, in seconds since the first. Every answer takes one.
func TestWhatServersSee(t *testing.T) {
	busy, fine := answer{status: 503}, answer{}
	for name, c := range map[string]struct {
		config  pace.Config
		answers []answer
		pages   int
		want    []time.Duration
	}{
		"as long a rest as the answer took": {pace.Config{}, []answer{fine}, 3, seconds(0, 2, 4)},
		"a fifth of its time":               {pace.Config{MaxLoad: 20}, []answer{fine}, 3, seconds(0, 5, 10)},
		"a crawl-delay":                     {pace.Config{}, []answer{{crawl: 2500 * time.Millisecond}}, 3, seconds(0, 3.5, 7)},
		"a crawl-delay without other delay": {pace.Config{NoDelay: true}, []answer{{crawl: 2500 * time.Millisecond}}, 3, seconds(0, 3.5, 7)},
		"a crawl-delay before another try":  {pace.Config{}, []answer{{err: io.ErrUnexpectedEOF, crawl: 4 * time.Second}, fine}, 1, seconds(0, 4)},
		"no delay":                          {pace.Config{NoDelay: true}, []answer{fine}, 3, seconds(0, 1, 2)},
		"Retry-After: 7":                    {pace.Config{}, []answer{{status: 429, retryAfter: "7"}, fine}, 2, seconds(0, 8, 10)},
		"Retry-After as a date":             {pace.Config{}, []answer{{status: 503, retryAfter: "date"}, fine}, 2, seconds(0, 10, 12)},
		"a back-off that grows and is forgiven step by step": {pace.Config{}, []answer{busy, busy, busy, fine}, 4,
			// 7, 14 and 28 seconds, then 14 and 7, then the usual rest
			seconds(0, 8, 23, 52, 67, 75, 77)},
		"three more tries and no more": {pace.Config{}, []answer{busy}, 1, seconds(0, 8, 23, 52)},
		"an error is tried once more":  {pace.Config{}, []answer{{status: 500}, fine}, 1, seconds(0, 2)},
		"a host that refuses":          {pace.Config{}, []answer{{err: &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}}}, 1, seconds(0, 1)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				host := &server{answers: c.answers, began: time.Now()}
				s := scheduler.New(scheduler.Config{Pacer: pace.New(c.config)})
				register(t, s, "kyogle", pages(t, host, "a.example", c.pages))
				run(t, s)
				assert.Equal(t, c.want, host.seen)
			})
		})
	}
}

// A host that was found down fails all that wait for it at once; after Reset it is asked again.
func TestHostDownForAllUntilReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := &server{answers: []answer{{err: &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}}}, began: time.Now()}
		s := scheduler.New(scheduler.Config{Pacer: pace.New(pace.Config{})})
		for attempt := range 2 {
			if attempt > 0 {
				assert.NoError(t, s.Reset())
			}
			for i := range 20 {
				register(t, s, fmt.Sprint(i), pages(t, host, "a.example", 3))
			}
			assert.Len(t, run(t, s).Errors(), 20)
		}
		assert.Equal(t, seconds(0, 1, 1, 2), host.seen, "two tries an attempt, whoever waits")
	})
}
