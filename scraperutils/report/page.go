package report

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"time"
	"unicode/utf8"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/runlog"
)

// The page is one template with its style and its script inside it:
//
//	Overview ─▶ newPage: what each section says ─▶ page.html, page.css, page.js ─▶ one file
//
// All that it says stands in the HTML. The script only sorts, filters and copies what is there.

//go:embed page.html page.css page.js
var pageFiles embed.FS

// pageTemplate escapes by place: an authority's label or an error's text can't become markup.
var pageTemplate = template.Must(template.New("page.html").Funcs(template.FuncMap{"count": scraperutils.Digits, "plural": scraperutils.Count, "heading": heading, "article": scraperutils.Article}).ParseFS(pageFiles, "page.html"))

// WritePage writes an overview as one HTML page that needs a browser and nothing else: no network, no other file. It
// writes nothing if the page can't be made.
func WritePage(w io.Writer, o *Overview) error {
	p, err := newPage(o)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, p); err != nil {
		return fmt.Errorf("make the report's page: %w", err)
	}
	if _, err := w.Write(inBasicPlane(b.Bytes())); err != nil {
		return fmt.Errorf("write the report's page: %w", err)
	}
	return nil
}

// page is what the template shows, in the order in which it does.
type page struct {
	Style  template.CSS
	Script template.JS
	Policy string // what the browser may load and run: the page's own style and script

	Title     string
	Headline  string
	Run       pageRun
	Tally     []tallied
	Attention []attentionGroup
	Critical  *criticalView
	Rows      []row
	FirstDay  string
	LastDay   string
	Timeline  *timelineView
	Made      string
	Database  string
	Terms     Terms
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
	Requests int
}

// tallied is how many authorities have a verdict.
type tallied struct {
	Verdict runlog.Verdict
	Count   int
	Linked  bool // there is a list of them
}

func newPage(o *Overview) (*page, error) {
	style, err := pageFiles.ReadFile("page.css")
	if err != nil {
		return nil, fmt.Errorf("make the report's page: %w", err)
	}
	script, err := pageFiles.ReadFile("page.js")
	if err != nil {
		return nil, fmt.Errorf("make the report's page: %w", err)
	}
	p := &page{
		Style: template.CSS(style), Script: template.JS(script), Policy: policy(script),
		Run:       runView(o.Run),
		Tally:     tally(o),
		Attention: attention(o),
		Critical:  critical(o.Run),
		Rows:      rows(o),
		Timeline:  timelineOf(o),
		Made:      o.Made.Format("2 January 2006, 15:04 -07:00"),
		Database:  o.Database,
		Terms:     o.Terms.withDefaults(),
	}
	if n := len(o.Days); n > 0 {
		p.FirstDay, p.LastDay = o.Days[0], o.Days[n-1]
	}
	p.Headline = headline(o)
	p.Title = p.Headline + " – " + p.Run.Day
	return p, nil
}

// policy lets the browser run this very script and load nothing. A style must be free: widths and heights stand in the page.
func policy(script []byte) string {
	sum := sha256.Sum256(script)
	return "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// headline says in one line whether anybody has to do anything.
func headline(o *Overview) string {
	older := 0
	for i := range o.Authorities {
		if o.Authorities[i].older() {
			older++
		}
	}
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

func runView(r Run) pageRun {
	v := pageRun{
		Day: r.At.Format("Monday 2 January 2006"), Began: r.At.Format("15:04 (-07:00)"),
		Exit: r.ExitCode, Meaning: exitMeaning(r.ExitCode), Cause: r.Cause, Reasons: r.Reasons, Process: r.Process,
		Records: r.Records, Requests: r.Requests,
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
