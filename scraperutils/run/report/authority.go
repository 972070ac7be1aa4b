package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils/run/exhibit"
	"github.com/multiscraper/multiscraper/scraperutils/run/history"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// AuthorityFolder is where the index of WriteIndex expects the pages of WriteAuthority, beside itself.
const AuthorityFolder = "authority"

// plainLabel is a label that is the name of a file on any system.
var plainLabel = regexp.MustCompile(`^[a-z0-9_][a-z0-9_-]{0,99}$`)

// PageName returns the name of the file with the page of an authority. A label that is no plain name has one of its own all the same.
func PageName(label string) string {
	if plainLabel.MatchString(label) {
		return label + ".html"
	}
	sum := sha256.Sum256([]byte(label))
	return "=" + hex.EncodeToString(sum[:12]) + ".html"
}

// LastEvidence returns the latest run of an authority that kept a recording of its failure, or nil.
func (a *Authority) LastEvidence() *PastRun {
	for i := range slices.Backward(a.Past) {
		if a.Past[i].Evidence != "" {
			return &a.Past[i]
		}
	}
	return nil
}

// Recordings is what is kept of the exchanges of an authority.
type Recordings struct {
	Failure *exhibit.Exhibit // of LastEvidence; nil: there is none, or it can't be read any more
	Good    string           // the file with the last good one; "": there is none
	Worked  *exhibit.Exhibit // what Good holds; nil: there is none, or it can't be read
}

// WriteAuthority writes the page of one authority: what became of it in its last runs, and what was on the pages of its last failure. past is
// what is known of it beyond the overview; nil: nothing. Like WritePage it writes nothing if the page can't be made.
func WriteAuthority(w io.Writer, o *Overview, a *Authority, kept Recordings, past *history.Past, l Links) error {
	runs := o.pastOf(a, past)
	v := &authorityView{
		document: newDocument(a.Label+" – "+o.Run.At.Format("2 January 2006"), o.cover(l), "", copyScript),
		Label:    a.Label, Site: a.Site, Settings: settings(a.Options), Class: a.Class,
		Verdict: verdictOf(a, o.cutShort()), Kept: len(runs),
		Charts:   authorityCharts(runs, l),
		Fields:   fieldsOf(past, l),
		Commands: commands(o, a, kept),
		Terms:    o.Terms.withDefaults(),
	}
	for _, s := range o.sections() {
		for i := range s.Items {
			if s.Items[i].Label == a.Label {
				v.State, v.Now = s.Title, &s.Items[i]
			}
		}
	}
	for _, p := range slices.Backward(runs) {
		v.Runs = append(v.Runs, pastView(p, l))
	}
	n := min(len(v.Runs), keptPast)
	v.Runs, v.Older = v.Runs[:n], v.Runs[n:]
	if last := a.LastEvidence(); last != nil {
		v.Evidence = evidenceOf(last, kept)
	}
	return v.write(w, "authority.html", v)
}

// authorityView is what the template authority.html shows.
type authorityView struct {
	document
	Terms    Terms
	Label    string
	Site     Site
	Settings []setting
	Verdict  runlog.Verdict
	Class    any
	State    string // the section of the index that it is in; "": it is well
	Now      *item  // what that section says; nil: nothing
	Kept     int
	Charts   []*chart
	Fields   []small
	Runs     []pastRow // the latest first
	Older    []pastRow
	Commands []command
	Evidence *evidenceView
}

// setting is an option of an authority's row in the registry.
type setting struct{ Name, Value string }

// settings writes options as they stand in a row: text as it is, all else as JSON.
func settings(options map[string]any) (all []setting) {
	for _, name := range slices.Sorted(maps.Keys(options)) {
		value, isText := options[name].(string)
		if !isText {
			text, err := json.Marshal(options[name])
			if err != nil {
				text = []byte("?")
			}
			value = string(text)
		}
		all = append(all, setting{name, value})
	}
	return all
}

// command is something to type, and why.
type command struct{ Why, Line string }

// commands is what an operator may want to type next.
func commands(o *Overview, a *Authority, kept Recordings) []command {
	t := o.Terms.withDefaults()
	again := t.Command + flag(t.Site, a.Label)
	if a.File != "" {
		again += flag(t.Sites, a.File)
	}
	all := []command{{"Ask the site again", again + flag("db", o.Database)}}
	if kept.Failure != nil {
		all = append(all, command{"See what was on its pages", t.Command + " page " + quoted(a.Label) + flag("db", o.Database)})
	}
	if kept.Failure != nil && kept.Good != "" {
		all = append(all, command{"Find what is no longer as it was", t.Command + " page " + quoted(a.Label) + " --diff" + flag("db", o.Database)})
	}
	if a.Replay != "" {
		all = append(all, command{"Play the failure again, without the network", a.Replay})
	}
	return all
}

// pastRow is a run in the table of an authority's page.
type pastRow struct {
	PastRun
	Page   string
	Took   string
	Reason string
}

func pastView(p PastRun, l Links) pastRow {
	line, _ := oneLine(p.Error)
	if line == "" {
		line = p.Remark
	}
	return pastRow{p, l.run(p.Run), short(seconds(p.Seconds)), line}
}

// evidenceView is the pages of a failure.
type evidenceView struct {
	Run     PastRun
	Reason  string
	Exhibit *exhibit.Exhibit // nil: it is not there any more
	Pages   []shownPage
}

// shownPage is a page in a frame, with the error if it is the page that the error is about.
type shownPage struct {
	exhibit.Page
	Missing string        // what the error says of this page, or ""
	Worked  *exhibit.Page // the page as it looked when the authority last gave records; nil: it is not known
}

func evidenceOf(run *PastRun, kept Recordings) *evidenceView {
	shown := kept.Failure
	v := &evidenceView{Run: *run, Exhibit: shown, Reason: strings.TrimSpace(run.Error)}
	if v.Reason == "" {
		v.Reason = run.Remark
	}
	if shown == nil {
		return v
	}
	accused := len(shown.Pages) - 1
	for i, p := range shown.Pages {
		v.Pages = append(v.Pages, shownPage{Page: p})
		if strings.Contains(run.Error, p.URL) {
			accused = i
		}
	}
	if accused >= 0 {
		v.Pages[accused].Missing = v.Reason
		v.Pages[accused].Worked = counterpart(kept.Worked, v.Pages[accused].Page)
	}
	return v
}

// counterpart returns the page of an exhibit that was asked for like another one, or else the first at its path, whatever the query, or nil.
func counterpart(e *exhibit.Exhibit, of exhibit.Page) *exhibit.Page {
	if e == nil {
		return nil
	}
	path, _, _ := strings.Cut(of.URL, "?")
	var found *exhibit.Page
	for i := range e.Pages {
		p := &e.Pages[i]
		if p.URL == of.URL && p.Method == of.Method {
			return p
		}
		if at, _, _ := strings.Cut(p.URL, "?"); at == path && found == nil {
			found = p
		}
	}
	return found
}
