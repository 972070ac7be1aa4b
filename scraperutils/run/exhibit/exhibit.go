package exhibit

import (
	"errors"
	"fmt"
	"mime"
	"net/url"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
	"github.com/multiscraper/multiscraper/scraperutils/web/cassette"
	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
)

// Limits of what is shown.
const (
	maxPages = 8       // of a recording: the last ones
	maxBody  = 2 << 20 // bytes of a page that is shown as markup
	maxText  = 8 << 10 // bytes of what is shown as plain text
)

// Exhibit is what a recording has to show.
type Exhibit struct {
	Path     string   // of the recording
	Pages    []Page   // the last ones, in order
	Left     int      // how many came before them, and are not shown
	Missing  int      // how many the recording itself lacks
	Failures []string // requests that had no answer
}

// Page is one answer of a recording.
type Page struct {
	Method string
	URL    string // without a user and password
	Status int
	At     time.Time // zero: unknown
	Type   string    // such as text/html
	Title  string    // "": it has none
	Markup string    // a whole document that can do nothing, for a frame; "": it is no HTML
	Text   string    // of what is no HTML, its beginning
	Note   string    // why it is not shown, or not whole; "": it is
}

// Load reads the recording in a file. Its error wraps that of the file system.
func Load(path string) (*Exhibit, error) {
	c, err := cassette.Load(path)
	if err != nil {
		return nil, err
	}
	return Of(c), nil
}

// Of returns what a recording has to show.
func Of(c *cassette.Cassette) *Exhibit {
	e := &Exhibit{Path: c.Path, Missing: c.Missing}
	var shown []cassette.Interaction
	for _, i := range c.Interactions {
		if !isRobots(i.Request.URL) {
			shown = append(shown, i)
		}
	}
	e.Left = max(0, len(shown)-maxPages)
	for _, i := range shown[e.Left:] {
		e.Pages = append(e.Pages, pageOf(i))
	}
	for _, f := range c.Failures {
		e.Failures = append(e.Failures, fmt.Sprintf("%s %s: %s", f.Request.Method, scraperutils.ShownLink(f.Request.URL), scraperutils.WithoutUser(f.Message)))
	}
	return e
}

func isRobots(raw string) bool {
	u, err := url.Parse(raw)
	return err == nil && u.Path == "/robots.txt"
}

// pageOf decodes an answer. What can't be decoded is a page with a note.
func pageOf(i cassette.Interaction) Page {
	p := Page{Method: i.Request.Method, URL: scraperutils.ShownLink(i.Request.URL), Status: i.Response.Status, At: i.RecordedAt}
	contentType := i.Response.Header.Get("Content-Type")
	p.Type, _, _ = mime.ParseMediaType(contentType)
	text, err := bodyOf(i.Response)
	switch {
	case i.Response.Body.Cut != cassette.Whole:
		p.Note = "its body was " + string(i.Response.Body.Cut)
	case err != nil:
		p.Note = "it can't be decoded: " + err.Error()
	}
	if err != nil {
		return p
	}
	if !isHTML(p.Type, text) {
		p.Text = text
		if len(text) > maxText {
			p.Text, p.Note = strings.ToValidUTF8(text[:maxText], ""), fmt.Sprintf("its first %d KiB", maxText>>10)
		}
		return p
	}
	markup, title, err := Clean(text)
	if err != nil {
		p.Note = "it can't be shown: " + err.Error()
		return p
	}
	p.Markup, p.Title = markup, title
	return p
}

var errTooLarge = errors.New("it is too large")

func bodyOf(r cassette.Response) (string, error) {
	sent, err := r.Body.Bytes()
	if err != nil {
		return "", err
	}
	body, err := fetch.Decode(sent, r.Header.Values("Content-Encoding"), maxBody+1)
	if err != nil && len(body) == 0 {
		return "", err
	}
	if len(body) > maxBody {
		return "", errTooLarge
	}
	return agent.Text(body, r.Header.Get("Content-Type"))
}

func isHTML(mediaType, text string) bool {
	switch mediaType {
	case "text/html", "application/xhtml+xml":
		return true
	case "":
		return strings.HasPrefix(strings.TrimSpace(text), "<") && !strings.HasPrefix(strings.TrimSpace(text), "<?xml")
	}
	return false
}
