package register

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// Element is an XML element with what stands in it.
type Element struct {
	Name     string
	Attr     map[string]string
	Text     string // its own, not its children's
	Children []*Element
}

// maxDepth is how deep elements may be nested.
const maxDepth = 200

// ParseXML reads a document. It is as lenient as the browsers that councils test with: characters that XML forbids are
// dropped, HTML's entities are known, the declared encoding is not looked at (the text is UTF-8 already).
func ParseXML(text string) (*Element, error) {
	d := xml.NewDecoder(strings.NewReader(spacedAttributes(legal(text))))
	d.Strict = false
	d.Entity = xml.HTMLEntity
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	root := &Element{}
	open := []*Element{root}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read XML: %w", err)
		}
		top := open[len(open)-1]
		switch token := token.(type) {
		case xml.StartElement:
			e := &Element{Name: token.Name.Local}
			for _, a := range token.Attr {
				if e.Attr == nil {
					e.Attr = map[string]string{}
				}
				e.Attr[a.Name.Local] = a.Value
			}
			top.Children = append(top.Children, e)
			if open = append(open, e); len(open) > maxDepth {
				return nil, fmt.Errorf("read XML: more than %d elements inside each other", maxDepth)
			}
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			top.Text += string(token)
		}
	}
	if len(root.Children) == 0 {
		return nil, errors.New("read XML: there is no element")
	}
	return root.Children[0], nil
}

var characterReference = regexp.MustCompile(`&#(?:[0-9]+|[xX][0-9a-fA-F]+);`)

// legal drops the characters, and references to characters, that XML does not allow.
func legal(s string) string {
	s = strings.Map(func(r rune) rune {
		if allowed(r) {
			return r
		}
		return -1
	}, s)
	if !strings.Contains(s, "&#") {
		return s
	}
	return characterReference.ReplaceAllStringFunc(s, func(ref string) string {
		digits, base := ref[2:len(ref)-1], 10
		if digits[0]|0x20 == 'x' {
			digits, base = digits[1:], 16
		}
		n, err := strconv.ParseInt(digits, base, 32)
		if err != nil || !allowed(rune(n)) {
			return ""
		}
		return ref
	})
}

func allowed(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r >= 0x20 && r <= 0xd7ff || r >= 0xe000 && r <= 0xfffd || r >= 0x10000 && r <= 0x10ffff
}

// Child returns the first child of a name, or nil.
func (e *Element) Child(name string) *Element {
	if e == nil {
		return nil
	}
	for _, c := range e.Children {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// ChildText returns the text of the first child of a name, and whether there is one.
func (e *Element) ChildText(name string) (string, bool) {
	c := e.Child(name)
	if c == nil {
		return "", false
	}
	return c.Text, true
}

// Find returns the first child of a name, or else the first element of that name further below, or nil.
func (e *Element) Find(name string) *Element {
	found := e.Child(name)
	if e == nil || found != nil {
		return found
	}
	e.All(func(c *Element) bool {
		if c.Name == name {
			found = c
		}
		return found == nil
	})
	return found
}

// FindText returns the text of the element that Find finds, and whether there is one.
func (e *Element) FindText(name string) (string, bool) {
	c := e.Find(name)
	if c == nil {
		return "", false
	}
	return c.Text, true
}

// All calls visit for each element below e, in the order of the document, until it returns false.
func (e *Element) All(visit func(*Element) bool) bool {
	for _, c := range e.Children {
		if !visit(c) || !c.All(visit) {
			return false
		}
	}
	return true
}
