package agent

import (
	"iter"
	"slices"
	"strings"
)

// wellFormed makes a page mean what the sites' own tools meant by it, where html.Parse would read something else into it: it ends
// elements that are written as empty ones, and escapes ampersands that are none of a reference.
func wellFormed(page string) string {
	p := patch{s: page}
	done := 0
	for t := range tags(page) {
		closes := t.empty && !slices.Contains(voidElements, t.name)
		if !closes && t.content == t.end {
			continue
		}
		p.plainAmpersands(done, t.end)
		if closes {
			p.insert(t.end, "</"+t.name+">")
		}
		if slices.Contains(textElements, t.name) {
			p.plainAmpersands(t.end, t.content)
		}
		done = t.content
	}
	p.plainAmpersands(done, len(page))
	return p.String()
}

// patch is a text with insertions, from its start to its end. Without any it is not copied.
type patch struct {
	s    string
	done int // of s, that is in b
	b    strings.Builder
}

func (p *patch) insert(at int, text string) {
	p.b.WriteString(p.s[p.done:at])
	p.b.WriteString(text)
	p.done = at
}

func (p *patch) String() string {
	if p.b.Len() == 0 {
		return p.s
	}
	p.b.WriteString(p.s[p.done:])
	return p.b.String()
}

// plainAmpersands escapes each ampersand between the two positions that begins a name without the semicolon after it. Registers
// show descriptions as they were typed in, and html.Parse reads some words as browsers do: &parking as a paragraph sign and "king".
// The sites' own parser takes no name for a character without its semicolon, &nbsp neither.
func (p *patch) plainAmpersands(from, to int) {
	s := p.s[:to]
	for i := from; i < to; {
		n := strings.IndexByte(s[i:], '&')
		if n < 0 {
			return
		}
		name := i + n + 1
		end := name
		for end < to && (isLetter(s[end]) || isDigit(s[end])) {
			end++
		}
		if end > name && isLetter(s[name]) && (end == to || s[end] != ';') {
			p.insert(name, "amp;")
		}
		i = end
	}
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// Elements that have no end, those whose content is no markup, and those of the latter in which references to characters count.
var (
	voidElements = []string{"area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input", "keygen", "link", "meta", "param", "source", "track", "wbr"}
	rawElements  = []string{"iframe", "noembed", "noframes", "noscript", "script", "style", "textarea", "title", "xmp"}
	textElements = []string{"textarea", "title"}
)

// tag is one that begins an element.
type tag struct {
	name    string
	empty   bool // it is written as an empty element is in XML: <div class="clear"/>
	end     int
	content int // where content that is no markup ends; end where there is none
}

// tags yields the tags of a page that begin an element, comments left out.
func tags(s string) iter.Seq[tag] {
	return func(yield func(tag) bool) {
		for i := 0; i < len(s); {
			n := strings.IndexByte(s[i:], '<')
			if n < 0 {
				return
			}
			i += n + 1
			if strings.HasPrefix(s[i:], "!--") {
				if n = strings.Index(s[i:], "-->"); n < 0 {
					return
				}
				i += n
			}
			if i == len(s) || !isLetter(s[i]) {
				continue
			}
			t := readTag(s, i)
			if !t.empty && slices.Contains(rawElements, t.name) {
				t.content += endOfRaw(s[t.end:], t.name)
			}
			if !yield(t) {
				return
			}
			i = t.content
		}
	}
}

// readTag reads the tag whose name begins at i. The slash of an empty element is none where it belongs to a value without quotes.
func readTag(s string, i int) tag {
	end := i
	for end < len(s) && s[end] > ' ' && s[end] != '/' && s[end] != '>' {
		end++
	}
	name := strings.ToLower(s[i:end])
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
			return tag{name: name, empty: s[end-1] == '/' && !bare, end: end + 1, content: end + 1}
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
	return tag{name: name, end: end, content: end}
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
