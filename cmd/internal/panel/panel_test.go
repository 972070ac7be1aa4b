package panel_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/multiscraper/multiscraper/cmd/internal/panel"
	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
)

var now = time.Date(2026, 11, 21, 1, 18, 0, 0, time.Local)

func TestLines(t *testing.T) {
	host := scraperutils.Host{Name: "noo-web.example", Port: "443"}
	waits := func(label, rule string, d time.Duration) scheduler.OperationStatus {
		return scheduler.OperationStatus{Label: label, State: scheduler.StateWaiting, Host: host, Pages: 2, Records: 600, Wait: scraperutils.Wait{Rule: rule, Until: now.Add(d)}}
	}
	all := []scheduler.OperationStatus{
		{Label: "done", State: scheduler.StateEnded, Pages: 1},
		waits("polite", "crawl-delay", 12*time.Second),
		{Label: "asked", State: scheduler.StateRequesting, Host: host, Since: now.Add(-3 * time.Second)},
		{Label: "slow", State: scheduler.StateRunning, Host: host},
		waits("slowest", "Retry-After", 10*time.Minute),
		{Label: "later", State: scheduler.StateRegistered},
	}
	r := panel.Run{Now: now, Began: now.Add(-time.Minute), Attempt: 1, Usual: map[string]time.Duration{"slow": 2 * time.Minute}}
	assert.Equal(t, []string{
		"█░░░░░░░░░ 1 of 6 done · 4 at work · 1 to come · 5 requests · 1,200 records · about 10m0s to go",
		"  slowest              noo-web.example                    waits 10m0s, until 01:28:00: asked for (Retry-After)",
		"  slow                 noo-web.example                    reads a page",
		"  polite               noo-web.example                    waits 12s, until 01:18:12: politeness (crawl-delay)",
		"  asked                noo-web.example                    the site is answering for 3s",
	}, panel.Lines(all, r))
	r.Columns = 80
	assert.Equal(t, []string{
		"█░░░░░░░░░ 1 of 6 done · 4 at work · 1 to come · 5 requests · 1,200 records · a…",
		"  slowest          noo-web.example          waits 10m0s: asked for (Retry-After)",
		"  slow             noo-web.example          reads a page",
		"  polite           noo-web.example          waits 12s: politeness (crawl-delay)",
		"  asked            noo-web.example          the site is answering for 3s",
	}, panel.Lines(all, r))
}

// There are no more lines than the screen has room for, and no more than eight operations.
func TestLinesFit(t *testing.T) {
	var all []scheduler.OperationStatus
	for i := range 100 {
		all = append(all, scheduler.OperationStatus{Label: fmt.Sprint(i), State: scheduler.StateRunning})
	}
	for rows, want := range map[int]int{0: 9, 50: 9, 24: 9, 12: 5, 6: 2, 1: 1} {
		assert.Len(t, panel.Lines(all, panel.Run{Now: now, Began: now, Rows: rows}), want, rows)
	}
	assert.Equal(t, []string{"░░░░░░░░░░ 0 of 0 done (attempt 2 on what failed) · 0 requests · 0 records"}, panel.Lines(nil, panel.Run{Now: now, Began: now, Attempt: 2}))
}
