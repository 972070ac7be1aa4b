package validate

import (
	"regexp"
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils"
)

var placeholder = regexp.MustCompile(`(?i)no description|not available|to be confirmed|\btbc\b|\bn/a\b`)

// isPlaceholder reports whether a description only holds the place of one, such as "N/A" or "to be confirmed".
func isPlaceholder(text string) bool { return placeholder.MatchString(text) }

// enoughWords make a description, whatever they are.
const enoughWords = 3

// isReasonable reports whether a description says something: at least three words, or one that planning is about, and no
// placeholder among them.
func isReasonable(text string) bool {
	if isPlaceholder(text) {
		return false
	}
	lower := strings.ToLower(text)
	for _, keyword := range planningKeywords {
		if strings.Contains(lower, keyword) {
			return true
		}
	}
	return countWords(text) >= enoughWords
}

// countWords counts what stands between ASCII white space.
func countWords(text string) int {
	return len(strings.FieldsFunc(text, func(r rune) bool { return scraperutils.Blank(string(r)) }))
}
