package validate

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// checkDetails looks on the page of each sample for the reference, address and description of its record. A page that is not 200 is
// an *scraperutils.UnprocessableRecord, too much that is missing an *scraperutils.UnprocessableSite.
func (c *Checker) checkDetails(samples []sample) error {
	checks := tally{threshold: c.Settings.InfoURL}
	for _, s := range samples {
		c.say("Checking info_url[%d]: %s has the expected reference, address and description\n", s.Index, s.Record.Text("info_url"))
		if c.Settings.BotCheckExpected && s.Page.botProtected() {
			c.say("  Bot protection detected - skipping detailed checks\n")
			continue
		}
		if s.Page.Status != http.StatusOK {
			return &scraperutils.UnprocessableRecord{Reason: fmt.Sprintf("Expected 200 response, got %d", s.Page.Status)}
		}
		if err := c.details(&checks, s); err != nil {
			return err
		}
	}
	if checks.count > 0 {
		c.say("%s", checks.summary("detail checks"))
	}
	return nil
}

func (c *Checker) details(checks *tally, s sample) error {
	page := newPageText(s.Page.Body)
	for _, field := range []string{"council_reference", "address", "description"} {
		value := s.Record.Text(field)
		if page.shows(field, value) {
			checks.pass()
			continue
		}
		c.say("  Missing %s: %s\n", field, value)
		if err := checks.fail(); err != nil {
			return err
		}
	}
	return nil
}

// pageText is the body of a page in the two forms that values are looked for in.
type pageText struct{ plain, relaxed string }

func newPageText(body string) pageText {
	plain := collapse(body)
	return pageText{plain, relax(plain)}
}

var (
	wideSpace  = regexp.MustCompile(`[\s\v]{2,}`)
	comma      = regexp.MustCompile(`[\s\v]*,[\s\v]*`)
	dash       = regexp.MustCompile(`[\s\v]*-[\s\v]*`)
	leadingDA  = regexp.MustCompile(`^DA[\s\v]*-[\s\v]*`)
	lastTwo    = regexp.MustCompile(`([^\s\v]+)[\s\v]+([^\s\v]+)$`)
	finalState = regexp.MustCompile(`[\s\v,]+(?:` + strings.Join(states, "|") + `)$`)
	inHTML     = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")
)

// shows reports whether a page has a value as sites write it: a reference also without its DA, an address also with state and
// postcode swapped or without its state, and all with other white space around commas and dashes.
func (p pageText) shows(field, value string) bool {
	want := collapse(inHTML.Replace(value))
	other, short := want, want
	switch field {
	case "council_reference":
		other = leadingDA.ReplaceAllString(want, "")
	case "address":
		other = lastTwo.ReplaceAllString(want, "$2 $1")
		short = finalState.ReplaceAllString(want, "")
	}
	return strings.Contains(p.plain, want) || strings.Contains(p.plain, other) || strings.Contains(p.relaxed, relax(short))
}

// collapse makes white space of more than one character a single space.
func collapse(s string) string { return wideSpace.ReplaceAllString(s, " ") }

// relax drops commas, and white space around dashes.
func relax(s string) string {
	return dash.ReplaceAllString(comma.ReplaceAllString(s, " "), "-")
}
