package register

import (
	"regexp"
	"strings"
	"unicode"
)

var spaces = regexp.MustCompile(` {2,}`)

// SingleSpaces makes runs of spaces one space. Line breaks, tabs and no-break spaces stay.
func SingleSpaces(s string) string { return spaces.ReplaceAllString(s, " ") }

// Fold reduces a name to what it means: letters and digits in lower case, single spaces for anything between them.
func Fold(name string) string {
	var b strings.Builder
	gap := false
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte(' ')
		}
		gap = false
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
