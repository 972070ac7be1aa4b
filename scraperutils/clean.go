package scraperutils

import (
	"strings"
	"unicode"
)

// Clean returns a text of a page as a browser shows it, but for its white space, which stays: line ends become \n, other control
// characters and characters that are not seen go (among them those that turn the direction of what follows), and so does the white
// space around the rest.
func Clean(text string) string {
	if strings.ContainsFunc(text, isUnclean) || strings.ContainsRune(text, unicode.ReplacementChar) {
		text = strings.Map(cleanRune, strings.ReplaceAll(text, "\r\n", "\n"))
	}
	return Trim(text)
}

// CleanLine is Clean for a text that is one line: each run of white space with a line end or a tab in it becomes a space.
func CleanLine(text string) string {
	text = Clean(text)
	if !strings.ContainsAny(text, "\n\t") {
		return text
	}
	var b strings.Builder
	for rest := text; rest != ""; {
		end := strings.IndexAny(rest, " \n\t")
		if end < 0 {
			b.WriteString(rest)
			break
		}
		b.WriteString(rest[:end])
		after := strings.TrimLeft(rest[end:], " \n\t")
		gap := rest[end : len(rest)-len(after)]
		if strings.ContainsAny(gap, "\n\t") {
			gap = " "
		}
		b.WriteString(gap)
		rest = after
	}
	return b.String()
}

func isUnclean(r rune) bool { return cleanRune(r) != r }

// cleanRune returns what stands in a character's place, or -1 for nothing.
func cleanRune(r rune) rune {
	switch r {
	case '\n', '\t', '\u200c', '\u200d': // the last two join and part the letters of some scripts
		return r
	case '\r', '\v', '\f', '\u0085', '\u2028', '\u2029':
		return '\n'
	}
	if unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) {
		return -1
	}
	return r
}
