package report_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/report"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
	"github.com/multiscraper/multiscraper/scraperutils/run/trace"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

func pageOf(t testing.TB, o *report.Overview) (string, *goquery.Document) {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, report.WritePage(&b, o))
	doc, err := goquery.NewDocumentFromReader(bytes.NewReader(b.Bytes()))
	require.NoError(t, err)
	return b.String(), doc
}

// said is the text of what a selector finds, with single spaces.
func said(doc *goquery.Document, selector string) string {
	return strings.Join(strings.Fields(doc.Find(selector).Text()), " ")
}

func texts(s *goquery.Selection) []string {
	return s.Map(func(_ int, each *goquery.Selection) string { return strings.Join(strings.Fields(each.Text()), " ") })
}

// All of this is there without any script.
func TestPageOfANight(t *testing.T) {
	o := sampleOverview(143)
	_, doc := pageOf(t, o)

	assert.Equal(t, "14 of 142 authorities need attention – Tuesday 17 March 2026", said(doc, "title"))
	assert.Equal(t, 1, doc.Find("h1").Length())
	assert.Equal(t, "14 of 142 authorities need attention", said(doc, "h1"))
	assert.Contains(t, said(doc, ".lede"), "It began at 02:00 (+11:00), took 6h00m and ended with exit code 124: the run's time was up. It saved 3,")
	assert.Equal(t, "Ended early. ERROR: Script exceeded maximum allowed runtime of 6.0 hours!", said(doc, ".cause"))
	assert.Equal(t, []string{"112 ok", "16 empty", "3 partial", "0 implausible", "2 silent", "1 unfinished", "8 failed"}, texts(doc.Find(".tally li")))

	assert.Equal(t, []string{
		"New 3 well the time before, or never seen; 2 timeout, 1 dns",
		"Still 10 bad the time before too; 1 blocked, 1 http-5xx, 1 layout, 1 maintenance, 1 panic, 1 quality, 1 run-timeout, 1 tls",
		"Unfinished 1 the run was over before they were",
		"Recovered 5 bad the time before, well now",
	}, texts(doc.Find(".group h3")))
	pambula := doc.Find(".items > li").FilterFunction(func(_ int, s *goquery.Selection) bool { return strings.HasPrefix(s.Find("h4").Text(), "pambula") })
	require.Equal(t, 1, pambula.Length())
	for _, text := range []string{"dns", "no such host", "evidence/2026-03-17T02-00/pambula.yml"} {
		assert.Contains(t, pambula.Text(), text)
	}
	assert.Equal(t, "scrape --authority pambula --replay evidence/2026-03-17T02-00", pambula.Find(".command code").Text())
	assert.Contains(t, doc.Find("details pre").Text(), "authorities/icon/list.go:41 readPage", "a long error is there as a whole")
	assert.Contains(t, said(doc, "#silent"), "no records for 88 days")

	assert.Contains(t, doc.Text(), o.Run.Critical.Sentence)
	assert.GreaterOrEqual(t, doc.Find(".share span").Length(), 4)

	rows := doc.Find("#table tbody tr")
	require.Equal(t, 143, rows.Length())
	rows.Each(func(i int, row *goquery.Selection) {
		require.Equal(t, o.Authorities[i].Label, row.Find("th[scope=row]").Text())
		require.Equal(t, 30, row.Find(".strip i[title]").Length())
	})
	assert.Equal(t, doc.Find("#table thead th").Length(), doc.Find("#table thead th[scope=col]").Length())
	assert.Equal(t, 1, doc.Find("#table caption").Length())
	assert.Equal(t, 141, doc.Find(".lanes ol > li").Length(), "a lane for each with a timeline")
	assert.Equal(t, 40, doc.Find(".timeline > .lanes ol > li").Length(), "and 40 of them at once")
	assert.Equal(t, "Show all 141 authorities", said(doc, ".timeline > .rest > summary"))
	assert.Contains(t, said(doc, "footer"), "data.sqlite")
}

func TestPageRow(t *testing.T) {
	o := sampleOverview(143)
	o.Authorities = o.Authorities[:4]
	o.Run.Unfinished = []string{o.Authorities[3].Label}
	o.Days = []string{"2026-03-15", "2026-03-16", "2026-03-17"}
	done, few, earlier, cut := &o.Authorities[0], &o.Authorities[1], &o.Authorities[2], &o.Authorities[3]
	done.Verdict, done.Records, done.Rejected, done.Requests, done.Seconds, done.Attempts, done.LastRecords = runlog.OK, 12345, 2, 400, 185, 1, "2026-03-17"
	done.Days = []report.Day{{Verdict: runlog.Failed}, {}, {Verdict: runlog.OK, Records: 12345}}
	few.Days = []report.Day{{Verdict: runlog.OK, Records: 1}, {Verdict: runlog.OK, Records: 1000}, {Verdict: runlog.Empty}}
	earlier.InRun, earlier.Verdict = false, runlog.Empty
	cut.InRun, cut.Verdict, cut.Class = false, runlog.Failed, "dns"
	_, doc := pageOf(t, o)

	rows := doc.Find("#table tbody tr")
	assert.Equal(t, []string{"ok", "", "icon", "", "12,345", "2", "400", "3m05s", "1", "2026-03-17"}, texts(rows.Eq(0).Find("td")))
	strip := rows.Eq(0).Find(".strip")
	assert.Equal(t, "3 days: 1 failed, 1 ok, 1 did not run", strip.AttrOr("aria-label", ""))
	assert.Equal(t, "2026-03-17: ok, 12,345 records", strip.Find("i").Last().AttrOr("title", ""))
	assert.Equal(t, "2026-03-16: did not run", strip.Find("i").Eq(1).AttrOr("title", ""))
	heights := rows.Eq(1).Find(".strip i").Map(func(_ int, s *goquery.Selection) string { return s.AttrOr("style", "") })
	assert.Equal(t, []string{"--h:1", "--h:10", ""}, heights, "against the best day, and something where there is something")
	assert.Equal(t, []string{"empty earlier", "", "technologyone", "", "", "", "", ""}, texts(rows.Eq(2).Find("td"))[:8], "figures are of the run alone")
	assert.Equal(t, []string{"unfinished", ""}, texts(rows.Eq(3).Find("td"))[:2], "what is known of it is of an earlier run")
}

func TestPageHeadline(t *testing.T) {
	for want, run := range map[string]report.Run{
		"No authority was run":                      {},
		"The one authority is well":                 {Verdicts: map[runlog.Verdict]int{runlog.Empty: 1}},
		"The one authority needs attention":         {Unfinished: []string{"kyogle"}},
		"All 1,200 authorities are well":            {Verdicts: map[runlog.Verdict]int{runlog.OK: 1100, runlog.Empty: 100}},
		"1 of 2 authorities needs attention":        {Verdicts: map[runlog.Verdict]int{runlog.OK: 1, runlog.Silent: 1}},
		"1,003 of 1,004 authorities need attention": {Verdicts: map[runlog.Verdict]int{runlog.OK: 1, runlog.Failed: 1000, runlog.Partial: 2}, Unfinished: []string{"kyogle"}},
	} {
		_, doc := pageOf(t, &report.Overview{Terms: report.Councils, Run: run})
		assert.Equal(t, want, said(doc, "h1"))
	}
}

func TestPageOfARunWithoutAnEnd(t *testing.T) {
	_, doc := pageOf(t, &report.Overview{Terms: report.Councils, Run: report.Run{At: sampleBegan, Unfinished: []string{"kyogle"}}})
	assert.Contains(t, said(doc, ".lede"), "has no end in the log")
	assert.NotContains(t, said(doc, ".lede"), "exit code")
	assert.Zero(t, doc.Find(".timeline, #critical").Length(), "what is not known has no section")
}

// An operator wants to know first what was still well in the run before.
func TestPageTellsNewFromOld(t *testing.T) {
	h := history(t, map[string]string{
		"a always": "xxxx", "b three times": "oxxx", "c with a gap": "ox x", "d for once": "xo x", "e never ran": "   x", "f well again": "oxxo", "g well": "oooo",
	})
	o := h.read(t, report.View{})
	_, doc := pageOf(t, o)
	assert.Equal(t, []string{"2 new", "3 still", "1 recovered"}, texts(doc.Find(".changes a")))
	assert.Equal(t, []string{
		"d for once failed layout well on 2025-05-05; bad in 2 of 3 runs last records on 2025-05-07",
		"e never ran failed layout in its only run never any records",
		"c with a gap failed layout 2 runs running, since 2025-05-05 last records on 2025-05-07",
		"b three times failed layout 3 runs running, since 2025-05-05 last records on 2025-05-07",
		"a always failed layout in all 4 runs since 2025-05-04 never any records",
		"f well again ok 10 saved last records on 2025-05-07",
	}, texts(doc.Find(".who")))
	assert.Equal(t, "after 2 bad runs since 2025-05-05: layout", said(doc, "#is-recovered ~ ul .what"))
	assert.Contains(t, o.Text(), "\nRecovered (1): bad the time before, well now\n  f well again: ok, 10 records, after 2 bad runs since 2025-05-05: layout\n\nThe rest: 1 ok\n")
}

// A section of terminal and page is the same, whatever the run.
func TestTextSaysWhatThePageSays(t *testing.T) {
	o := sampleOverview(143)
	text := o.Text()
	_, doc := pageOf(t, o)
	doc.Find(".items li").Each(func(_ int, s *goquery.Selection) {
		label := s.Find("h4").Text()
		if s.AttrOr("class", "") == "v-unfinished" {
			assert.Contains(t, text, "without an outcome: "+label)
			return
		}
		assert.Contains(t, text, "\n  "+label+": "+s.Find(".verdict").Text())
		assert.Contains(t, text, s.Find(".error").Text())
	})
}

func TestPageFoldsALongList(t *testing.T) {
	o := &report.Overview{Terms: report.Councils}
	for i := range 50 {
		o.Authorities = append(o.Authorities, report.Authority{Label: fmt.Sprint("a", i), InRun: true, Verdict: runlog.Failed, Class: "dns"})
	}
	_, doc := pageOf(t, o)
	assert.Equal(t, "New 50 well the time before, or never seen; 50 dns", said(doc, ".group h3"))
	assert.Equal(t, 20, doc.Find(".group > .items > li").Length())
	assert.Equal(t, 30, doc.Find(".group > details > .items > li").Length())
	assert.Equal(t, "30 more", said(doc, ".group > details > summary"))
}

// hostileOverview has markup wherever the overview has text.
func hostileOverview(text string) *report.Overview {
	o := sampleOverview(3)
	o.Database, o.Run.Cause, o.Run.Critical.Sentence, o.Run.Unfinished = text, text, text, []string{text}
	o.Run.Critical.Totals = map[string]float64{"polite: " + text: 1, text: 2}
	o.Run.Verdicts[runlog.Verdict(text)] = 1
	o.Days[3] = text
	for i := range o.Authorities {
		a := &o.Authorities[i]
		a.Label += text
		a.Verdict, a.Error, a.Evidence, a.Replay, a.LastRecords = runlog.Failed, text+"\n"+text, text, text, text
		a.Class = scraperutils.Class(text)
		a.Days[5].Verdict = runlog.Verdict(text)
		a.Segments[0].Rule = text
		a.Totals = map[string]float64{"polite: " + text: 1, text: 2}
	}
	o.Authorities[2].Verdict = runlog.Verdict(text)
	return o
}

func TestPageEscapes(t *testing.T) {
	_, harmless := pageOf(t, hostileOverview("harmless"))
	_, doc := pageOf(t, hostileOverview(hostile))
	assert.Equal(t, harmless.Find("*").Length(), doc.Find("*").Length(), "no text becomes an element")
	assert.Zero(t, doc.Find("img, [onerror]").Length())
	assert.Equal(t, "Ended early. "+hostile, doc.Find(".cause").Text())
	assert.Contains(t, doc.Find("#table tbody th").First().Text(), hostile)
	assert.Contains(t, doc.Find("pre").First().Text(), hostile)
	assert.Equal(t, hostile, doc.Find(".command code").First().Text())
}

func FuzzWritePage(f *testing.F) {
	_, harmless := pageOf(f, hostileOverview("harmless"))
	elements := harmless.Find("*").Length()
	f.Add(hostile)
	f.Add("\x00\xff\u2028<!--")
	f.Add("\U0001F600]]>")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.TrimSpace(text) == "" || runlog.Verdict(text).Bad() {
			t.Skip("another page, rightly")
		}
		text = "x" + text + "x"
		page, doc := pageOf(t, hostileOverview(text))
		assert.Equal(t, elements, doc.Find("*").Length())
		assert.True(t, utf8.ValidString(page))
	})
}

func TestPageStandsAlone(t *testing.T) {
	o := sampleOverview(143)
	o.Authorities[4].Error = "the site says \U0001F600 \xff"
	page, doc := pageOf(t, o)
	assert.Equal(t, "en", doc.Find("html").AttrOr("lang", ""))
	assert.Equal(t, "the site says \U0001F600 \uFFFD", doc.Find(".error").FilterFunction(func(_ int, s *goquery.Selection) bool { return strings.HasPrefix(s.Text(), "the site") }).Text(), "a character of four bytes shows, and what is no text is mended")
	for i, r := range page {
		require.Less(t, r, rune(0x10000), "at byte %d", i)
	}
	doc.Find("[src], [href]").Each(func(_ int, s *goquery.Selection) {
		assert.Regexp(t, "^#", s.AttrOr("src", "")+s.AttrOr("href", ""))
	})
	assert.NotRegexp(t, `@import|url\(`, doc.Find("style").Text())

	sum := sha256.Sum256([]byte(doc.Find("script").Text()))
	policy := doc.Find("meta[http-equiv]").AttrOr("content", "")
	assert.Contains(t, policy, "script-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'", "the browser runs this script and no other")
	assert.Contains(t, policy, "default-src 'none'")

	seen := map[string]bool{}
	doc.Find("[id]").Each(func(_ int, s *goquery.Selection) {
		id := s.AttrOr("id", "")
		assert.False(t, seen[id], "id %s twice", id)
		seen[id] = true
	})
	doc.Find("[aria-labelledby]").Each(func(_ int, s *goquery.Selection) { assert.True(t, seen[s.AttrOr("aria-labelledby", "")]) })
	doc.Find("a[href]").Each(func(_ int, s *goquery.Selection) { assert.True(t, seen[s.AttrOr("href", "#")[1:]]) })
}

// A thousand authorities with as many stretches as are ever kept still make a page that a mail takes. Each takes its part.
func TestPageStaysSmall(t *testing.T) {
	count := testsize.Of(250, 1000)
	o := sampleOverview(count)
	var long []trace.Segment
	for i := range 3000 {
		long = append(long, segment([]trace.Activity{trace.Polite, trace.Server, trace.Reading}[i%3], i, i+1))
	}
	for i := range o.Authorities {
		o.Authorities[i].Segments, o.Authorities[i].Totals = long, nil
	}
	page, _ := pageOf(t, o)
	assert.Less(t, len(page), 16<<20/1000*count)
}

func TestWritePageTellsWhyItCouldNot(t *testing.T) {
	full := errors.New("no space left on device")
	err := report.WritePage(brokenWriter{full}, sampleOverview(1))
	assert.ErrorIs(t, err, full)
	assert.ErrorContains(t, err, "write the report's page")
}

type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

// Text has the contrast of WCAG AA (4.5), and marks 3, on both papers.
func TestPageContrast(t *testing.T) {
	css, err := os.ReadFile("page.css")
	require.NoError(t, err)
	light, dark, ok := strings.Cut(string(css), "@media (prefers-color-scheme: dark)")
	require.True(t, ok)
	for name, block := range map[string]string{"light": light, "dark": dark} {
		colours := map[string]string{}
		for _, c := range regexp.MustCompile(`--([a-z]+): (#[0-9a-f]{6});`).FindAllStringSubmatch(block, -1) {
			colours[c[1]] = c[2]
		}
		for _, ground := range []string{"paper", "wash"} {
			for _, text := range []string{"ink", "soft", "accent", "partial", "silent", "failed", "unfinished"} {
				assert.GreaterOrEqual(t, contrast(t, colours[text], colours[ground]), 4.5, "%s: %s on %s", name, text, ground)
			}
			for _, mark := range []string{"ok", "empty", "polite", "server", "reading", "queued"} {
				assert.GreaterOrEqual(t, contrast(t, colours[mark], colours[ground]), 3.0, "%s: %s on %s", name, mark, ground)
			}
		}
	}
}

// contrast is that of WCAG 2.1.
func contrast(t *testing.T, a, b string) float64 {
	luminance := func(colour string) (l float64) {
		require.Len(t, colour, 7)
		for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
			n, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
			require.NoError(t, err)
			c := float64(n) / 255
			if c <= 0.03928 {
				c /= 12.92
			} else {
				c = math.Pow((c+0.055)/1.055, 2.4)
			}
			l += weight * c
		}
		return l
	}
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

func ExampleWritePage() {
	ended := sampleBegan.Add(95 * time.Second)
	overview := &report.Overview{Terms: report.Councils, Run: report.Run{
		At: sampleBegan, Ended: &ended, Seconds: 95, ExitCode: 1,
		Verdicts: map[runlog.Verdict]int{runlog.OK: 2, runlog.Failed: 1},
	}}
	var page strings.Builder
	if err := report.WritePage(&page, overview); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(regexp.MustCompile(`<h1>.*</h1>`).FindString(page.String()))
	// Output: <h1>1 of 3 authorities needs attention</h1>
}
