package agent

import (
	"slices"
	"strings"
)

// wellFormed makes a page mean what the sites' own tools meant by it, where html.Parse would read something else into it.
func wellFormed(page string) string { return closedElements(plainAmpersands(page)) }

// plainAmpersands escapes each ampersand that begins a name without the semicolon after it. Registers show descriptions as they
// were typed in, and html.Parse reads some words as browsers do: &parking as a paragraph sign and "king".
func plainAmpersands(s string) string {
	var b strings.Builder
	done := 0
	for i := 0; i < len(s); {
		n := strings.IndexByte(s[i:], '&')
		if n < 0 {
			break
		}
		name := i + n + 1
		end := name
		for end < len(s) && (isLetter(s[end]) || isDigit(s[end])) {
			end++
		}
		if end > name && isLetter(s[name]) && (end == len(s) || s[end] != ';') {
			b.WriteString(s[done:name])
			b.WriteString("amp;")
			done = name
		}
		i = end
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// Elements that have no end, and those whose content is no markup.
var (
	voidElements = []string{"area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input", "keygen", "link", "meta", "param", "source", "track", "wbr"}
	rawElements  = []string{"iframe", "noembed", "noframes", "noscript", "script", "style", "textarea", "title", "xmp"}
)

// closedElements ends each element that is written as an empty one is in XML: <div class="clear"/>. To html.Parse that is the
// beginning of one, and what follows stands inside it.
func closedElements(s string) string {
	var b strings.Builder
	done := 0
	for i := 0; i < len(s); {
		n := strings.IndexByte(s[i:], '<')
		if n < 0 {
			break
		}
		i += n + 1
		if strings.HasPrefix(s[i:], "!--") {
			if n = strings.Index(s[i:], "-->"); n < 0 {
				break
			}
			i += n
		}
		if i == len(s) || !isLetter(s[i]) {
			continue
		}
		name, end, empty := readTag(s, i)
		i = end
		switch {
		case empty && !slices.Contains(voidElements, name):
			b.WriteString(s[done:end])
			b.WriteString("</" + name + ">")
			done = end
		case !empty && slices.Contains(rawElements, name):
			i += endOfRaw(s[end:], name)
		}
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

// readTag reads the tag whose name begins at i. The slash of an empty element is none where it belongs to a value without quotes.
func readTag(s string, i int) (name string, end int, empty bool) {
	end = i
	for end < len(s) && s[end] > ' ' && s[end] != '/' && s[end] != '>' {
		end++
	}
	name = strings.ToLower(s[i:end])
	var quote, before byte // the quote that is open, and what was before this byte, spaces apart
	bare := false          // in a value without quotes
	for ; end < len(s); end++ {
		c := s[end]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '>':
			return name, end + 1, s[end-1] == '/' && !bare
		case c <= ' ':
			bare = false
		case before == '=' && (c == '"' || c == '\''):
			quote = c
		case before == '=':
			bare = true
		}
		if c > ' ' {
			before = c
		}
	}
	return name, end, false
}

// endOfRaw returns where an element's content that is no markup ends.
func endOfRaw(s, name string) int {
	for i := 0; ; {
		n := strings.Index(s[i:], "</")
		if n < 0 {
			return len(s)
		}
		i += n + 2
		if len(s) >= i+len(name) && strings.EqualFold(s[i:i+len(name)], name) {
			return i - 2
		}
	}
}
