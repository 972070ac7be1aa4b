package crawl_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/scope"
)

// A crawl of so many pages asks for so many, whatever is in flight at once, over all its runs.
func TestMaxPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t, entries(20, 20)...)
		c.pace.PerHost = 3
		c.web.answer = func(r *scraperutils.Request, asked int) (*scraperutils.Response, error) {
			if r.URL.Path == "/3" && asked == 0 {
				return status(503), nil
			}
			return nil, nil
		}
		for _, n := range []int{1, 30, 30, 77} {
			c.run(t, func(w *crawl.Worker) { w.MaxPages = n })
			assert.Equal(t, n, c.counts(t).Done)
			assert.Zero(t, c.counts(t).Leased)
		}
		total := 0
		for _, n := range c.web.asked {
			total += n
		}
		assert.Equal(t, 77, total-c.counts(t).Retrying-c.retried())
	})
}

// retried returns how many pages were asked for again.
func (c *crew) retried() (n int) {
	for _, times := range c.web.asked {
		if times > 1 {
			n++
		}
	}
	return n
}

// A host that answers with errors loses its place to others, and one that has given its pages too; both come back.
func TestBudgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t, append(append(entriesOf("broken", 40), entriesOf("good", 120)...), entriesOf("other", 10)...)...)
		c.web.answer = func(r *scraperutils.Request, asked int) (*scraperutils.Response, error) {
			if r.URL.Host == "broken.example" && asked < 1 {
				return status(500), nil
			}
			return nil, nil
		}
		c.run(t, func(w *crawl.Worker) { w.Hosts, w.Rules.RetryAfter = 1, time.Second })
		assert.Equal(t, 170, c.counts(t).Done)
		turns := map[string][]int{} // pages of a host in a row, all through
		last := ""
		for _, e := range c.web.log {
			if e.host != last {
				turns[e.host] = append(turns[e.host], 0)
				last = e.host
			}
			turns[e.host][len(turns[e.host])-1]++
		}
		assert.Equal(t, 10, turns["broken.example"][0])
		assert.Equal(t, 50, turns["good.example"][0])
		assert.Equal(t, []int{10}, turns["other.example"])
	})
}

// A calendar is left though each of its pages has the menu of the site: the worker remembers what it has found.
func TestCalendarWithAMenu(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t, entry("http://a.example/"))
		menu := []string{"/", "/about", "/contact", "/calendar/1"}
		c.web.answer = func(r *scraperutils.Request, _ int) (*scraperutils.Response, error) {
			a, n := page(r), 0
			to := menu
			if _, err := fmt.Sscanf(r.URL.Path, "/calendar/%d", &n); err == nil {
				to = append(to[:len(to):len(to)], fmt.Sprint("/calendar/", n+1), fmt.Sprintf("/calendar/%d?view=week", n))
			}
			a.Body = []byte(links(to...))
			return a, nil
		}
		c.run(t, func(w *crawl.Worker) { w.Scope.Kind, w.MaxPages = scope.Host, 1000 })
		assert.LessOrEqual(t, len(c.web.asked), 100)
		assert.Positive(t, c.traps(t)["a.example series of pages"])
	})
}
