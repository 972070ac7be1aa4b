package robots

import "strings"

// rule is one Allow or Disallow.
type rule struct {
	allow    bool
	parts    []string // of the pattern, between its stars
	anchored bool     // it ends in $
	length   int      // in octets
}

func newRule(pattern string, allow bool) rule {
	r := rule{allow: allow}
	pattern, r.anchored = strings.CutSuffix(pattern, "$")
	for _, part := range strings.Split(pattern, "*") {
		r.parts = append(r.parts, octets(part))
		r.length += len(octets(part)) + 1
	}
	r.length-- // a star stands between two parts
	if r.anchored {
		r.length++
	}
	return r
}

// matches reports whether the pattern fits the path from its start. It looks for each part behind the one before, which finds
// a match if there is any, in linear time.
func (r rule) matches(path string) bool {
	rest, ok := strings.CutPrefix(path, r.parts[0])
	if !ok {
		return false
	}
	last := len(r.parts) - 1
	if last == 0 {
		return !r.anchored || rest == ""
	}
	for _, part := range r.parts[1:last] {
		i := strings.Index(rest, part)
		if i < 0 {
			return false
		}
		rest = rest[i+len(part):]
	}
	if r.anchored {
		return strings.HasSuffix(rest, r.parts[last])
	}
	return strings.Contains(rest, r.parts[last])
}

// octets undoes percent-encoding, so that it does not matter which characters one side encoded and the other did not (RFC
// 9309, 2.2.2).
func octets(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			high, ok1 := hex(s[i+1])
			low, ok2 := hex(s[i+2])
			if ok1 && ok2 {
				b.WriteByte(high<<4 | low)
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func hex(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}
