package icon

import (
	"fmt"
	"html"
	"regexp"
	"strings"

	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// readApplications returns the Application elements of the answer.
func readApplications(answer *agent.Page) ([]*register.Element, error) {
	const wanted = "root NewDataSet"
	root, err := register.ReadXML(answer, wanted)
	if err != nil {
		return nil, err
	}
	if root.Name != "NewDataSet" {
		return nil, answer.Missing(wanted, "root "+root.Name)
	}
	var applications []*register.Element
	for _, e := range root.Children {
		if e.Name == "Application" {
			applications = append(applications, e)
		}
	}
	return applications, nil
}

// address is that of the first Address element, or where that has no lines, of the first element of the application that has
// lines and the application's own id.
func address(e *register.Element) (string, bool) {
	first := e.Find("Address")
	if first == nil {
		return "", false
	}
	if first.Child("Line1") != nil {
		return joined(first, "Line1", "Line2"), true
	}
	id, _ := e.ChildText("ApplicationId")
	var other *register.Element
	e.All(func(c *register.Element) bool {
		if own, ok := c.ChildText("ApplicationId"); ok && scraperutils.Trim(own) == scraperutils.Trim(id) && c.Child("Line1") != nil {
			other = c
		}
		return other == nil
	})
	if other == nil {
		return "", false
	}
	return joined(other, "Line1", "Line2", "Line3"), true
}

// joined returns the lines that are not empty, with single spaces between words.
func joined(e *register.Element, names ...string) string {
	var lines []string
	for _, name := range names {
		text, _ := e.ChildText(name)
		if line := strings.Join(strings.FieldsFunc(text, asciiSpace), " "); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, ", ")
}

func asciiSpace(r rune) bool { return r <= ' ' && scraperutils.Blank(string(r)) }

// encoded is what an encoder writes. Without a semicolon it is text: html takes the beginning of &parking for a paragraph sign.
var encoded = regexp.MustCompile(`&(?:#[0-9]+|#[xX][0-9a-fA-F]+|[a-zA-Z][a-zA-Z0-9]*);`)

// description undoes the second of two encodings; the first was XML's own.
func description(e *register.Element) (string, bool) {
	for _, name := range []string{"ApplicationDetails", "SubNatureOfApplication"} {
		if text, ok := e.FindText(name); ok {
			return scraperutils.Trim(encoded.ReplaceAllStringFunc(text, html.UnescapeString)), true
		}
	}
	return "", false
}

// lodged is the date as it is written, whatever time zone stands behind it.
func lodged(e *register.Element) (string, error) {
	text, _ := e.FindText("LodgementDate")
	date, _, _ := strings.Cut(scraperutils.Trim(text), "T")
	received, err := register.ParseDate(date)
	if err != nil {
		return "", fmt.Errorf("LodgementDate: %w", err)
	}
	return received, nil
}
