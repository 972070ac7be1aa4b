package extract

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"
)

// Link is a URL that a document names.
type Link struct {
	URL      string    // as it stands in the document
	Sitemap  bool      // it leads to a sitemap instead of a page
	Modified time.Time // when the target last changed; zero: unknown
	Priority float64   // 0 to 1, where 1 comes first, as a sitemap says; negative: unknown
	Line     int       // in the document
}

// MaxEntries is how many entries a sitemap may have.
const MaxEntries = 50_000

// Document yields the URLs that a sitemap, a sitemap index, or a feed names. It recognizes the kind by the root element. An error ends
// the document; the links before it count. After limit links it yields a *BoundError; a limit of 0 means no limit. The text must be
// UTF-8: see Text.
func Document(text io.Reader, limit int) iter.Seq2[Link, error] {
	return func(yield func(Link, error) bool) {
		s := newScanner(text)
		n := 0
		err := s.document(func(l Link) error {
			if n++; limit > 0 && n > limit {
				return &BoundError{"entries", limit}
			}
			if !yield(l, nil) {
				return errStopped
			}
			return nil
		})
		if err != nil && err != errStopped {
			yield(Link{}, fmt.Errorf("line %d: %w", s.line(), err))
		}
	}
}

// errStopped is that nobody wants more.
var errStopped = errors.New("stopped")

func (s *scanner) document(found func(Link) error) error {
	root, err := s.root()
	if err != nil {
		return err
	}
	switch strings.ToLower(root.Name.Local) {
	case "urlset":
		return s.sitemap("url", false, found)
	case "sitemapindex":
		return s.sitemap("sitemap", true, found)
	case "rss":
		return s.feed("item", found)
	case "rdf":
		s.prefix = "" // the items of RSS 1.0 are not RDF's
		return s.feed("item", found)
	case "feed":
		return s.feed("entry", found)
	}
	return fmt.Errorf("<%.40s> is neither a sitemap nor a feed", root.Name.Local)
}

// each calls read at the beginning of each element of a name, until the document ends.
func (s *scanner) each(name string, read func(xml.StartElement) error) error {
	for {
		token, err := s.next()
		if err == io.EOF {
			if s.depth > 0 {
				return io.ErrUnexpectedEOF
			}
			return nil
		}
		if err != nil {
			return err
		}
		if start, ok := token.(xml.StartElement); ok && s.own(start.Name) && strings.EqualFold(start.Name.Local, name) {
			if err := read(start); err != nil {
				return err
			}
		}
	}
}

// fields calls read at the beginning of each element within the one that has begun, up to its end.
func (s *scanner) fields(read func(xml.StartElement) error) error {
	for end := s.depth - 1; s.depth > end; {
		token, err := s.next()
		if err != nil {
			return unexpected(err)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if err := read(start); err != nil {
			return err
		}
	}
	return nil
}

// ParseTime reads a time as sitemaps, feeds, and tables write it. It returns zero for anything else.
func ParseTime(text string) time.Time {
	for _, layout := range []string{
		time.RFC3339, "2006-01-02", "2006-01-02 15:04:05", "2006-01-02T15:04Z07:00", time.RFC1123Z, time.RFC1123, "Mon, 2 Jan 2006 15:04:05 -0700",
		"Mon, 2 Jan 2006 15:04:05 MST", "2 Jan 2006 15:04:05 -0700", "2006-01", "2006",
	} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}
