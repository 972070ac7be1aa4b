package news_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/multiscraper/multiscraper/scraperutils/run/news"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// on is a screen whose styles are seen as letters: {B:red}.
func on(width int, styles bool) news.Screen {
	return news.Screen{
		Width: width,
		Paint: func(s news.Style, text string) string {
			if s == news.Plain || !styles {
				return text
			}
			return "{" + map[news.Style]string{news.Strong: "S", news.Good: "G", news.Bad: "B", news.Faint: "F"}[s] + ":" + text + "}"
		},
		Command: func(authority string) []news.Hint {
			return []news.Hint{{strings.TrimSpace("scrape page " + authority), "what was on its page"}, {"scrape report", "all of them"}}
		},
	}
}

func TestScreen(t *testing.T) {
	r := morning()
	r.Authorities[1].Err = errors.New("no table.grid in https://council.example/a/long/path?x=1 (found: table.list)")
	assert.Equal(t, `{G:2 ok}{F: · }{B:3 new failures}{F: · }{B:1 still failing}{F: · }{G:1 recovered}{F: · }10 records{F: · }11 s → data.sqlite

{S:icon layout}: 3 of 4 fail in the same way, likely a change of the vendor
  {B:new  } b {F:no table.grid in council.example/… (found: table.list)}
  {B:new  } d {F:no table of applications}
  {F:still} c {F:no table of applications}

{S:atdis silent}: 1 of 2
  {B:new  } f {F:it used to give records and has given none for too long}

{G:Recovered}: e

{S:  scrape page b}{F:  what was on its page}
{S:  scrape report}{F:  all of them}
`, on(0, true).Write(r))
}

func TestScreenOfAGoodNight(t *testing.T) {
	r := &news.Run{Took: 90 * time.Minute, Database: "data.sqlite", Authorities: []news.Authority{authority("a", "icon", runlog.OK, runlog.OK)}}
	assert.Equal(t, "1 ok · 10 records · 90 min → data.sqlite\n  scrape page    what was on its page\n  scrape report  all of them\n", on(0, false).Write(r))
}

// No line but a command is wider than the screen, and the whole is a screenful whatever has failed.
func TestScreenFits(t *testing.T) {
	r := morning()
	r.Source, r.Cause = runlog.FromFixtures, "ERROR: Script exceeded maximum allowed runtime of 6.0 hours!"
	for i := range 500 {
		a := authority(fmt.Sprintf("a_council_with_a_long_name_%d", i), fmt.Sprintf("platform_%d", i%20), runlog.OK, runlog.Failed)
		a.Err = errors.New(strings.Repeat("é no such table ", 100))
		r.Authorities = append(r.Authorities, a)
	}
	for _, width := range []int{20, 40, 80, 200} {
		screen := on(width, false)
		screen.Rows = 40
		text := screen.Write(r)
		if width >= 80 {
			assert.LessOrEqual(t, strings.Count(text, "\n"), 40)
			assert.Contains(t, text, "\nand 18 more: platform_4 layout (25), ")
		}
		for line := range strings.Lines(text) {
			if !strings.Contains(line, "scrape ") {
				assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), width, line)
			}
		}
		for _, part := range []string{"503 new failures", "1 recovered", "→ data.sqlite", "scrape report"} {
			assert.Contains(t, text, part, "nothing of the headline and of a command is cut")
		}
	}
}
