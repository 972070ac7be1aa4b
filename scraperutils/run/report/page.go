package report

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/news"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// The page is one template with its style and its script inside it:
//
//	Overview ─▶ newPage: what each section says ─▶ page.html, page.css, page.js ─▶ one file
//
// All that it says stands in the HTML. The script only sorts, filters and copies what is there.

//go:embed page.html authority.html history.html compare.html
var pageFiles embed.FS

// What stands in every page, and the scripts of those that have them.
var (
	//go:embed page.css
	pageStyle string
	//go:embed copy.js
	copyScript string
	//go:embed page.js
	tableScript string
)

// pageTemplates escape by place: an authority's label or an error's text can't become markup.
var pageTemplates = template.Must(template.New("").Funcs(template.FuncMap{
	"count": scraperutils.Digits, "plural": scraperutils.Count, "heading": heading, "article": scraperutils.Article, "dict": dict, "lower": strings.ToLower,
}).ParseFS(pageFiles, "*.html"))

// WritePage writes an overview as one HTML page that needs a browser and nothing else: no network, no other file. It
// writes nothing if the page can't be made.
func WritePage(w io.Writer, o *Overview) error { return WriteIndex(w, o, Links{}) }

// WriteIndex writes the page of WritePage with links to others.
func WriteIndex(w io.Writer, o *Overview, l Links) error {
	p := newPage(o, l)
	return p.write(w, "page.html", p)
}

// WriteRun writes the page of WriteIndex of one run alone, beside which others are.
func WriteRun(w io.Writer, o *Overview, l Links) error {
	p := newPage(o, l)
	p.Alone, p.Now, p.Pages = true, "", l.pages("")
	return p.write(w, "page.html", p)
}

// document is what every page of the report has.
type document struct {
	Style    template.CSS
	Script   template.JS
	Policy   string // what the browser may load and run: the page's own style and script
	Title    string
	Made     string
	Database string
	Banner   string // above all else, or ""
	Index    string // the page with all sites, or ""
	Pages    []pageLink
}

// dict makes what a part of a page shows of several things, each after its name.
func dict(pairs ...any) map[string]any {
	all := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		all[fmt.Sprint(pairs[i])] = pairs[i+1]
	}
	return all
}

// write writes a page of which this is a part.
func (d document) write(w io.Writer, name string, page any) error {
	var b bytes.Buffer
	if err := pageTemplates.ExecuteTemplate(&b, name, page); err != nil {
		return fmt.Errorf("make the report's page: %w", err)
	}
	if _, err := w.Write(inBasicPlane(b.Bytes())); err != nil {
		return fmt.Errorf("write the report's page: %w", err)
	}
	return nil
}

// newDocument returns what every page has. current is the address of the page itself, if others lead to it.
func newDocument(title string, c Cover, current, script string) document {
	d := document{
		Style: template.CSS(pageStyle), Script: template.JS(script), Policy: policy(script),
		Title: title, Made: c.Made.Format("2 January 2006, 15:04 -07:00"), Database: c.Database,
		Index: c.Links.Index, Pages: c.Links.pages(current),
	}
	if c.MadeUp {
		d.Banner = news.MadeUp
	}
	return d
}

// page is what the template shows, in the order in which it does.
type page struct {
	document
	Headline string
	Now      string // a page that shows the run as it goes, or ""
	Compare  string // a page that compares the run with the one before, or ""
	Alone    bool   // others are beside it, and it may not be the last
	Run      pageRun
	Tally    []tallied
	Alike    []string // what failures have in common
	Sections []pageSection
	Critical *criticalView
	Choices  []choice
	Rows     []row
	FirstDay string
	LastDay  string
	Timeline *timelineView
	Terms    Terms
}

// pageRun is what the page says of the run itself.
type pageRun struct {
	Day      string
	Began    string
	Took     string // "": no end is logged
	Exit     int
	Meaning  string // of the exit code
	Cause    string // why it ended early, or ""
	Reasons  []string
	Process  int // in which it goes on, or 0
	Records  int
	Growth   string // against the usual number, in brackets; "": nothing is known
	Requests int
}

// tallied is how many authorities have a verdict.
type tallied struct {
	Verdict runlog.Verdict
	Count   int
	Linked  bool // there is a list of them
}

func newPage(o *Overview, l Links) *page {
	run, sections, rows := runView(o), attention(o, l), rows(o, l)
	p := &page{
		Headline: headline(o),
		Now:      l.Now,
		Compare:  l.compare(o.Run.ID),
		Run:      run,
		Tally:    tally(o, sections),
		Alike:    o.alike(),
		Sections: sections,
		Critical: critical(o.Run),
		Choices:  choices(rows),
		Rows:     rows,
		Timeline: timelineOf(o),
		Terms:    o.Terms.withDefaults(),
	}
	p.document = newDocument(p.Headline+" – "+run.Day, o.cover(l), l.Index, copyScript+tableScript)
	if n := len(o.Days); n > 0 {
		p.FirstDay, p.LastDay = o.Days[0], o.Days[n-1]
	}
	return p
}

// policy lets the browser run this very script and load nothing. A style must be free: widths and heights stand in the page.
func policy(script string) string {
	sum := sha256.Sum256([]byte(script))
	return "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}

// headline says in one line whether anybody has to do anything.
func headline(o *Overview) string {
	older := len(o.Changes().Earlier)
	total, bad := 0, 0
	if o.Run.Process == 0 {
		total, bad = len(o.Run.Unfinished), len(o.Run.Unfinished)
	}
	for v, n := range o.Run.Verdicts {
		total += n
		if v.Bad() {
			bad += n
		}
	}
	if older == 0 {
		return o.Terms.headline(total, bad)
	}
	left := scraperutils.Digits(older) + " of earlier runs"
	if bad > 0 {
		return o.Terms.headline(total, bad) + ", and " + left
	}
	if older == 1 {
		return o.Terms.headline(total, bad) + ", but " + left + " needs attention"
	}
	return o.Terms.headline(total, bad) + ", but " + left + " need attention"
}

func (t Terms) headline(total, bad int) string {
	t = t.withDefaults()
	switch {
	case total == 0:
		return "No " + t.Site + " was run"
	case bad == 0 && total == 1:
		return "The one " + t.Site + " is well"
	case bad == 0:
		return "All " + scraperutils.Digits(total) + " " + t.Sites + " are well"
	case total == 1:
		return "The one " + t.Site + " needs attention"
	case bad == 1:
		return "1 of " + scraperutils.Digits(total) + " " + t.Sites + " needs attention"
	}
	return scraperutils.Digits(bad) + " of " + scraperutils.Digits(total) + " " + t.Sites + " need attention"
}

func runView(o *Overview) pageRun {
	r := o.Run
	v := pageRun{
		Day: r.At.Format("Monday 2 January 2006"), Began: r.At.Format("15:04 (-07:00)"),
		Exit: r.ExitCode, Meaning: exitMeaning(r.ExitCode), Cause: r.Cause, Reasons: r.Reasons, Process: r.Process,
		Records: r.Records, Growth: growth(o.Changes()), Requests: r.Requests,
	}
	if r.Ended != nil {
		v.Took = short(seconds(r.Seconds))
	}
	return v
}

func exitMeaning(code int) string {
	switch code {
	case 0:
		return "all as expected"
	case 1:
		return "something was not as expected"
	case 2:
		return "bad flags or configuration"
	case 124:
		return "the run's time was up"
	case 130:
		return "interrupted"
	case 143:
		return "told to end"
	}
	return "not a code of this command"
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// inBasicPlane writes characters of four bytes as references, which show the same and pass where they do not, and mends what
// is not valid text.
func inBasicPlane(page []byte) []byte {
	out := make([]byte, 0, len(page))
	for len(page) > 0 {
		r, size := utf8.DecodeRune(page)
		if size == 4 {
			out = fmt.Appendf(out, "&#x%X;", r)
		} else {
			out = utf8.AppendRune(out, r)
		}
		page = page[size:]
	}
	return out
}
