package report_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/pagetest"
	"github.com/multiscraper/multiscraper/scraperutils/run/board"
	"github.com/multiscraper/multiscraper/scraperutils/run/exhibit"
	"github.com/multiscraper/multiscraper/scraperutils/run/feed"
	nights "github.com/multiscraper/multiscraper/scraperutils/run/history"
	nowpage "github.com/multiscraper/multiscraper/scraperutils/run/live"
	"github.com/multiscraper/multiscraper/scraperutils/run/report"
	"github.com/multiscraper/multiscraper/scraperutils/run/status"
	"github.com/multiscraper/multiscraper/scraperutils/run/workers"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// judge is axe-core, or skips the test where it is missing.
func judge(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../testdata/node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Skip("axe-core is missing: run npm ci in scraperutils/run/testdata")
	}
	return string(text)
}

// fault is what axe-core objects to.
type fault struct {
	ID, Impact, Help string
	Nodes            []struct {
		HTML           string
		FailureSummary string
	}
}

// faults asks axe-core about the page that is open. What stands in frames is of sites, not ours.
func faults(w *pagetest.Window, axe string) (all []fault) {
	w.Run(axe+`;
		for (const each of document.querySelectorAll("details")) each.open = true;
		axe.run(document, {
			iframes: false,
			resultTypes: ["violations"],
			runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
		}).then((result) => result.violations)`, &all)
	return all
}

// looks is the widths and lights in which pages are judged: on a dark phone, or all four.
func looks() (all []struct {
	width int
	dark  bool
}) {
	for i, width := range []int{390, 1280, 1280, 390} {
		all = append(all, struct {
			width int
			dark  bool
		}{width, i%2 == 0})
	}
	return all[:testsize.Of(1, 4)]
}

// judged holds each page to the rules of accessibility, in each look, and to its width.
func judged(t *testing.T, w *pagetest.Window, name, address string) {
	t.Helper()
	axe := judge(t)
	w.Visit(address)
	for _, look := range looks() {
		w.Look(look.width, look.dark)
		at := fmt.Sprintf("%s, %d wide, dark %t", name, look.width, look.dark)
		for _, f := range faults(w, axe) {
			for _, n := range f.Nodes[:min(3, len(f.Nodes))] {
				t.Errorf("%s: %s (%s), %d times: %s\n%s\n%s", at, f.ID, f.Impact, len(f.Nodes), f.Help, n.HTML, n.FailureSummary)
			}
		}
		var across int
		w.Run("document.documentElement.scrollWidth", &across)
		assert.LessOrEqual(t, across, look.width, "%s does not scroll sideways", at)
	}
}

// sampleServer serves all pages, with a run that goes on.
func sampleServer(t *testing.T) (address string, o *report.Overview, failing string) {
	t.Helper()
	o, a, shown := sampleFailed(t)
	worked := &exhibit.Exhibit{Pages: []exhibit.Page{{Method: "GET", URL: shown.Pages[1].URL, Status: 200, Title: "Terms", Markup: shown.Pages[0].Markup}}}
	withTimelines(3, o)
	two := sampleComparison(o)
	o.Authorities = slices.Concat(o.Authorities[:6], o.Authorities[17:testsize.Of(24, 60)])
	hub := feed.NewHub()
	from, to := io.Pipe()
	read := make(chan error, 1)
	go func() { read <- hub.Read(from) }()
	others := sampleWorkers(t)
	server := httptest.NewServer(board.New(board.Config{
		Read: func(context.Context) (*report.Overview, error) { return o, nil },
		Recordings: func(*report.Authority) report.Recordings {
			return report.Recordings{Failure: shown, Worked: worked, Good: "evidence/good/x.yml"}
		},
		Past:    samplePages(o, two, testsize.Of(8, 90)),
		Live:    nowpage.New(nowpage.Config{Name: "scrape", Site: "authority", Hub: hub, Runner: idle{}, Workers: others.Section}),
		Workers: others.Handler("scrape"),
	}))
	t.Cleanup(func() {
		_ = to.Close()
		<-read
		server.Close()
	})
	for _, line := range []string{
		`{"run":{"at":"2026-11-22T01:17:00Z","process":7,"total":3,"source":"network"}}`,
		`{"statuses":[{"label":"kyogle","state":"waiting","host":"k:443","rule":"crawl-delay","until":"2036-11-22T01:17:00Z","requests":3,"records":20},{"label":"hobart","state":"asking","host":"h:443"},{"label":"noosa","state":"failed","verdict":"failed","error":"no table.grid"}]}`,
		`{"requests":[{"label":"kyogle","method":"GET","url":"https://k/list","status":200,"bytes":4000,"ms":120}]}`,
	} {
		_, err := io.WriteString(to, line+"\n")
		require.NoError(t, err)
	}
	return server.URL, o, a.Label
}

// sampleWorkers has been told by one worker how it is, and by another nothing.
func sampleWorkers(t *testing.T) *workers.Watcher {
	t.Helper()
	one := httptest.NewServer(status.Handler(func(context.Context) (status.Status, error) {
		return status.Status{
			Program: "crawl", State: status.Working, Figures: []status.Figure{{Name: "pages", Value: 12345, Unit: "pages"}},
			Slow: []string{"a.example: 120 left, one in 5s (crawl-delay)"}, Problems: []string{"no route to b.example"},
		}, nil
	}))
	t.Cleanup(one.Close)
	var addresses []*url.URL
	for _, text := range []string{one.URL, "http://127.0.0.1:1"} {
		address, err := url.Parse(text)
		require.NoError(t, err)
		addresses = append(addresses, address)
	}
	w := workers.New(addresses, "")
	ctx, end := context.WithCancel(t.Context())
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		w.Watch(ctx)
	}()
	t.Cleanup(func() {
		end()
		<-watched
	})
	require.Eventually(t, func() bool { return len(w.Up()) == len(addresses) }, time.Minute, 10*time.Millisecond)
	return w
}

// idle begins nothing.
type idle struct{}

func (idle) Begin(nowpage.Which) error { return nowpage.ErrRunning }
func (idle) Stop(string) error         { return nowpage.ErrIdle }

// Nobody is kept from reading a page of the server: no rule of WCAG 2.2 AA, nor of good practice, is broken.
func TestServedPagesAreAccessible(t *testing.T) {
	w := pagetest.Open(t)
	judge(t)
	address, o, failing := sampleServer(t)
	defer w.Show("<title>done</title>", "") // or the server would wait for its events
	for _, page := range []struct{ name, path string }{
		{"index", "/"}, {"now", "/now"}, {"failing", "/authority/" + report.PageName(failing)}, {"fine", "/authority/" + report.PageName(o.Authorities[1].Label)},
		{"history", "/history"}, {"run", "/run/2026-03-01T02:00:00"}, {"compare", "/compare"}, {"site", "/site/kyogle"}, {"workers", "/workers"},
	}[:testsize.Of(1, 9)] {
		t.Run(page.name, func(t *testing.T) { judged(t, w.Of(t), page.name, address+page.path) })
	}
}

// Nor one that is a file.
func TestWrittenPagesAreAccessible(t *testing.T) {
	testsize.SkipUnlessFull(t) // TestServedPagesAreAccessible has pages of the same parts
	w := pagetest.Open(t)
	judge(t)
	o, a, shown := sampleFailed(t)
	o.MadeUp = true
	withTimelines(1, o)
	two := sampleComparison(o)
	o.Authorities = o.Authorities[:6]
	folder := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(folder, report.AuthorityFolder), 0o755))
	cover := report.Cover{Database: o.Database, Made: o.Made, Terms: o.Terms, Links: report.Filed("", true)}
	for name, write := range map[string]func(io.Writer) error{
		"index.html": func(w io.Writer) error { return report.WriteIndex(w, o, cover.Links) },
		"history.html": func(w io.Writer) error {
			return report.WriteHistory(w, cover, &nights.History{Runs: sampleRuns(3), MadeUp: true})
		},
		"compare.html": func(w io.Writer) error { return report.WriteComparison(w, cover, two) },
		"authority/bad.html": func(w io.Writer) error {
			return report.WriteAuthority(w, o, a, report.Recordings{Failure: shown}, samplePast(3), report.Filed("../", true))
		},
		"authority/good.html": func(w io.Writer) error {
			return report.WriteAuthority(w, o, &o.Authorities[1], report.Recordings{}, nil, report.Filed("../", true))
		},
	} {
		var b bytes.Buffer
		require.NoError(t, write(&b))
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
		t.Run(name, func(t *testing.T) {
			judged(t, w.Of(t), "file-"+strings.TrimSuffix(filepath.Base(name), ".html"), "file://"+path)
		})
	}
}
