package register

import "regexp"

var spaces = regexp.MustCompile(` {2,}`)

// SingleSpaces makes runs of spaces one space. Line breaks, tabs and no-break spaces stay.
func SingleSpaces(s string) string { return spaces.ReplaceAllString(s, " ") }
