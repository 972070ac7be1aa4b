package agent

import (
	"regexp"
	"strings"
)

// maxCopies is how many elements and attributes html.Parse may make of a page by copying.
const maxCopies = 1_000_000

// checkHTML counts what html.Parse makes of a page. Its error is a *scraperutils.TooLargeError.
func checkHTML(page string) error {
	parts, err := HTML.count(page)
	if err == nil && parts > maxCopies/(1+copiedPerTag(page)) {
		err = HTML.tooLarge(maxCopies, "tags and words, with those that open elements repeat")
	}
	return err
}

// copiedPerTag returns how many elements and attributes each tag of a page may make html.Parse copy, or look at once more. An
// element that clearly ends at once does not count. A few kilobytes of others make millions: <b 1><b 2>…<p>x<p>x…
func copiedPerTag(page string) int {
	copied, bodies, htmls := 0, 0, 0
	for i := 0; ; {
		n := strings.IndexByte(page[i:], '<')
		if n < 0 {
			return copied + max(bodies-1, 0) + max(htmls-1, 0)
		}
		i += n + 1
		switch elementName(page[i:]) {
		case "body": // its attributes are compared with those of each further one
			bodies++
		case "html":
			htmls++
		// Elements that html.Parse, as browsers do, opens again in every block until they end. A link is none: the next one ends it.
		case "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u":
			if !endsAtOnce(page[i-1:]) {
				copied += 1 + attributesAtMost(page[i:])
			}
		}
	}
}

// longestName is that of the elements that copiedPerTag looks for.
const longestName = len("strong")

// elementName returns the name at the beginning of a tag in lower case, or "" where it is none that matters.
func elementName(tag string) string {
	end := 0
	for end < len(tag) && isLetter(tag[end]) {
		if end++; end > longestName {
			return ""
		}
	}
	if end < len(tag) && tag[end] > ' ' && tag[end] != '/' && tag[end] != '>' {
		return ""
	}
	return strings.ToLower(tag[:end])
}

// plain is an element with nothing but text inside, written so that no parser can take it for anything else.
var plain = regexp.MustCompile(`^<([a-zA-Z]+)(?:\s+[\w:-]+="[^"<>]*")*\s*>[^<]*</([a-zA-Z]+)>`)

func endsAtOnce(element string) bool {
	m := plain.FindStringSubmatch(element)
	return m != nil && strings.EqualFold(m[1], m[2])
}

// longestTag is how long the tag of an element that is copied may be, in bytes, for its attributes to be counted.
const longestTag = 4 << 10

// attributesAtMost returns how many attributes a tag may have: more than a page may have copied, where it is very long.
func attributesAtMost(tag string) int {
	end := readTag(tag[:min(len(tag), longestTag)], 0).end
	if end == longestTag {
		return maxCopies
	}
	n := 0
	for i := 1; i < end; i++ {
		if markup[tag[i]] == space && markup[tag[i-1]] != space {
			n++
		}
	}
	return n
}
