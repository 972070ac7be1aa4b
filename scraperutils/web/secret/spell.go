package secret

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// spelled is a text as all ways in which each of its characters may be written.
type spelled [][]string

func spell(text string) (s spelled) {
	for _, r := range text {
		s = append(s, spellings(r))
	}
	return s
}

// cut returns what follows a spelling at the beginning of a text.
func (s spelled) cut(text string) (rest string, ok bool) {
	if len(s) == 0 {
		return text, true
	}
	for _, way := range s[0] {
		if after, ok := strings.CutPrefix(text, way); ok {
			if rest, ok := s[1:].cut(after); ok {
				return rest, true
			}
		}
	}
	return "", false
}

// named are the characters that HTML has short names for.
var named = map[rune]string{'&': "&amp;", '<': "&lt;", '>': "&gt;", '"': "&quot;", '\'': "&apos;", ' ': "&nbsp;"}

// spellings returns the ways to write a character, the longest first: one may begin with another.
func spellings(r rune) []string {
	all := []string{string(r)}
	both := func(format string, values ...any) {
		lower := fmt.Sprintf(format, values...)
		all = append(all, lower, strings.ReplaceAll(strings.ToUpper(lower), `\U`, `\u`))
	}
	for _, sign := range []string{"%", "%25", "%2525"} { // of a URL, in the query of a URL, in the query of that
		once := ""
		for _, b := range []byte(string(r)) {
			once += fmt.Sprintf("%s%02x", sign, b)
		}
		both("%s", once)
	}
	both("&#x%x;", r)
	all = append(all, fmt.Sprintf("&#x%X;", r), fmt.Sprintf("&#%d;", r), fmt.Sprintf("&#%02d;", r), fmt.Sprintf("&#%03d;", r), fmt.Sprintf("&amp;#%d;", r))
	if r <= 0xffff {
		both(`\u%04x`, r)
		both(`\\u%04x`, r) // in JSON within JSON
	}
	if name, ok := named[r]; ok {
		all = append(all, name, "&amp;"+name[1:])
	}
	switch r {
	case '"', '\\', '/', '\'':
		all = append(all, `\`+string(r), `\\`+string(r), `\\\`+string(r))
	case ' ':
		all = append(all, "+", "%2B", "%2b", "%252B", "%252b")
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return slices.Compact(all)
}
