package report_test

import (
	"context"
	"io"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/pagetest"
	"github.com/multiscraper/multiscraper/scraperutils/run/board"
	"github.com/multiscraper/multiscraper/scraperutils/run/feed"
	nowpage "github.com/multiscraper/multiscraper/scraperutils/run/live"
	"github.com/multiscraper/multiscraper/scraperutils/run/report"
)

// A page that is open follows what a run tells of itself. What a site says is text.
func TestRunIsFollowedByItsFeed(t *testing.T) {
	hub := feed.NewHub()
	server := httptest.NewServer(board.New(board.Config{
		Read: func(context.Context) (*report.Overview, error) { return nil, report.ErrNoRun },
		Live: nowpage.New(nowpage.Config{Name: "scrape", Site: "authority", Hub: hub}),
	}))
	defer server.Close()
	from, to := io.Pipe()
	read := make(chan error, 1)
	go func() { read <- hub.Read(from) }()
	defer func() {
		_ = to.Close()
		<-read
	}()
	w := pagetest.Open(t)
	defer w.Show("<title>done</title>", "") // or the server would wait for its events
	tell := func(line string) {
		t.Helper()
		_, err := io.WriteString(to, line+"\n")
		require.NoError(t, err)
	}
	tell(`{"run":{"at":"2026-11-22T01:17:00Z","process":7,"total":2,"source":"network"}}`)
	tell(`{"statuses":[{"label":"kyogle","state":"waiting","host":"k:443","rule":"crawl-delay","requests":3,"records":20},{"label":"hobart","state":"asking"}]}`)
	w.Visit(server.URL + "/now")
	w.Until(`document.getElementById("count-waiting")?.textContent === "1"`)
	tell(`{"statuses":[{"label":"hobart","state":"failed","verdict":"failed","error":"<img src=x onerror=alert(1)>"}]}`)
	w.Until(`document.getElementById("count-failed").textContent === "1"`)
	w.Until(`document.querySelector("#all tr[data-label=hobart]").textContent.includes("<img src=x")`)
	assert.Zero(t, w.Document().Find("img").Length())
	for _, width := range []int{390, 1280} {
		w.Look(width, width == 390)
		var across int
		w.Run("document.documentElement.scrollWidth", &across)
		assert.LessOrEqual(t, across, width)
	}
}
