package report_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/pagetest"
	"github.com/multiscraper/multiscraper/scraperutils/run/report"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// withTimelines keeps the timelines of the first n authorities alone: they take a browser most of its time.
func withTimelines(n int, o *report.Overview) *report.Overview {
	for i := range o.Authorities[n:] {
		o.Authorities[n+i].Segments = nil
	}
	return o
}

// shownRows is the rows of the table that are not filtered out.
func shownRows(doc *goquery.Document) *goquery.Selection {
	return doc.Find("#table tbody tr:not([hidden])")
}

// The page is tried as it is written: its own policy lets its script run.
func TestPageSortsByItsFragment(t *testing.T) {
	testsize.SkipUnlessFull(t) // TestPageIsUsedByHand sorts
	const count = 143
	page, _ := pageOf(t, withTimelines(0, sampleOverview(count)))
	verdicts := []string{"ok", "empty", "partial", "silent", "unfinished", "failed"}
	text := func(row *goquery.Selection, column int) string { return row.Children().Eq(column).Text() }
	number := func(row *goquery.Selection, column int) float64 {
		n, err := strconv.ParseFloat(row.Children().Eq(column).AttrOr("data-v", ""), 64)
		require.NoError(t, err)
		return n
	}
	w := pagetest.Open(t)
	for _, test := range []struct {
		fragment  string
		turned    bool // to, of a page that is open
		head      string
		direction string
		before    func(a, b *goquery.Selection) bool // a may stand before b
	}{
		{"", false, "authority", "ascending", func(a, b *goquery.Selection) bool { return text(a, 0) < text(b, 0) }},
		{"failed", false, "authority", "ascending", func(a, b *goquery.Selection) bool { return text(a, 0) < text(b, 0) }},
		{"sort=records&desc=1", false, "records", "descending", func(a, b *goquery.Selection) bool { return number(a, 5) >= number(b, 5) }},
		{"sort=nonsense&desc=1", true, "authority", "descending", func(a, b *goquery.Selection) bool { return text(a, 0) > text(b, 0) }},
		{"sort=seconds", true, "seconds", "ascending", func(a, b *goquery.Selection) bool { return number(a, 8) <= number(b, 8) }},
		{"sort=last", true, "last", "ascending", func(a, b *goquery.Selection) bool { return text(a, 10) <= text(b, 10) }},
		{"sort=attempts&desc=1", true, "attempts", "descending", func(a, b *goquery.Selection) bool { return number(a, 9) >= number(b, 9) }},
		{"sort=class&desc=1", true, "class", "descending", func(a, b *goquery.Selection) bool { return text(a, 2) >= text(b, 2) }},
		{"sort=verdict&desc=1", true, "verdict", "descending", func(a, b *goquery.Selection) bool { return rank(verdicts, a) >= rank(verdicts, b) }},
		{"sort=records&filter=x", true, "records", "ascending", func(a, b *goquery.Selection) bool { return number(a, 5) <= number(b, 5) }},
	} {
		t.Run("#"+test.fragment, func(t *testing.T) {
			w := w.Of(t)
			if test.turned {
				w.Turn(test.fragment)
			} else {
				w.Show(page, test.fragment)
			}
			doc := w.Document()
			rows := doc.Find("#table tbody tr")
			require.Equal(t, count, rows.Length())
			for i := 1; i < rows.Length(); i++ {
				require.True(t, test.before(rows.Eq(i-1), rows.Eq(i)), "%q stands before %q", rows.Eq(i-1).Text(), rows.Eq(i).Text())
			}
			sorted := doc.Find("[aria-sort]")
			require.Equal(t, 1, sorted.Length())
			assert.Equal(t, test.head, sorted.AttrOr("data-key", ""))
			assert.Equal(t, test.direction, sorted.AttrOr("aria-sort", ""))
		})
	}
}

func rank(verdicts []string, row *goquery.Selection) int {
	return slices.Index(verdicts, row.Find(".verdict").Text())
}

func TestPageFiltersByItsFragment(t *testing.T) {
	testsize.SkipUnlessFull(t) // TestPageIsUsedByHand filters
	page, _ := pageOf(t, withTimelines(0, sampleOverview(143)))
	w := pagetest.Open(t)
	for i, test := range []struct {
		fragment string
		want     []string
	}{
		{"filter=timeout", []string{"cowra_plains", "greater_barwon_vale", "lower_gundaroo_valley"}},
		{"filter=FAILED+timeout", []string{"cowra_plains", "greater_barwon_vale"}},
		{"filter=south_q%20", []string{"south_quandary"}},
		{"filter=unfinished&sort=x", []string{"lower_oberon_hills"}},
		{"filter=%3Cimg%20src%3Dx%3E", nil},
	} {
		t.Run("#"+test.fragment, func(t *testing.T) {
			w := w.Of(t)
			if i == 0 {
				w.Show(page, test.fragment)
			} else {
				w.Turn(test.fragment)
			}
			doc, want := w.Document(), test.want
			assert.Equal(t, want, sliceOrNil(texts(shownRows(doc).Find("th"))))
			assert.Equal(t, fmt.Sprintf("%d of 143", len(want)), doc.Find("#shown").Text())
			_, hidden := doc.Find(".filter").Attr("hidden")
			assert.False(t, hidden, "the filter can be used")
		})
	}
}

func sliceOrNil(s []string) []string {
	if len(s) == 0 {
		return nil
	}
	return s
}

func TestPageIsUsedByHand(t *testing.T) {
	all, timeouts := testsize.Of(40, 143), testsize.Of(1, 3)
	page, _ := pageOf(t, withTimelines(3, sampleOverview(all)))
	var got struct {
		Hashes              []string
		Filtered, Kept, All int
		Stops               int
		Told                []string
		Gone                string
		Copied, Selected    []string
		Open                string
	}
	w := pagetest.Open(t)
	w.Show(page, "")
	w.Probe(`
		const button = (key) => document.querySelector("[data-key=" + key + "] button");
		answer.Hashes = [];
		for (const key of ["records", "records", "class", "verdict", "last"]) {
			button(key).click();
			await wait();
			answer.Hashes.push(location.hash);
		}
		const shown = () => document.querySelectorAll("#table tbody tr:not([hidden])").length;
		const filter = document.getElementById("filter");
		const type = async (text) => { filter.value = text; filter.dispatchEvent(new InputEvent("input")); await wait(); };
		await type("timeout ");
		answer.Hashes.push(location.hash);
		answer.Filtered = shown();
		document.querySelector(".tally a[href='#failed']").click();
		await wait();
		answer.Hashes.push(location.hash);
		answer.Kept = shown();
		await type("");
		answer.All = shown();
		await type("kalimna");

		answer.Stops = document.querySelectorAll(".strip[tabindex='0']").length;
		const told = document.getElementById("told");
		const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
		document.querySelector(".strip[tabindex='0']").focus();
		answer.Told = ["End", "ArrowRight", "ArrowLeft", "ArrowDown", "Home", "ArrowUp"].map((key) => { press(key); return told.textContent; });
		document.activeElement.blur();
		answer.Gone = told.textContent;

		const copy = document.querySelector(".command button");
		Object.defineProperty(navigator, "clipboard", { configurable: true, value: { writeText: async (text) => { answer.Copied = [text]; } } });
		copy.click();
		await wait();
		answer.Copied.push(copy.textContent);
		Object.defineProperty(navigator, "clipboard", { value: { writeText: async () => { throw new Error("not from a file"); } } });
		document.execCommand = () => false;
		copy.click();
		await wait();
		answer.Selected = [String(getSelection()), copy.textContent];

		const lane = document.querySelector(".lanes summary");
		lane.click();
		answer.Open = lane.parentNode.querySelector(".parts").innerText;
	`, &got)

	assert.Equal(t, []string{
		"#sort=records&desc=1", "#sort=records", "#sort=class", "#sort=verdict&desc=1", "#sort=last",
		"#sort=last&filter=timeout+", "#failed",
	}, got.Hashes, "numbers and verdicts begin with the most")
	assert.Equal(t, timeouts, got.Filtered)
	assert.Equal(t, timeouts, got.Kept, "to jump to a place changes nothing")
	assert.Equal(t, all, got.All)
	assert.Equal(t, 1, got.Stops, "the strips are one stop of the tab key")
	require.Len(t, got.Told, 6)
	labels := []string{}
	for _, told := range got.Told {
		label, day, _ := strings.Cut(told, ", ")
		labels = append(labels, label+" "+strings.Split(day, ":")[0])
	}
	first, second, _ := strings.Cut(labels[0], " ")
	assert.Contains(t, first, "kalimna")
	assert.Equal(t, "2026-03-17", second)
	assert.Equal(t, first+" 2026-03-17", labels[1], "the last day stays the last")
	assert.Equal(t, first+" 2026-03-16", labels[2])
	assert.NotContains(t, labels[3], first+" ", "down goes to the next authority")
	assert.Contains(t, labels[3], "kalimna 2026-03-16", "that is not filtered out, on the same day")
	assert.Contains(t, labels[4], " 2026-02-16")
	assert.Equal(t, first+" 2026-02-16", labels[5])
	assert.Empty(t, got.Gone)

	require.Len(t, got.Copied, 2)
	assert.Contains(t, got.Copied[0], "scrape --authority ")
	assert.Contains(t, got.Copied[0], " --replay evidence/2026-03-17T02-00")
	assert.Equal(t, "Copied", got.Copied[1])
	assert.Equal(t, []string{got.Copied[0], "Selected"}, got.Selected, "where nothing can be copied, it stands selected")
	assert.Contains(t, got.Open, "waiting politely (max_load)")
}

func TestPageFitsItsWindow(t *testing.T) {
	count := testsize.Of(25, 143)
	long := withTimelines(20, sampleOverview(count))
	long.Authorities[5].Label = strings.Repeat("a_very_long_label_", 8)
	long.Authorities[4].Label = strings.Repeat("w", 120)
	long.Authorities[4].Error = strings.Repeat("x", 500)
	long.Authorities[17].Error = "GET https://council.example/" + strings.Repeat("y", 200)
	long.Authorities[17].Replay = "scrape --replay /" + strings.Repeat("z", 200)
	long.Run.Cause = strings.Repeat("v", 200)
	night, _ := pageOf(t, sampleOverview(count))
	longest, _ := pageOf(t, long)
	alone, _ := pageOf(t, sampleOverview(1))

	w := pagetest.Open(t)
	for _, test := range []struct{ name, page string }{{"long words", longest}, {"a night", night}, {"one authority", alone}}[:testsize.Of(1, 3)] {
		name, page := test.name, test.page
		w.Show(page, "")
		for _, width := range []int{400, 800, 1280}[:testsize.Of(1, 3)] {
			t.Run(fmt.Sprintf("%s at %d", name, width), func(t *testing.T) {
				var got struct {
					Window, Page, Box, Table, Lanes, Cells int
					Paper                                  string
				}
				dark, w := width == 800, w.Of(t)
				w.Look(width, dark)
				w.Probe(`
					for (const each of document.querySelectorAll("details")) {
						each.open = true;
					}
					await wait();
					answer.Window = innerWidth;
					answer.Page = document.documentElement.scrollWidth;
					const box = document.querySelector(".box");
					answer.Box = box.clientWidth;
					answer.Table = box.scrollWidth;
					answer.Lanes = Array.from(document.querySelectorAll(".lanes svg")).filter((svg) => {
						const box = svg.getBoundingClientRect();
						return box.height >= 10 && box.width > 100 && Array.from(svg.children).some((path) => path.getTotalLength() > 0);
					}).length;
					answer.Cells = Array.from(document.querySelectorAll("#table tr:nth-child(1) .strip i")).filter((i) => i.getBoundingClientRect().width > 3).length;
					answer.Paper = getComputedStyle(document.body).backgroundColor;
				`, &got)
				assert.Equal(t, width, got.Window)
				assert.LessOrEqual(t, got.Page, width, "the page does not scroll sideways")
				if width != 800 {
					assert.LessOrEqual(t, got.Table, got.Box, "nor does the table")
				}
				assert.Equal(t, strings.Count(page, "<svg"), got.Lanes, "all lanes are drawn")
				assert.Equal(t, runlog.KeepDays, got.Cells)
				assert.Equal(t, map[bool]string{true: "rgb(23, 22, 20)", false: "rgb(253, 252, 249)"}[dark], got.Paper, "dark and light")
			})
		}
	}
}

// Without the page's policy, which would stop it a second time.
func TestPageRunsNothingFromItsData(t *testing.T) {
	page, _ := pageOf(t, hostileOverview(hostile))
	open := regexp.MustCompile(`<meta http-equiv=.*`).ReplaceAllString(page, "")
	require.NotEqual(t, page, open)
	var got struct{ Rows int }
	w := pagetest.Open(t)
	w.Show(open, "")
	w.Probe(`
		answer.Rows = document.querySelectorAll("#table tbody tr").length;
		for (const strip of document.querySelectorAll(".strip i")) {
			strip.click();
		}
	`, &got)
	doc := w.Document()
	assert.Equal(t, 3, got.Rows)
	assert.Empty(t, doc.Find("html").AttrOr("data-broken", ""))
	assert.Zero(t, doc.Find("img").Length())
}
