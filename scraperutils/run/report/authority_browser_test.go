package report_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/pagetest"
	"github.com/multiscraper/multiscraper/scraperutils/run/exhibit"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// asked is a server that keeps what it is asked.
type asked struct {
	*httptest.Server
	mu    sync.Mutex
	paths []string // owned by mu
}

func newAsked(t *testing.T) *asked {
	a := &asked{}
	a.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.paths = append(a.paths, r.URL.Path)
	}))
	t.Cleanup(a.Close)
	return a
}

func (a *asked) take() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	paths := a.paths
	a.paths = nil
	return paths
}

// The pages of a failure ask nobody for anything, opened, read and clicked, and each of the two walls does that alone: that nothing is left
// in the markup, and what the browser is forbidden.
func TestEvidenceAsksNobody(t *testing.T) {
	server := newAsked(t)
	page, err := os.ReadFile("../exhibit/testdata/hostile.html")
	require.NoError(t, err)
	raw := strings.ReplaceAll(string(page), "ADDRESS", server.URL)
	clean, _, err := exhibit.Clean(raw)
	require.NoError(t, err)
	written := func(markup string) string {
		o, a, shown := sampleFailed(t)
		shown.Pages[1].Markup = markup
		text, _ := authorityPage(t, o, a, shown)
		return text
	}
	open := func(page string) string { // without what the browser is forbidden
		i := strings.Index(page, `<meta http-equiv="Content-Security-Policy"`)
		require.Positive(t, i)
		page = page[:i] + page[i+strings.Index(page[i:], ">")+1:]
		return strings.ReplaceAll(strings.ReplaceAll(page, `sandbox=""`, ""), "Content-Security-Policy", "None")
	}
	w := pagetest.Open(t)
	for _, test := range []struct {
		name, page string
		asks       bool
	}{
		{"as it is written", written(clean), false},
		{"neither", open(written(raw)), true},
		{"clean markup alone", open(written(clean)), false},
		{"policy and sandbox alone", written(raw), false},
	}[:testsize.Of(2, 4)] {
		t.Run(test.name, func(t *testing.T) {
			server.take()
			w := w.Of(t).Quietly() // it complains of what it is forbidden
			w.Show(test.page, "")
			var frame struct{ X, Y, Width, Height float64 }
			w.Run(`(() => {
				const frame = document.querySelector("details[open] iframe");
				frame.scrollIntoView();
				return frame.getBoundingClientRect().toJSON();
			})()`, &frame)
			require.Positive(t, frame.Width)
			for y := frame.Y + 5; y < frame.Y+frame.Height; y += 12 {
				for _, kind := range []string{"mousePressed", "mouseReleased"} {
					w.Call("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": frame.X + 20, "y": y, "button": "left", "clickCount": 1}, nil)
				}
			}
			var done bool
			w.Run("new Promise((done) => setTimeout(() => requestAnimationFrame(() => done(true)), 300))", &done)
			if paths := server.take(); test.asks {
				assert.NotEmpty(t, paths, "else this test would prove nothing")
			} else {
				assert.Empty(t, paths)
			}
		})
	}
}

// The page of an authority is read at any width, by light and dark, and used by keyboard.
func TestAuthorityPageFitsItsWindow(t *testing.T) {
	testsize.SkipUnlessFull(t) // TestPageFitsItsWindow has a page
	o, a, shown := sampleFailed(t)
	a.Error = strings.Repeat("x", 300)
	a.Past[3].Error = "GET https://council.example/" + strings.Repeat("y", 200)
	a.Options = map[string]any{strings.Repeat("o", 60): strings.Repeat("v", 300)}
	shown.Pages[0].URL += "/" + strings.Repeat("u", 300)
	page, _ := authorityPage(t, o, a, shown)
	w := pagetest.Open(t)
	w.Show(page, "")
	for _, width := range []int{390, 800, 1280} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			w := w.Of(t)
			w.Look(width, width == 800)
			var got struct {
				Page, Box, Table, Frame int
				Bars                    int
			}
			w.Probe(`
				for (const each of document.querySelectorAll("details")) {
					each.open = true;
				}
				await wait();
				answer.Page = document.documentElement.scrollWidth;
				answer.Box = document.querySelector(".box").clientWidth;
				answer.Table = document.querySelector(".box").scrollWidth;
				answer.Frame = document.querySelector("iframe").clientWidth;
				answer.Bars = Array.from(document.querySelectorAll(".chart rect")).filter((bar) => bar.getBoundingClientRect().height >= 1).length;
			`, &got)
			assert.LessOrEqual(t, got.Page, width, "the page does not scroll sideways")
			if width != 800 { // between, a table scrolls in its box
				assert.LessOrEqual(t, got.Table, got.Box, "nor does the table")
			}
			assert.Greater(t, got.Frame, width/2)
			assert.Greater(t, got.Bars, 60)
		})
	}
}

func TestAuthorityPageByKeyboard(t *testing.T) {
	testsize.SkipUnlessFull(t) // TestPageIsUsedByHand has another page
	o, a, shown := sampleFailed(t)
	page, _ := authorityPage(t, o, a, shown)
	w := pagetest.Open(t)
	w.Show(page, "")
	type stop struct {
		Place   int // in the document
		Tag     string
		InSight bool
		Closed  bool // a page that is not open
	}
	tags, opened := map[int]string{}, false
	for range 24 { // twice around: a frame is a stop too
		w.Press("Tab")
		const script = `(() => {
			const at = document.activeElement;
			const box = at.getBoundingClientRect();
			return { Place: Array.from(document.querySelectorAll("*")).indexOf(at), Tag: at.tagName, InSight: box.bottom > 0 && box.top < innerHeight,
				Closed: at.tagName === "SUMMARY" && !at.parentNode.open };
		})()`
		var at stop
		w.Run(script, &at)
		assert.True(t, at.InSight, at.Tag)
		tags[at.Place] = at.Tag
		if at.Closed && !opened {
			w.Press("Enter")
			w.Run(script, &at)
			assert.False(t, at.Closed, "Enter opens a page")
			opened = true
		}
	}
	counts := map[string]int{}
	for _, tag := range tags {
		counts[tag]++
	}
	assert.True(t, opened)
	assert.Equal(t, []int{4, 4, 1, 3}, []int{counts["A"], counts["BUTTON"], counts["DIV"], counts["SUMMARY"]}, "links, commands, the table and pages")
}

// The table of the index can be filtered by what its rows differ in, and the address keeps it.
func TestPageFiltersByChoice(t *testing.T) {
	testsize.SkipUnlessFull(t) // TestPageIsUsedByHand filters
	page, _ := pageOf(t, withTimelines(0, sampleOverview(143)))
	w := pagetest.Open(t)
	w.Show(page, "")
	var got struct {
		Hash  string
		Shown []string
		Count string
	}
	w.Probe(`
		const choose = async (id, value) => {
			const select = document.getElementById(id);
			select.value = value;
			select.dispatchEvent(new InputEvent("input"));
			await wait();
		};
		await choose("verdict", "failed");
		await choose("class", "timeout");
		await choose("platform", "horizon");
		answer.Hash = location.hash;
		answer.Shown = Array.from(document.querySelectorAll("#table tbody tr:not([hidden]) th"), (th) => th.textContent);
		answer.Count = document.getElementById("shown").textContent;
	`, &got)
	assert.Equal(t, "#sort=authority&verdict=failed&class=timeout&platform=horizon", got.Hash)
	assert.Equal(t, []string{"cowra_plains"}, got.Shown)
	assert.Equal(t, "1 of 143", got.Count)
	w.Turn("sort=authority&verdict=partial")
	doc := w.Document()
	assert.Equal(t, 3, shownRows(doc).Length())
}
