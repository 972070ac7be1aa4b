package metrics_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/multiscraper/multiscraper/scraperutils/run/feed"
	"github.com/multiscraper/multiscraper/scraperutils/run/metrics"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// ask returns what Prometheus is told.
func ask(h http.Handler) (int, string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return w.Code, w.Body.String()
}

func known(l metrics.Last, err error) func(context.Context, metrics.Last) (metrics.Last, error) {
	return func(context.Context, metrics.Last) (metrics.Last, error) { return l, err }
}

func TestHandler(t *testing.T) {
	over := metrics.Last{Run: sample(), Runs: []runlog.Run{{At: began, Ended: began.Add(time.Second)}}}
	going := feed.Picture{Run: &feed.Run{At: began, Total: 3, Source: "network"}, Statuses: []feed.Status{
		{Label: "a", State: feed.Done, Requests: 3, Records: 12}, {Label: "b", State: feed.Failed, Requests: 2}, {Label: "c", State: feed.Waiting, Requests: 1, Records: 1},
	}}
	ended := going
	ended.End = &feed.End{}
	cut := going
	cut.CutOff = true
	now := func(p feed.Picture) func() feed.Picture { return func() feed.Picture { return p } }
	for name, c := range map[string]struct {
		config   metrics.Config
		has, not []string
	}{
		"a run that has ended": {
			metrics.Config{Last: known(over, nil), Now: now(ended)},
			[]string{`multiscraper_last_run_records{platform="icon"} 15`, "multiscraper_database_readable 1", "multiscraper_current_run_active 0", "go_goroutines ", "process_resident_memory_bytes "},
			[]string{"multiscraper_current_run_records", "multiscraper_worker_up"},
		},
		"a run that goes on": {
			metrics.Config{Last: known(over, nil), Now: now(going)},
			[]string{`multiscraper_last_run_records{platform="icon"} 15`, "multiscraper_current_run_active 1", "multiscraper_current_run_requests 6", "multiscraper_current_run_records 13",
				`multiscraper_current_run_authorities{state="done"} 1`, `multiscraper_current_run_authorities{state="failed"} 1`, `multiscraper_current_run_authorities{state="waiting"} 1`,
				`multiscraper_current_run_authorities{state="queued"} 0`, `multiscraper_current_run_start_timestamp_seconds{source="network"} 1.79522382e+09`},
			nil,
		},
		"a run that was cut off": {metrics.Config{Last: known(over, nil), Now: now(cut)}, []string{"multiscraper_current_run_active 0"}, []string{"multiscraper_current_run_start"}},
		"no run yet":             {metrics.Config{Last: known(metrics.Last{}, nil)}, []string{"multiscraper_database_readable 1"}, []string{"multiscraper_last_run", "multiscraper_current_run"}},
		"a database that can't be read": {
			metrics.Config{Last: known(over, errors.New("/home/somebody/data.sqlite is locked"))}, []string{"multiscraper_database_readable 0", "go_goroutines "},
			[]string{"multiscraper_last_run", "somebody"},
		},
		"workers": {
			metrics.Config{Last: known(metrics.Last{}, nil), Workers: func() map[string]bool { return map[string]bool{"http://a/": true, "http://\"b\n/": false} }},
			[]string{`multiscraper_worker_up{url="http://a/"} 1`, `multiscraper_worker_up{url="http://\"b\n/"} 0`}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			code, text := ask(metrics.Handler(c.config))
			assert.Equal(t, 200, code)
			for _, line := range c.has {
				assert.Contains(t, text, "\n"+line)
			}
			for _, line := range c.not {
				assert.NotContains(t, text, line)
			}
		})
	}
}

// However many ask, the database is read once a second, and one that can't be read any more is shown again as it was once it can.
func TestDatabaseIsReadOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reads, fails := 0, false
		h := metrics.Handler(metrics.Config{Last: func(_ context.Context, known metrics.Last) (metrics.Last, error) {
			if reads++; fails {
				return metrics.Last{}, errors.New("locked")
			}
			if known.Run == nil {
				known.Run = sample()
			}
			return known, nil
		}})
		for range 3 {
			ask(h)
		}
		assert.Equal(t, 1, reads)
		time.Sleep(time.Second)
		fails = true
		_, text := ask(h)
		assert.Contains(t, text, "multiscraper_database_readable 0")
		time.Sleep(time.Second)
		fails = false
		_, text = ask(h)
		assert.Contains(t, text, "multiscraper_last_run_records")
		assert.Equal(t, 3, reads)
	})
}

// Four may ask at once, and a database that does not answer holds nobody up for longer than eight seconds.
func TestScrapesAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := metrics.Handler(metrics.Config{Last: func(ctx context.Context, _ metrics.Last) (metrics.Last, error) {
			<-ctx.Done()
			return metrics.Last{}, ctx.Err()
		}})
		at, codes := time.Now(), make(chan int, 9)
		var all sync.WaitGroup
		for range 9 {
			all.Go(func() {
				code, text := ask(h)
				codes <- code
				assert.Equal(t, code == 200, strings.Contains(text, "multiscraper_database_readable 0"))
			})
		}
		synctest.Wait()
		assert.Len(t, codes, 5, "they were turned away at once")
		all.Wait()
		assert.Equal(t, 8*time.Second, time.Since(at))
		counts := map[int]int{}
		for range 9 {
			counts[<-codes]++
		}
		assert.Equal(t, map[int]int{http.StatusServiceUnavailable: 5, http.StatusOK: 4}, counts)
	})
}
