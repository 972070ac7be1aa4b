package crawl_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// changing is pages that change each hour, each day, and never, by their host. Those whose number ends in an even digit have an ETag.
type changing struct {
	began time.Time

	mu     sync.Mutex             // guards the rest
	visits map[string][]time.Time // by URL
	asked  int
	same   int // answers 304
}

// changes is how long pages stay as they are, by their host.
var changes = map[string]time.Duration{"hourly.example": time.Hour, "daily.example": 24 * time.Hour, "never.example": 1000 * 24 * time.Hour}

// version is what a page holds at a time. Each page changes at another time of the hour or the day.
func (c *changing) version(raw string, at time.Time) int {
	u, err := url.Parse(raw)
	if err != nil {
		panic(err) // the test is wrong
	}
	number, err := strconv.Atoi(u.Path[1:])
	if err != nil {
		panic(err)
	}
	period := changes[u.Host]
	return int((at.Sub(c.began) + period*time.Duration(number)/time.Duration(ofEach)) / period)
}

func (c *changing) answer(r *scraperutils.Request, _ int) (*scraperutils.Response, error) {
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked++
	c.visits[r.URL.String()] = append(c.visits[r.URL.String()], now)
	text := fmt.Sprintf("page %s %d", r.URL, c.version(r.URL.String(), now))
	a := page(r)
	a.Body = []byte(text)
	if strings.ContainsAny(r.URL.Path[len(r.URL.Path)-1:], "02468") {
		tag := fmt.Sprintf("%q", text)
		a.Header.Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			c.same++
			return status(http.StatusNotModified, "ETag", tag), nil
		}
	}
	return a, nil
}

// fresh returns for which part of a time the copies of a host's pages were as the pages were.
func (c *changing) fresh(host string, span time.Duration) float64 {
	good, all := 0, 0
	for page, visits := range c.visits {
		if !strings.Contains(page, host) {
			continue
		}
		next := 0
		for at := c.began.Add(time.Hour); at.Before(c.began.Add(span)); at = at.Add(10 * time.Minute) {
			for next < len(visits) && !visits[next].After(at) {
				next++
			}
			all++
			if next > 0 && c.version(page, visits[next-1]) == c.version(page, at) {
				good++
			}
		}
	}
	return float64(good) / float64(all)
}

func (c *changing) count(host string) (n int) {
	for page, visits := range c.visits {
		if strings.Contains(page, host) {
			n += len(visits)
		}
	}
	return n
}

// seen returns how many versions of a host's pages were fetched.
func (c *changing) seen(host string) int {
	versions := map[string]bool{}
	for page, visits := range c.visits {
		for _, at := range visits {
			if strings.Contains(page, host) {
				versions[fmt.Sprint(page, c.version(page, at))] = true
			}
		}
	}
	return len(versions)
}

// ofEach is how many pages a host has.
var ofEach = testsize.Of(6, 20)

// revisit has a time go by, with a pause between visits that levels decide on, or a fixed one.
func revisit(t *testing.T, span, fixed time.Duration) (c *changing, levels map[string]map[int]int, table string) {
	t.Helper()
	levels = map[string]map[int]int{}
	synctest.Test(t, func(t *testing.T) {
		var all []crawl.Entry
		for host := range changes {
			levels[host] = map[int]int{}
			for i := range ofEach {
				all = append(all, entry(fmt.Sprintf("http://%s/%d", host, i)))
			}
		}
		crew := newCrew(t, all...)
		c = &changing{began: time.Now(), visits: map[string][]time.Time{}}
		crew.web.answer = c.answer
		crew.web.latency = func(*scraperutils.Request) time.Duration { return 0 }
		crew.pace.NoDelay = true
		w, stop := crew.worker(t, "w")
		defer stop()
		w.Rules.Recrawl, w.Rules.Every = true, fixed
		w.OnVisit = func(v crawl.Visit) { levels[v.Host][v.Result.Level]++ }
		ctx, cancel := context.WithTimeout(t.Context(), span)
		defer cancel()
		require.ErrorIs(t, w.Run(ctx), context.DeadlineExceeded)
	})
	sum := 0.0
	for _, host := range []string{"hourly.example", "daily.example", "never.example"} {
		fresh := 100 * c.fresh(host, span)
		sum += fresh
		table += fmt.Sprintf("| %s | %d | %.0f %% | %d of %d |", strings.TrimSuffix(host, ".example"), c.count(host)/ofEach, fresh, c.seen(host)/ofEach, span/changes[host]+1)
		for level := 1; level <= 10; level++ {
			table += fmt.Sprintf(" %d |", levels[host][level])
		}
		table += "\n"
	}
	table += fmt.Sprintf("| all | %d | %.0f %% | %d of %d answers were 304 |\n", c.asked/ofEach/3, sum/3, c.same, c.asked)
	return c, levels, table
}

// In a week, or almost three days in make test, pages that never change are asked for a few times, those that change each hour as often as may
// be. RECRAWL_TABLE=1 has three weeks go by and prints how that came out, beside fixed pauses.
func TestRecrawl(t *testing.T) {
	const week = 7 * 24 * time.Hour
	hours := testsize.Of(3*24-4, 7*24) // a page that never changes is asked for after a day, and again after two more
	c, levels, _ := revisit(t, time.Duration(hours)*time.Hour, 0)
	never, daily, hourly := c.count("never.example")/ofEach, c.count("daily.example")/ofEach, c.count("hourly.example")/ofEach
	assert.LessOrEqual(t, never, testsize.Of(2, 3))
	assert.GreaterOrEqual(t, daily, testsize.Of(5, 7))
	assert.GreaterOrEqual(t, hourly, testsize.Of(25, 80), "it takes a day to see that they change")
	assert.Positive(t, c.same, "ETags are sent back")
	assert.Zero(t, levels["hourly.example"][6])
	if os.Getenv("RECRAWL_TABLE") == "" {
		return
	}
	for _, fixed := range []time.Duration{0, 4 * time.Hour, 6 * time.Hour, 24 * time.Hour} {
		_, _, table := revisit(t, 3*week, fixed)
		fmt.Print("every ", fixed, "\n", table)
	}
}

// The next visit of a page comes later or earlier, and no answer takes a page out of the round for good that was there before.
func TestPlannedVisits(t *testing.T) {
	ended := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	ok := func(body string) *scraperutils.Response {
		return &scraperutils.Response{Status: 200, Header: http.Header{}, Body: []byte(body)}
	}
	const digestOf = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" // of "test"
	for name, c := range map[string]struct {
		item     crawl.Item
		response *scraperutils.Response
		err      error
		state    crawl.State
		level    int
		in       time.Duration
	}{
		"the first visit":                      {crawl.Item{}, ok("test"), nil, crawl.StateReady, 5, 24 * time.Hour},
		"unchanged":                            {crawl.Item{Level: 5, Visits: 1, Digest: digestOf}, ok("test"), nil, crawl.StateReady, 6, 48 * time.Hour},
		"304":                                  {crawl.Item{Level: 5, Visits: 1, Digest: digestOf}, status(304), nil, crawl.StateReady, 6, 48 * time.Hour},
		"changed":                              {crawl.Item{Level: 5, Visits: 1, Digest: "another"}, ok("test"), nil, crawl.StateReady, 3, 6 * time.Hour},
		"changed, as often as may be":          {crawl.Item{Level: 1, Visits: 9, Digest: "another"}, ok("test"), nil, crawl.StateReady, 1, 90 * time.Minute},
		"unchanged for months":                 {crawl.Item{Level: 10, Visits: 9, Digest: digestOf}, ok("test"), nil, crawl.StateReady, 10, 32 * 24 * time.Hour},
		"gone, that never was there":           {crawl.Item{}, status(404), nil, crawl.StateFailed, 0, 0},
		"gone":                                 {crawl.Item{Level: 6, Visits: 2}, status(404), nil, crawl.StateRetry, 0, 48 * time.Hour},
		"an error, with tries left":            {crawl.Item{Level: 6, Visits: 2}, status(500), nil, crawl.StateRetry, 0, time.Minute},
		"an error, the last try":               {crawl.Item{Level: 6, Visits: 2, Attempts: 3}, status(500), nil, crawl.StateRetry, 0, 48 * time.Hour},
		"no answer, the last try, often asked": {crawl.Item{Level: 1, Visits: 2, Attempts: 3}, nil, errors.New("cut off"), crawl.StateRetry, 0, 24 * time.Hour},
		"an error, the last try of a first visit": {crawl.Item{Attempts: 3}, status(500), nil, crawl.StateFailed, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			c.item.URL = "http://a.example/"
			f := crawl.Rules{Recrawl: true}.Fate(crawl.Outcome{Item: c.item, Response: c.response, Err: c.err, Ended: ended})
			assert.Equal(t, c.state, f.State)
			assert.Equal(t, c.level, f.Level)
			if c.in > 0 {
				assert.Equal(t, ended.Add(c.in), f.Due)
			}
		})
	}
	assert.Equal(t, 90*time.Minute, crawl.LevelInterval(0))
	assert.Equal(t, 32*24*time.Hour, crawl.LevelInterval(99))
}

// An unchanged page says when it was fetched before, so that a copy of then can be named.
func TestUnchangedPageNamesTheVisitBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t, entry("http://never.example/0"), entry("http://never.example/1"))
		web := &changing{began: time.Now(), visits: map[string][]time.Time{}}
		c.web.answer = web.answer
		w, stop := c.worker(t, "w")
		defer stop()
		w.Rules.Recrawl = true
		ctx, cancel := context.WithTimeout(t.Context(), 25*time.Hour)
		defer cancel()
		require.ErrorIs(t, w.Run(ctx), context.DeadlineExceeded)
		require.Len(t, c.sink.pages, 4)
		before := map[string]time.Time{}
		for _, p := range c.sink.pages {
			assert.Equal(t, !before[p.URL].IsZero(), p.Unchanged)
			if p.Unchanged {
				assert.WithinDuration(t, before[p.URL], p.Before, time.Millisecond)
			}
			before[p.URL] = p.At
		}
	})
}
