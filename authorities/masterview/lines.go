package masterview

import (
	"regexp"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// readLines returns the text of an element as it is split by br elements, each part trimmed.
func readLines(s *goquery.Selection) []string {
	var (
		lines []string
		line  strings.Builder
		walk  func(*html.Node)
	)
	end := func() {
		lines = append(lines, scraperutils.Trim(line.String()))
		line.Reset()
	}
	walk = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode:
			line.WriteString(n.Data)
		case n.Type == html.ElementNode && n.Data == "br":
			end()
		default:
			for c := n.FirstChild; c != nil; c = c.NextSibling {
				walk(c)
			}
		}
	}
	for _, n := range s.Nodes {
		walk(n)
	}
	end()
	return lines
}

var brokenLine = regexp.MustCompile(`[ \t]*\n[ \t\n]*`)

// oneLine writes an address with spaces where its street and suburb stand on lines of their own.
func oneLine(address string) string { return brokenLine.ReplaceAllString(address, " ") }

func firstWord(text string) string {
	text = scraperutils.Trim(text)
	if i := strings.IndexAny(text, " \t\n\v\f\r"); i >= 0 {
		return text[:i]
	}
	return text
}

// firstLine passes over empty lines.
func firstLine(s *goquery.Selection) string {
	for _, line := range readLines(s) {
		if line != "" {
			return line
		}
	}
	return ""
}
