package register

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// Element is an XML element with what stands in it.
type Element struct {
	Name     string
	Attr     []Attribute
	Text     string // its own, not its children's
	Children []*Element
}

// Attribute is a name and value in an element's tag.
type Attribute struct{ Name, Value string }

// Attribute returns the value of the last attribute of a name, or "".
func (e *Element) Attribute(name string) string {
	for _, a := range slices.Backward(e.Attr) {
		if a.Name == name {
			return a.Value
		}
	}
	return ""
}

// maxDepth is how deep elements may be nested.
const maxDepth = 200

// ReadXML reads a page as ParseXML does. What is no XML is a page that lacks what it ought to have; one that is too large is an
// *scraperutils.TooLargeError.
func ReadXML(page *agent.Page, missing string) (*Element, error) {
	if err := page.Check(agent.XML); err != nil {
		return nil, err
	}
	root, err := ParseXML(page.Text)
	if err != nil {
		return nil, page.Missing(missing, err.Error())
	}
	return root, nil
}

// ParseXML reads a document. It is as lenient as the browsers that councils test with: characters that XML forbids are
// dropped, HTML's entities are known, the declared encoding is not looked at (the text is UTF-8 already).
func ParseXML(text string) (*Element, error) {
	d := xml.NewDecoder(strings.NewReader(spacedAttributes(legal(text))))
	d.Strict = false
	d.Entity = xml.HTMLEntity
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	t := &tree{open: []*openElement{{Element: &Element{}}}}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = t.take(token)
		}
		if err != nil {
			return nil, fmt.Errorf("read XML: %w", err)
		}
	}
	root := t.open[0]
	if len(root.Children) == 0 {
		return nil, errors.New("read XML: there is no element")
	}
	for len(t.open) > 1 { // the decoder ends what the document does not
		t.end()
	}
	return root.Children[0], nil
}

// tree is a document as far as it has been read.
type tree struct {
	open []*openElement // inside each other; the first stands for the document
}

// openElement is one whose end has not come. Its text comes in any number of pieces.
type openElement struct {
	*Element
	text strings.Builder
}

func (t *tree) take(token xml.Token) error {
	top := t.open[len(t.open)-1]
	switch token := token.(type) {
	case xml.StartElement:
		e := &Element{Name: token.Name.Local}
		for _, a := range token.Attr {
			e.Attr = append(e.Attr, Attribute{a.Name.Local, a.Value})
		}
		top.Children = append(top.Children, e)
		if t.open = append(t.open, &openElement{Element: e}); len(t.open) > maxDepth {
			return fmt.Errorf("more than %d elements inside each other", maxDepth)
		}
	case xml.EndElement:
		t.end()
	case xml.CharData:
		top.text.Write(token)
	}
	return nil
}

func (t *tree) end() {
	top := t.open[len(t.open)-1]
	top.Text = top.text.String()
	t.open = t.open[:len(t.open)-1]
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
