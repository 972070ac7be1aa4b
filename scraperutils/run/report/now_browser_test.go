package report_test

import (
	"context"
	"fmt"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/pagetest"
	"github.com/multiscraper/multiscraper/scraperutils/run/board"
	"github.com/multiscraper/multiscraper/scraperutils/run/feed"
	nowpage "github.com/multiscraper/multiscraper/scraperutils/run/live"
	"github.com/multiscraper/multiscraper/scraperutils/run/report"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// followed is a page of a run, which a test tells what the run says.
type followed struct {
	*pagetest.Window
	tell func(line string)
	url  string
}

func followRun(t *testing.T) *followed {
	t.Helper()
	hub := feed.NewHub()
	server := httptest.NewServer(board.New(board.Config{
		Read: func(context.Context) (*report.Overview, error) { return nil, report.ErrNoRun },
		Live: nowpage.New(nowpage.Config{Name: "scrape", Site: "authority", Hub: hub}),
	}))
	t.Cleanup(server.Close)
	from, to := io.Pipe()
	read := make(chan error, 1)
	go func() { read <- hub.Read(from) }()
	t.Cleanup(func() {
		_ = to.Close()
		<-read
	})
	return &followed{pagetest.Open(t), func(line string) {
		t.Helper()
		_, err := io.WriteString(to, line+"\n")
		require.NoError(t, err)
	}, server.URL}
}

// A page that is open follows what a run tells of itself. What a site says is text.
func TestRunIsFollowedByItsFeed(t *testing.T) {
	w := followRun(t)
	w.Visit(w.url + "/now")
	w.tell(`{"run":{"at":"2026-11-22T01:17:00Z","process":7,"total":2,"source":"network"}}`)
	w.tell(`{"statuses":[{"label":"kyogle","state":"waiting","host":"k:443","rule":"crawl-delay","expected":"2099-01-01T00:00:00Z","requests":3,"records":20},{"label":"hobart","state":"asking"}]}`)
	w.Until(`document.getElementById("count-waiting")?.textContent === "1"`)
	w.Until(`document.getElementById("slow").textContent.startsWith("kyogle k:443: crawl-delay")`)
	w.Until(`document.getElementById("left").textContent.startsWith("At least ")`)
	w.tell(`{"statuses":[{"label":"hobart","state":"failed","verdict":"failed","error":"<img src=x onerror=alert(1)>"}]}`)
	w.Until(`document.getElementById("count-failed").textContent === "1"`)
	w.Until(`document.querySelector("#all tr[data-label=hobart]").textContent.includes("<img src=x")`)
	assert.Zero(t, w.Document().Find("img").Length())
	for _, width := range []int{390, 1280} {
		w.Look(width, width == 390)
		var across int
		w.Run("document.documentElement.scrollWidth", &across)
		assert.LessOrEqual(t, across, width)
	}
	w.tell(`{"end":{"at":"2026-11-22T01:18:00Z","exit_code":1}}`)
	w.Until(`document.getElementById("sentence").textContent.includes("with exit code 1") && !document.getElementById("slow")`)
	assert.Contains(t, said(w.Document(), "#all"), "<img src=x", "what it came to stays")
}

// A thousand sites, of which all change at once, are shown at once.
func TestThousandSitesAreFollowed(t *testing.T) {
	testsize.SkipUnlessFull(t) // TestRunIsFollowedByItsFeed follows fewer
	w := followRun(t)
	all := func(state string) string {
		var statuses []string
		for i := range 1000 {
			statuses = append(statuses, fmt.Sprintf(`{"label":"site_%d","state":%q,"host":"site-%d.example:443","rule":"politeness (crawl-delay)","requests":3,"records":2}`, i, state, i))
		}
		return `{"statuses":[` + strings.Join(statuses, ",") + `]}`
	}
	w.tell(`{"run":{"at":"2026-11-22T01:17:00Z","process":7,"total":1000,"source":"network"}}`)
	w.tell(all("waiting"))
	w.Visit(w.url + "/now")
	w.Until(`all.size === 1000`)
	for _, state := range []string{"failed", "done"} {
		w.tell(all(state))
		w.Until(`document.getElementById("count-` + state + `").textContent === "1,000" && document.querySelectorAll("#all tr[data-state=` + state + `]").length === 1000`)
	}
	w.Until(`document.getElementById("sum-requests").textContent === "3,000" && document.getElementById("progress").value === 1000`)
	var took float64
	w.Run(`(() => { for (const [label, s] of all) { s.requests++; changed.add(label); } const began = performance.now(); draw(); return performance.now() - began; })()`, &took)
	t.Logf("drawn in %.1f ms", took)
}
