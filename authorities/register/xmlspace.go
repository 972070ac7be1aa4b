package register

import "strings"

// spacedAttributes makes tabs and line ends in attribute values spaces, as XML asks of those who read it and encoding/xml does
// not. Character references to them stay what they are.
func spacedAttributes(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for {
		begin := strings.IndexByte(s, '<')
		if begin < 0 {
			break
		}
		b.WriteString(s[:begin])
		s = s[begin:]
		if n := notATag(s); n > 0 {
			b.WriteString(s[:n])
			s = s[n:]
			continue
		}
		s = s[spacedTag(s, &b):]
	}
	b.WriteString(s)
	return b.String()
}

// notATag returns the length of a comment, section or instruction at the beginning of s; 0 is none.
func notATag(s string) int {
	for _, section := range [][2]string{{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<!", ">"}, {"<?", "?>"}} {
		if !strings.HasPrefix(s, section[0]) {
			continue
		}
		body := len(section[0])
		end := strings.Index(s[body:], section[1])
		if end < 0 {
			return len(s)
		}
		return body + end + len(section[1])
	}
	return 0
}

// spacedTag writes the tag at the beginning of s and returns its length there.
func spacedTag(s string, b *strings.Builder) int {
	var quote, before byte // the quote that is open, and what was before this byte, spaces apart
	for i := range len(s) {
		c := s[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0 && c == '\n' && s[i-1] == '\r':
			continue // one line end, written already
		case quote != 0 && (c == '\t' || c == '\n' || c == '\r'):
			c = ' '
		case quote == 0 && (c == '"' || c == '\'') && before == '=':
			quote = c
		}
		b.WriteByte(c)
		if quote == 0 && c == '>' {
			return i + 1
		}
		if c > ' ' {
			before = s[i]
		}
	}
	return len(s)
}
