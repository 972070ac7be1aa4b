package news

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// Style is how a piece of text stands out.
type Style int

// The styles.
const (
	Plain Style = iota
	Strong
	Good
	Bad
	Faint
)

// Screen is where a run is summed up for a person.
type Screen struct {
	Width   int                                   // columns; 0: unknown, as wide as it takes
	Rows    int                                   // lines; 0: unknown, as many as it takes
	Paint   func(style Style, text string) string // escapes a text and gives it its style; all text passes it
	Command func(authority string) []Hint         // what to type next; authority is one that fails, or ""
}

// Hint is a command and what it is for.
type Hint struct{ Command, For string }

// mostMembers is how many authorities of a group have a line; the rest are named together.
const mostMembers = 4

// around is how many lines the rest takes beside the failures.
const around = 10

// Write sums up a run in a screenful: the headline, the failures that look alike together, each with its reason in a line, what works
// again, and what to type next.
func (s Screen) Write(r *Run) string {
	b := &lines{screen: s}
	if r.Source == runlog.FromFixtures {
		b.line(piece{Strong, MadeUp})
	}
	b.headline(r)
	if r.Cause != "" {
		b.line(piece{Bad, oneLine(r.Cause, mostReason)})
	}
	groups := r.Groups()
	b.groups(groups)
	b.recovered(r.With(Recovered))
	if len(groups) > 0 && s.Command != nil {
		b.line()
		b.hints(s.Command(groups[0].Members[0].Authority))
	} else if s.Command != nil {
		b.hints(s.Command(""))
	}
	return b.text.String()
}

// lines gathers painted lines.
type lines struct {
	screen Screen
	text   strings.Builder
}

// piece is a text in one style.
type piece struct {
	style Style
	text  string
}

// line adds a line, cut at the edge of the screen.
func (b *lines) line(pieces ...piece) {
	left := b.screen.Width
	for _, p := range pieces {
		if b.screen.Width > 0 {
			if n := utf8.RuneCountInString(p.text); n > left {
				p.text = string([]rune(p.text)[:max(0, left-1)]) + "…"
			}
			left -= utf8.RuneCountInString(p.text)
		}
		b.text.WriteString(b.screen.Paint(p.style, p.text))
		if b.screen.Width > 0 && left <= 0 {
			break
		}
	}
	b.text.WriteByte('\n')
}

// headline adds the headline, in several lines where the screen is narrow: nothing of it is cut.
func (b *lines) headline(r *Run) {
	styles := map[Change]Style{New: Bad, Still: Bad, Recovered: Good, Unfinished: Bad}
	parts := r.parts()
	parts = append(parts[:len(parts)-1:len(parts)-1], part{None, parts[len(parts)-1].text + " → " + filepath.Base(r.Database)})
	var pieces []piece
	used := 0
	for i, p := range parts {
		style := styles[p.change]
		if i == 0 {
			style = Good
		}
		width := utf8.RuneCountInString(p.text)
		if used > 0 && b.screen.Width > 0 && used+3+width > b.screen.Width {
			b.line(pieces...)
			pieces, used = nil, 0
		}
		if used > 0 {
			pieces, used = append(pieces, piece{Faint, " · "}), used+3
		}
		pieces, used = append(pieces, piece{style, p.text}), used+width
	}
	b.line(pieces...)
}

// groups adds the failures, as far as the screen has room, the largest groups first.
func (b *lines) groups(all []Group[Authority]) {
	room := b.screen.Rows - around
	for i, g := range all {
		room -= 2 + min(len(g.Members), mostMembers+1)
		if b.screen.Rows > 0 && i > 0 && room < 0 {
			var kinds []string
			for _, g := range all[i:] {
				kinds = append(kinds, fmt.Sprintf("%s %s (%d)", g.Platform, g.Kind, len(g.Members)))
			}
			b.line()
			b.line(piece{Faint, fmt.Sprintf("and %d more: %s", len(kinds), strings.Join(kinds, ", "))})
			return
		}
		b.group(g)
	}
}

// group adds failures that look alike.
func (b *lines) group(g Group[Authority]) {
	b.line()
	text := fmt.Sprintf(": %d of %d", len(g.Members), g.Of)
	if g.Meaning != "" {
		text += " fail in the same way, " + g.Meaning
	}
	b.line(piece{Strong, g.Platform + " " + g.Kind}, piece{Plain, text})
	for i, a := range g.Members {
		if i == mostMembers && len(g.Members) > mostMembers+1 {
			var names []string
			for _, more := range g.Members[i:] {
				names = append(names, more.Authority)
			}
			b.line(piece{Faint, fmt.Sprintf("  and %d more: %s", len(names), strings.Join(names, ", "))})
			break
		}
		change := piece{Bad, "new  "}
		if a.Change() == Still {
			change = piece{Faint, "still"}
		}
		if a.ExpectedBad {
			change.text = "expected"
		}
		b.line(piece{Plain, "  "}, change, piece{Plain, fmt.Sprintf(" %-*s ", labelWidth(g), a.Authority)}, piece{Faint, oneLine(a.Brief(), mostReason)})
	}
}

// labelWidth is how wide the column of a group's labels is.
func labelWidth(g Group[Authority]) (most int) {
	for i, a := range g.Members {
		if i <= mostMembers {
			most = max(most, utf8.RuneCountInString(a.Authority))
		}
	}
	return min(most, 24)
}

func (b *lines) recovered(all []Authority) {
	if len(all) == 0 {
		return
	}
	var names []string
	for _, a := range all {
		names = append(names, a.Authority)
	}
	b.line()
	b.line(piece{Good, "Recovered"}, piece{Plain, ": " + strings.Join(names, ", ")})
}

// hints adds commands, with what they are for behind them where there is room.
func (b *lines) hints(all []Hint) {
	widest := 0
	for _, h := range all {
		widest = max(widest, utf8.RuneCountInString(h.Command))
	}
	for _, h := range all {
		if b.screen.Width > 0 && widest+4 > b.screen.Width { // a command is whole, so that it can be copied
			b.text.WriteString(b.screen.Paint(Strong, h.Command) + "\n")
			continue
		}
		b.line(piece{Strong, fmt.Sprintf("  %-*s", widest, h.Command)}, piece{Faint, "  " + h.For})
	}
}
