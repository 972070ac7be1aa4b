package agent

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// MaintenanceError reports a site that says it is under maintenance.
type MaintenanceError struct {
	URL     string
	Message string
}

func (e *MaintenanceError) Error() string { return "Maintenance: " + e.Message + " (" + e.URL + ")" }

// Class returns ClassMaintenance.
func (e *MaintenanceError) Class() scraperutils.Class { return scraperutils.ClassMaintenance }

// BlockedError reports a site that keeps crawlers out. Another try would make it worse.
type BlockedError struct {
	URL    string
	Status int
	Word   string // the word in the page that shows it, or ""
}

func (e *BlockedError) Error() string {
	s := fmt.Sprintf("blocked by %s (status %d", e.URL, e.Status)
	if e.Word != "" {
		s += fmt.Sprintf(", the page says %q", e.Word)
	}
	return s + ")"
}

// Class returns ClassBlocked.
func (e *BlockedError) Class() scraperutils.Class { return scraperutils.ClassBlocked }

// maintenanceMessage returns the first heading, or else the title, if it speaks of maintenance.
func maintenanceMessage(document *goquery.Document) string {
	for _, where := range []string{"h1", "title"} {
		text := strings.Join(strings.Fields(document.Find(where).First().Text()), " ")
		if strings.Contains(strings.ToLower(text), "maintenance") {
			return text
		}
	}
	return ""
}

// botWords are what pages say that keep crawlers out, as the ScraperUtils gem knows them.
var botWords = []string{"recaptcha", "cloudflare", "are you human", "bot detection", "security check", "verify you are human", "access denied", "blocked", "captcha"}

// botWord returns the first of these words that a text has, or "".
func botWord(text string) string {
	text = strings.ToLower(text)
	for _, word := range botWords {
		if strings.Contains(text, word) {
			return word
		}
	}
	return ""
}

// blockedBy returns an error for an answer that must not be requested again: 403, or a 503 that speaks of bots and names no time to
// come back. It is final: the tries that a 503 gets are over.
func blockedBy(r *scraperutils.Response) error {
	switch r.Status {
	case http.StatusForbidden:
		return &BlockedError{URL: scraperutils.ShownURL(r.URL), Status: r.Status, Word: botWord(string(r.Body))}
	case http.StatusServiceUnavailable:
		if word := botWord(string(r.Body)); word != "" && r.Header.Get("Retry-After") == "" {
			return &BlockedError{URL: scraperutils.ShownURL(r.URL), Status: r.Status, Word: word}
		}
	}
	return nil
}

// trouble returns why a page is not the one that was expected, where the page says so: maintenance, or a wall against bots.
// An ordinary page may use the same words, so only a page that lacks something is looked at.
func (p *Page) trouble() error {
	if message := p.maintenance(); message != "" {
		return &MaintenanceError{URL: scraperutils.ShownURL(p.URL), Message: message}
	}
	if !p.maySaySo() {
		return nil
	}
	if visible := visibleText(p.document); len(visible) <= maxWall {
		if word := botWord(visible); word != "" {
			return &BlockedError{URL: scraperutils.ShownURL(p.URL), Status: p.Status, Word: word}
		}
	}
	return nil
}

// maintenance returns what the page says of maintenance, or "".
func (p *Page) maintenance() string {
	if !p.maySaySo() {
		return ""
	}
	return maintenanceMessage(p.document)
}

// maySaySo reports whether the page is HTML that may say why it is not the expected one. It does not parse a page for nothing: of
// those not parsed yet, it looks only at short ones that begin like HTML.
func (p *Page) maySaySo() bool {
	if p.document != nil {
		return true
	}
	text := scraperutils.Trim(p.Text[:min(len(p.Text), maxExplained)])
	isXML := strings.HasPrefix(text, "<?xml") && !strings.Contains(strings.ToLower(text), "<html")
	if len(p.Text) > maxExplained || text == "" || isXML || text[0] == '{' || text[0] == '[' {
		return false
	}
	_, err := p.Document()
	return err == nil
}

const (
	// maxWall is how much text a wall against bots has at most, in bytes. On a longer page such words are a register's own.
	maxWall = 4000
	// maxExplained is how large a page is at most, in bytes, that says why it is another one.
	maxExplained = 256 << 10
)

// visibleText returns the text of a page's body, scripts and styles left out, with single spaces. Of a large page it is the beginning.
func visibleText(document *goquery.Document) string {
	var b strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
		if n.Type == html.ElementNode && (n.Data == "script" || n.Data == "style") {
			return
		}
		for c := n.FirstChild; c != nil && b.Len() <= maxExplained; c = c.NextSibling {
			walk(c)
		}
	}
	for _, body := range document.Find("body").Nodes {
		walk(body)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
