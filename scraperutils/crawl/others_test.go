package crawl_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/extract"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/scope"
)

// What crawlers before this one got wrong, one by one; those that need whole processes are in the tests of the command.
func TestWhatOthersGotWrong(t *testing.T) {
	for name, test := range map[string]func(*testing.T){
		"what is no URL is not tried for hours":                 brokenURL,
		"a page that makes a goroutine panic takes nobody down": panics,
		"the target of a redirect is paced":                     pacedRedirects,
		"a host that is down uses up no tries":                  noTriesWhileDown,
		"few hosts with many URLs do not churn":                 noChurn,
		"what a dead worker held is fetched by another":         deadWorker,
		"a 304 keeps the URL":                                   kept304,
		"a server error keeps the URL":                          keptError,
		"a page without a Date is not due at once":              noDate,
		"a session ID is no part of a word":                     wordsStay,
	} {
		t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
	}
}

func brokenURL(t *testing.T) {
	broken := entry("http://a.example/1")
	broken.URL = "http://a.example/%zz"
	c := newCrew(t, broken, entry("http://a.example/2"))
	began := time.Now()
	c.run(t, nil)
	assert.Equal(t, map[string]int{"not-url": 1}, c.counts(t).FailedBy)
	assert.Equal(t, 1, c.counts(t).Done)
	assert.Less(t, time.Since(began), time.Minute)
}

func panics(t *testing.T) {
	c := newCrew(t, entries(3, 5)...)
	c.run(t, func(w *crawl.Worker) {
		w.Scope.Kind = scope.Host
		w.Extractors = []crawl.Extractor{func(p *crawl.Page) (extract.Found, error) {
			if strings.HasSuffix(p.URL, "h1.example/3") {
				panic("no such page was expected")
			}
			return extract.Found{}, nil
		}}
	})
	assert.Equal(t, 14, c.counts(t).Done)
	assert.Equal(t, "handler: panicked: no such page was expected", c.url(t, "http://h1.example/3").Reason)
}

func pacedRedirects(t *testing.T) {
	for _, follow := range []bool{true, false} {
		c := newCrew(t, entries(4, 10)...)
		c.web.answer = func(r *scraperutils.Request, _ int) (*scraperutils.Response, error) {
			if r.URL.Host != "target.example" {
				return status(301, "Location", "http://target.example/"+r.URL.Host+r.URL.Path), nil
			}
			return nil, nil
		}
		c.run(t, func(w *crawl.Worker) { w.Rules.Follow = follow })
		assert.Equal(t, 80, c.counts(t).Done)
		assert.GreaterOrEqual(t, c.web.gaps(), 100*time.Millisecond, "as long as an answer takes, on the host that all lead to as well")
	}
}

func noTriesWhileDown(t *testing.T) {
	c := newCrew(t, entriesOf("down", 6)...)
	began := time.Now()
	c.web.answer = func(*scraperutils.Request, int) (*scraperutils.Response, error) {
		if time.Since(began) < 5*time.Hour {
			return nil, refused
		}
		return nil, nil
	}
	c.run(t, func(w *crawl.Worker) { w.Rules.Retries, w.Rules.RetryAfter = 12, time.Hour })
	assert.Equal(t, 6, c.counts(t).Done)
	asked := 0
	for _, n := range c.web.asked {
		asked += n
	}
	assert.Less(t, asked, 6+6*5+5, "the host was probed, not each URL of it")
}

// counted counts the claims of a frontier that gave something.
type counted struct {
	crawl.Frontier
	claims atomic.Int64
}

func (c *counted) Claim(ctx context.Context, now time.Time, claim crawl.Claim) ([]crawl.Lease, error) {
	leases, err := c.Frontier.Claim(ctx, now, claim)
	if len(leases) > 0 {
		c.claims.Add(1)
	}
	return leases, err
}

func noChurn(t *testing.T) {
	c := newCrew(t, append(entries(3, 950), entries(60, 2)...)...)
	f := &counted{Frontier: c.memory.Open()}
	c.run(t, func(w *crawl.Worker) { w.Frontier = f })
	assert.Equal(t, 3*950+57*2, c.counts(t).Done)
	assert.Less(t, f.claims.Load(), int64(100), "a host that is at work is not taken up again and again")
}

func deadWorker(t *testing.T) {
	c := newCrew(t, entries(5, 20)...)
	w, stop := c.worker(t, "dead")
	m := &mortal{Frontier: w.Frontier, client: w.Client, sink: c.sink, slow: func() error { return nil }}
	w.Frontier, w.Client, w.Sinks = m, m, []crawl.Sink{m}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	time.Sleep(time.Second)
	m.die()
	cancel()
	<-ended
	stop()
	assert.Less(t, c.counts(t).Done, 100)
	assert.Equal(t, 5, c.counts(t).Leased, "it went without a word")
	c.run(t, nil)
	assert.Equal(t, 100, c.counts(t).Done)
	assert.Len(t, c.sink.ids(), 100)
}

// after has a page visited for two hours on each of some days, and returns what is known of it.
func after(t *testing.T, days int, answer func(asked int) *scraperutils.Response) (asked int, known crawl.URLStatus) {
	t.Helper()
	c := newCrew(t, entry("http://a.example/"))
	c.web.answer = func(_ *scraperutils.Request, asked int) (*scraperutils.Response, error) { return answer(asked), nil }
	w, stop := c.worker(t, "w")
	defer stop()
	w.Rules.Recrawl = true
	for range days { // at night it sleeps: nothing is due then, and to look for it takes longer than all else
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Hour)
		require.ErrorIs(t, w.Run(ctx), context.DeadlineExceeded)
		cancel()
		time.Sleep(22 * time.Hour)
	}
	return c.web.asked["http://a.example/"], c.url(t, "http://a.example/")
}

func kept304(t *testing.T) {
	asked, known := after(t, 8, func(asked int) *scraperutils.Response {
		if asked == 0 {
			return status200("first")
		}
		return status(304)
	})
	assert.Equal(t, 4, asked, "at first, then after 1, 2 and 4 days")
	assert.Equal(t, crawl.StateReady, known.State)
	assert.Equal(t, 8, known.Level)
	assert.NotEmpty(t, known.Digest, "it is known what the page was")
}

func keptError(t *testing.T) {
	asked, known := after(t, 4, func(asked int) *scraperutils.Response {
		if asked >= 1 && asked < 9 {
			return status(500)
		}
		return status200(fmt.Sprint("page ", asked))
	})
	assert.Greater(t, asked, 9)
	assert.Equal(t, 200, known.Status)
	assert.Equal(t, crawl.StateReady, known.State)
}

func noDate(t *testing.T) {
	asked, _ := after(t, 1, func(int) *scraperutils.Response { return status200("no headers at all") })
	assert.Equal(t, 1, asked)
}

func status200(text string) *scraperutils.Response {
	a := status(200)
	a.Body = []byte(text)
	return a
}

func wordsStay(t *testing.T) {
	c := newCrew(t, entry("http://a.example/"))
	c.web.pages(map[string]string{"http://a.example/": links("/a?resid=5", "/b?sid=5", "/b?sid=6", "/side?aside=1"), "http://a.example/a?resid=5": "a", "http://a.example/b": "b", "http://a.example/side?aside=1": "c"})
	c.run(t, func(w *crawl.Worker) { w.Scope.Kind = scope.Host })
	assert.Equal(t, strings.Fields("http://a.example/ http://a.example/a?resid=5 http://a.example/b http://a.example/side?aside=1"), c.web.askedOnce(t))
}
