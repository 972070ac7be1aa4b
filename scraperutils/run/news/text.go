package news

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// MadeUp is the banner of what shows records of built-in sites.
const MadeUp = "Built-in sites: the records are made up."

// Headline returns the run in one line, as in
// "140 ok · 2 new failures · 1 recovered · 1,964 records (+3 % on the usual) · 11 s → data.sqlite".
func (r *Run) Headline() string {
	var parts []string
	for _, p := range r.parts() {
		parts = append(parts, p.text)
	}
	return strings.Join(parts, " · ") + " → " + filepath.Base(r.Database)
}

// part is one piece of the headline, and what it speaks of.
type part struct {
	change Change
	text   string
}

func (r *Run) parts() []part {
	well := len(r.Authorities) - len(r.With(New)) - len(r.With(Still)) - len(r.With(Unfinished))
	parts := []part{{None, fmt.Sprintf("%d ok", well)}}
	for _, p := range []struct {
		change    Change
		one, many string
	}{{New, "new failure", "new failures"}, {Still, "still failing", "still failing"}, {Recovered, "recovered", "recovered"}, {Unfinished, "unfinished", "unfinished"}} {
		if n := len(r.With(p.change)); n > 0 {
			parts = append(parts, part{p.change, scraperutils.Count(n, p.one, p.many)})
		}
	}
	records := scraperutils.Count(r.Records(), "record")
	if percent, known := r.Trend(); known {
		records += fmt.Sprintf(" (%+d %% on the usual)", percent)
	}
	return append(parts, part{None, records}, part{None, took(r.Took)})
}

// took is a duration for people.
func took(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}

// Limits of a message: what is longer is counted.
const (
	mostListed = 20  // authorities of a change
	mostReason = 300 // characters
)

// Text returns what a person is told of the run, in lines: the headline, then each authority that has changed.
func (r *Run) Text() string {
	var b strings.Builder
	if r.Source == runlog.FromFixtures {
		b.WriteString("BUILT-IN SITES, INVENTED RECORDS: ")
	}
	fmt.Fprintln(&b, r.Headline())
	if r.Cause != "" {
		fmt.Fprintln(&b, oneLine(r.Cause, mostReason))
	}
	for _, c := range []struct {
		change Change
		title  string
	}{{New, "New"}, {Recovered, "Recovered"}, {Still, "Still failing"}} {
		all := r.With(c.change)
		for i, a := range all {
			if i == mostListed {
				fmt.Fprintf(&b, "%s: %d more\n", c.title, len(all)-i)
				break
			}
			fmt.Fprintf(&b, "%s: %s\n", c.title, a.line())
		}
	}
	return b.String()
}

// line is an authority in a message.
func (a Authority) line() string {
	name := a.Authority + " (" + a.Platform + ")"
	if !a.Verdict.Bad() {
		return name + ", " + scraperutils.Count(a.Saved, "record")
	}
	return name + " " + a.looks().kind() + ": " + oneLine(a.Reason(), mostReason)
}

// oneLine is a text in one line of at most so many characters.
func oneLine(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most-1]) + "…"
	}
	return text
}

// told is an authority in JSON.
type told struct {
	Authority string             `json:"authority"`
	Platform  string             `json:"platform"`
	Verdict   runlog.Verdict     `json:"verdict"`
	Class     scraperutils.Class `json:"failure_class,omitempty"`
	Records   int                `json:"records"`
	Reason    string             `json:"reason,omitempty"`
	Evidence  string             `json:"evidence,omitempty"`
}

// MarshalJSON writes what a program is told of the run: an object with its authorities by change. "text" holds Text, which is what
// chats with webhooks like Slack's show.
func (r *Run) MarshalJSON() ([]byte, error) {
	verdicts := map[runlog.Verdict]int{}
	for _, a := range r.Authorities {
		if a.Verdict != "" { // the run was over before it had one
			verdicts[a.Verdict]++
		}
	}
	object := struct {
		Text       string                 `json:"text"`
		Run        string                 `json:"run"`
		Began      time.Time              `json:"began_at"`
		Seconds    float64                `json:"seconds"`
		Source     runlog.Source          `json:"source"`
		Database   string                 `json:"database"`
		ExitCode   int                    `json:"exit_code"`
		Cause      string                 `json:"cause"`
		Records    int                    `json:"records"`
		Verdicts   map[runlog.Verdict]int `json:"verdicts"`
		New        []told                 `json:"new"`
		Still      []told                 `json:"still"`
		Recovered  []told                 `json:"recovered"`
		Unfinished []told                 `json:"unfinished"`
	}{
		r.chat(), r.ID, r.Began, r.Took.Seconds(), r.Source, r.Database, r.ExitCode, r.Cause, r.Records(), verdicts,
		r.tell(New), r.tell(Still), r.tell(Recovered), r.tell(Unfinished),
	}
	return json.Marshal(object)
}

// inChat keeps what pages say from acting in a chat: no mention of everybody, no link under another name.
var inChat = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "@", "@\u200b")

func (r *Run) chat() string { return inChat.Replace(r.Text()) }

func (r *Run) tell(c Change) []told {
	all := []told{}
	for _, a := range r.With(c) {
		t := told{Authority: a.Authority, Platform: a.Platform, Verdict: a.Verdict, Class: a.Class, Records: a.Saved}
		if a.Verdict.Bad() {
			t.Reason, t.Evidence = oneLine(a.Reason(), 1000), a.Evidence
		}
		all = append(all, t)
	}
	return all
}
