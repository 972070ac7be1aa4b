package extract

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Bounds of a document.
const (
	maxToken = 1 << 20 // bytes from one tag to the next
	maxDepth = 100     // elements within each other
	maxText  = 16 << 10
)

// BoundError reports a document that is larger than any that is of use.
type BoundError struct {
	What string
	Max  int
}

func (e *BoundError) Error() string { return fmt.Sprintf("more than %d %s", e.Max, e.What) }

// scanner reads XML that may be anything, token by token.
type scanner struct {
	*xml.Decoder
	bounded *bounded
	depth   int
	prefix  string // of the root element's name; those of its vocabulary have the same
}

func newScanner(r io.Reader) *scanner {
	b := &bounded{r: r, left: maxToken}
	s := &scanner{Decoder: xml.NewDecoder(b), bounded: b}
	s.Strict = false // no document is perfect
	s.Entity = xml.HTMLEntity
	s.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // Text has seen to it
	return s
}

// next returns the next beginning or end of an element, or text.
func (s *scanner) next() (xml.Token, error) {
	s.bounded.left = maxToken
	token, err := s.RawToken()
	if err != nil {
		if bound := (*BoundError)(nil); errors.As(err, &bound) {
			return nil, bound
		}
		return nil, err
	}
	switch token.(type) {
	case xml.StartElement:
		if s.depth++; s.depth > maxDepth {
			return nil, &BoundError{"elements within each other", maxDepth}
		}
	case xml.EndElement:
		s.depth--
	}
	return token, nil
}

// root returns the element that holds all others.
func (s *scanner) root() (xml.StartElement, error) {
	for {
		token, err := s.next()
		if err == io.EOF {
			err = errors.New("there is no element")
		}
		if err != nil {
			return xml.StartElement{}, err
		}
		if start, ok := token.(xml.StartElement); ok {
			s.prefix = start.Name.Space
			return start, nil
		}
	}
}

// own reports whether a name is of the root's vocabulary.
func (s *scanner) own(n xml.Name) bool { return n.Space == s.prefix }

// text returns the text of an element that has begun, up to its end.
func (s *scanner) text() (string, error) {
	var b strings.Builder
	for end := s.depth - 1; s.depth > end; {
		token, err := s.next()
		if err != nil {
			return "", unexpected(err)
		}
		if chars, ok := token.(xml.CharData); ok && b.Len() < maxText {
			b.Write(chars[:min(len(chars), maxText)])
		}
	}
	return strings.TrimSpace(b.String()), nil
}

// unexpected is the error of a document that ends within an element.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// line returns where the scanner is.
func (s *scanner) line() int {
	line, _ := s.InputPos()
	return line
}

// bounded is a reader that gives so many bytes and then fails.
type bounded struct {
	r    io.Reader
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, &BoundError{"bytes without an element", maxToken}
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
