package report_test

import (
	"bytes"
	"context"
	"net/http/httptest"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/pagetest"
	"github.com/multiscraper/multiscraper/scraperutils/run/board"
	nights "github.com/multiscraper/multiscraper/scraperutils/run/history"
	"github.com/multiscraper/multiscraper/scraperutils/run/report"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

func read(t *testing.T, page *bytes.Buffer) *goquery.Document {
	t.Helper()
	doc, err := goquery.NewDocumentFromReader(page)
	require.NoError(t, err)
	return doc
}

func historyPage(t *testing.T, h *nights.History, l report.Links) *goquery.Document {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, report.WriteHistory(&b, report.Cover{Database: "data.sqlite", Made: sampleBegan, Terms: report.Councils, Links: l}, h))
	return read(t, &b)
}

// Each run of 90 nights is a bar of each chart and a row of the table, and leads to its own page.
func TestHistoryPage(t *testing.T) {
	doc := historyPage(t, &nights.History{Runs: sampleRuns(90)}, report.Served("/now"))
	assert.Equal(t, "90 runs from 18 December 2025 to 17 March 2026, 1 ended early, 1 killed.", said(doc, ".lede"))
	assert.Equal(t, []string{"Last run", "History", "Compare", "Now"}, texts(doc.Find("nav a")))
	assert.Equal(t, "History", said(doc, "nav [aria-current=page]"))
	charts := doc.Find("svg.chart")
	require.Equal(t, 4, charts.Length())
	charts.Each(func(_ int, s *goquery.Selection) {
		assert.Equal(t, 90, s.Find("a").Length(), "one bar a run")
		assert.Equal(t, 2, s.Find(".m-unfinished").Length(), "the two that did not come to their end have a mark")
	})
	bar := charts.First().Find("a").Eq(30)
	assert.Equal(t, "/run/2026-01-17T02:00:00", bar.AttrOr("href", ""))
	assert.Equal(t, "2026-01-17T02:00:00 (killed), 610 records", bar.Find("title").Text())
	assert.Equal(t, []string{"layout", "timeout", "maintenance"}, texts(doc.Find("#classes ~ .box tbody th")), "the most frequent first")
	assert.Equal(t, 7, doc.Find("#classes ~ .box tbody tr").Eq(1).Find("a").Length(), "timeouts are of seven runs")
	assert.Equal(t, []string{"icon", "epathway", "technologyone"}, texts(doc.Find("#platforms ~ .box tbody th")))

	rows := doc.Find("table.runs tbody tr")
	require.Equal(t, 90, rows.Length())
	assert.Equal(t, "/run/2026-03-17T02:00:00", rows.First().Find("th a").AttrOr("href", ""), "the latest first")
	assert.Equal(t, "/compare?b=2026-03-17T02:00:00", rows.First().Find(".reason a").AttrOr("href", ""))
	assert.Contains(t, texts(rows), "2026-01-17T02:00:0014336101,800–killed, 91 without an outcome3 layout (2 icon) compare")
	doc.Find("svg").Each(func(_ int, s *goquery.Selection) {
		assert.Equal(t, "true", s.AttrOr("aria-hidden", ""), "the table says the same")
	})
	assert.Equal(t, doc.Find("svg a").Length(), doc.Find("svg a[tabindex='-1']").Length(), "keys go through the table")
}

// One run has nothing beside it, and files lead to files alone.
func TestHistoryPageOfLittle(t *testing.T) {
	one := sampleRuns(1)
	one[0].Bad, one[0].Classes, one[0].Platforms = 0, nil, nil
	one[0].Day = one[0].At.AddDate(0, 0, -3)
	doc := historyPage(t, &nights.History{Runs: one, Before: 2, MadeUp: true}, report.Filed("", false))
	assert.Zero(t, doc.Find("svg").Length())
	assert.Contains(t, said(doc, "main"), "There is one run, and nothing to see it beside")
	assert.Contains(t, said(doc, "main"), "None: every authority ended well in every run.")
	assert.Contains(t, said(doc, ".lede"), "2 runs before them are not shown.")
	assert.Equal(t, "Built-in sites: the records are made up.", said(doc, ".banner"))
	assert.Contains(t, said(doc, "table.runs th small"), "as of ")
	assert.Equal(t, []string{"index.html", "history.html"}, doc.Find("nav a").Map(func(_ int, s *goquery.Selection) string { return s.AttrOr("href", "") }))
	assert.Zero(t, doc.Find("main a:not([href^='#'])").Length())
}

// Markup in any text stays text, on all pages of the past.
func TestPastPagesEscape(t *testing.T) {
	page := func(text string) int {
		runs := sampleRuns(2)
		runs[0].Classes, runs[1].Platforms = map[string]int{text: 1}, map[string]int{text: 1}
		runs[1].Cause = text
		total := historyPage(t, &nights.History{Runs: runs}, report.Served("/now")).Find("*").Length()
		outcome := nights.Outcome{Verdict: runlog.Failed, Class: scraperutils.Class(text), Error: text}
		pair := nights.Pair{Label: text, Platform: text, Now: outcome, Before: outcome, Fell: []runlog.Fall{{Field: text}}}
		c := &nights.Comparison{
			Before: runs[0], Now: runs[1], New: []nights.Pair{pair}, Recovered: []nights.Pair{pair}, Fewer: []nights.Pair{pair}, Emptier: []nights.Pair{pair},
			OnlyNow: []string{text}, Alike: []string{text}, Runs: []runlog.Run{runs[0].Run},
		}
		var b bytes.Buffer
		require.NoError(t, report.WriteComparison(&b, report.Cover{Links: report.Served(""), Terms: report.Councils}, c))
		doc := read(t, &b)
		assert.Zero(t, doc.Find("img, [onerror]").Length())
		return total + doc.Find("*").Length()
	}
	assert.Equal(t, page("harmless"), page(hostile))
}

// What is known beyond the overview stands on the page of an authority: older runs, and how full its fields were.
func TestAuthorityPageOfNinetyNights(t *testing.T) {
	o, a, shown := sampleFailed(t)
	worked := *shown
	worked.Pages = append(worked.Pages[:0:0], shown.Pages...)
	worked.Pages[1].URL, worked.Pages[1].Markup = worked.Pages[1].URL+"?page=1", "<p>all was well</p>"
	var b bytes.Buffer
	require.NoError(t, report.WriteAuthority(&b, o, a, report.Recordings{Failure: shown, Worked: &worked}, samplePast(90), report.Served("/now")))
	doc := read(t, &b)
	assert.Equal(t, 30, doc.Find("#runs ~ .box tbody tr").Length())
	assert.Equal(t, 59, doc.Find("details.rest tbody tr").Length())
	assert.Equal(t, 89, doc.Find("svg.chart").First().Find("a").Length())
	for verdict, shape := range map[string]string{"failed": "7", "partial": "3"} {
		mark := doc.Find("svg.chart .m-" + verdict).First()
		require.Equal(t, 1, mark.Length(), verdict)
		assert.Equal(t, shape, mark.AttrOr("height", ""))
	}
	assert.Equal(t, []string{"address", "council_reference", "description", "on_notice_to"}, texts(doc.Find("#fields ~ .box tbody th")))
	description := doc.Find("#fields ~ .box tbody tr").Eq(2)
	cells := texts(description.Find(".n"))
	assert.Equal(t, []string{"0%", "0%"}, []string{cells[0], cells[2]}, "the last and the least")
	assert.Regexp(t, `^8\d%$`, cells[1], "what is usual")
	assert.Positive(t, description.Find(".v-partial").Length(), "what has become empty is seen")
	assert.Equal(t, 3, doc.Find("iframe").Length())
	assert.Contains(t, doc.Find(".exhibit[open] iframe").Eq(1).AttrOr("srcdoc", ""), "all was well", "the page is beside how it looked when it worked")
}

// What differs between two runs is told in the order in which it matters, on a page and in a terminal.
func TestComparison(t *testing.T) {
	c := sampleComparison(sampleOverview(143))
	var b bytes.Buffer
	require.NoError(t, report.WriteComparison(&b, report.Cover{Terms: report.Councils, Links: report.Served("/now")}, c))
	doc := read(t, &b)
	assert.Equal(t, "3 failing now, 2 emptier fields, 1 fewer records, 1 slower, 3 mended", said(doc, ".changes"))
	assert.Equal(t, "/authority/cowra_plains.html", doc.Find("#is-new ~ .box tbody a").First().AttrOr("href", ""))
	assert.Equal(t, "2026-03-16T02:00:00", doc.Find("#a option[selected]").AttrOr("value", ""))
	assert.Equal(t, "2026-03-17T02:00:00", doc.Find("#b option[selected]").AttrOr("value", ""))
	assert.Equal(t, 90, doc.Find("#a option").Length())
	assert.Contains(t, doc.Find("meta[http-equiv]").AttrOr("content", ""), "form-action 'self'")
	assert.Contains(t, said(doc, "main"), "Not asked now: gone, left.")

	text := report.ComparisonText(c)
	for _, want := range []string{
		"Run 2026-03-17T02:00:00 beside run 2026-03-16T02:00:00\n",
		"\nFailing now (3): they ended well before\n  cowra_plains: failed (timeout), 0 records, before ok, 40 records\n    fetch list page 3",
		"\nEmptier fields (2): they hold something in less than half of the records of before\n  hillgrove: in 2%, before in 98% (description)\n",
		"\nFewer records (1): by more than 20%, of those that ended well in both runs\n  fernmount: 12, before 40 (-70%)\n",
		"\nWithout an outcome in one of the runs: late\n",
	} {
		assert.Contains(t, text, want)
	}
	same := report.ComparisonText(&nights.Comparison{Before: c.Before, Now: c.Now})
	assert.NotContains(t, same, "Failing")

	b.Reset()
	require.NoError(t, report.WriteComparison(&b, report.Cover{Links: report.Filed("", true)}, c))
	assert.Zero(t, read(t, &b).Find("form").Length(), "a file can't be asked")
}

// A click on a bar leads to its run, and the form to the comparison that was asked for.
func TestRunsAreFoundByClicks(t *testing.T) {
	testsize.SkipUnlessFull(t) // family's TestServeByClicks clicks through a server
	o := withTimelines(0, sampleOverview(25))
	server := httptest.NewServer(board.New(board.Config{Read: func(context.Context) (*report.Overview, error) { return o, nil }, Past: samplePages(o, sampleComparison(o), 90)}))
	defer server.Close()
	w := pagetest.Open(t)
	w.Visit(server.URL + "/history")
	w.Click(".chart a:nth-of-type(80)")
	w.Until(`document.readyState === "complete" && location.pathname + location.search === "/run/2026-03-07T02:00:00"`)
	assert.Contains(t, said(w.Document(), ".kicker"), "One run alone, of ")
	assert.Zero(t, w.Document().Find("nav [aria-current]").Length())

	w.Visit(server.URL + "/compare")
	var done bool
	w.Run(`(() => { a.value = "2026-03-01T02:00:00"; b.value = "2026-03-09T02:00:00"; percent.value = "35"; document.querySelector(".choose button").click(); return true; })()`, &done)
	w.Until(`document.readyState === "complete" && location.pathname + location.search === "/compare?a=2026-03-01T02%3A00%3A00&b=2026-03-09T02%3A00%3A00&percent=35"`)
	doc := w.Document()
	assert.Equal(t, "2026-03-09T02:00:00 beside 2026-03-01T02:00:00.", said(doc, ".lede"))
	assert.Equal(t, "35", doc.Find("#percent").AttrOr("value", ""))
}
