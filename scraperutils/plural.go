package scraperutils

import (
	"strconv"
	"strings"
)

// Count writes a number of things with commas: 0 is "0 records", 1 is "1 record", 12345 is
// "12,345 records". Of a noun whose plural is not made with an s, give that too.
func Count(n int, one string, many ...string) string {
	noun := one
	switch {
	case n == 1:
	case len(many) > 0:
		noun = many[0]
	default:
		noun += "s"
	}
	return Digits(n) + " " + noun
}

// Digits writes a number with commas, as in 12,345.
func Digits(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Article writes a noun with the article that it has by its first letter: "a site", "an authority".
func Article(noun string) string {
	if noun != "" && strings.ContainsRune("aeiou", rune(noun[0]|0x20)) {
		return "an " + noun
	}
	return "a " + noun
}
