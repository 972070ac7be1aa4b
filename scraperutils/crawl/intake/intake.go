package intake

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/extract"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/urls"
)

// DefaultMaxLine is the length of the longest line, in bytes.
const DefaultMaxLine = 1 << 20

// lowest is the priority of what is fetched last.
const lowest = 9

// Options say how to read an input.
type Options struct {
	Form     urls.Form // the canonical form of the URLs
	Column   string    // the column of a CSV file, or field of a JSON object, that holds the URL; "": url or link
	Priority int       // of entries without one of their own: 0, the highest, to 9
	MaxLine  int       // in bytes; 0 is DefaultMaxLine
}

// Entry is a URL that was handed in.
type Entry struct {
	URL      urls.URL
	Priority int       // 0, the highest, to 9
	Modified time.Time // as a sitemap or a feed says; zero: unknown
	Sitemap  bool      // it leads to a sitemap instead of a page
	Line     int       // in the input, from 1
}

// Crawl returns the entry as a frontier takes it.
func (e Entry) Crawl() crawl.Entry {
	return crawl.Entry{Host: e.URL.Host(), URL: e.URL.String(), Priority: e.Priority}
}

// LineError reports a line, or an entry that begins at that line, that holds no URL. It does not affect the others.
type LineError struct {
	Line int
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns what was wrong with the line.
func (e *LineError) Unwrap() error { return e.Err }

// Read yields the entries of an input. After a *LineError it goes on; any other error ends it. It waits for input as long as that takes.
// To stop it, close the input.
func Read(r io.Reader, o Options) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		in := &reader{Options: o, yield: yield}
		if in.MaxLine <= 0 {
			in.MaxLine = DefaultMaxLine
		}
		if err := in.read(r); err != nil && err != errStopped {
			yield(Entry{}, err)
		}
	}
}

// errStopped is that nobody wants more.
var errStopped = errors.New("stopped")

// reader reads one input.
type reader struct {
	Options
	yield func(Entry, error) bool
}

func (in *reader) read(r io.Reader) error {
	if in.Priority < 0 || in.Priority > lowest {
		return fmt.Errorf("priority %d: expected 0 to %d", in.Priority, lowest)
	}
	text, err := extract.Text(r)
	if err != nil {
		return err
	}
	space, err := skipSpace(text)
	if err != nil {
		return ended(err)
	}
	first, _ := text.Peek(1)
	switch first[0] {
	case '<':
		return in.xml(text)
	case '[':
		return in.array(text, space)
	}
	return in.lines(&lines{in: text, max: in.MaxLine, n: space})
}

// skipSpace reads the white space in front, and returns how many lines it was.
func skipSpace(text *bufio.Reader) (n int, err error) {
	for {
		c, err := text.ReadByte()
		switch {
		case err != nil:
			return n, err
		case c == '\n':
			n++
		case c != ' ' && c != '\t' && c != '\r':
			return n, text.UnreadByte()
		}
	}
}

// ended is nil at the end of an input, which is no error.
func ended(err error) error {
	if err == io.EOF {
		return nil
	}
	return fmt.Errorf("read URLs: %w", err)
}

// found yields what a line holds. What is no URL is the line's error.
func (in *reader) found(line int, h held) error {
	e := Entry{Priority: in.Priority, Modified: h.modified, Sitemap: h.sitemap, Line: line}
	u, err := in.Form.Parse(h.url)
	if err != nil {
		return in.bad(line, err)
	}
	e.URL = u
	if h.priority != nil {
		e.Priority = *h.priority
	}
	if e.Priority < 0 || e.Priority > lowest {
		return in.bad(line, fmt.Errorf("priority %d: expected 0 to %d", e.Priority, lowest))
	}
	if !in.yield(e, nil) {
		return errStopped
	}
	return nil
}

func (in *reader) bad(line int, err error) error {
	if !in.yield(Entry{}, &LineError{line, err}) {
		return errStopped
	}
	return nil
}

// held is what an input says of a URL.
type held struct {
	url      string
	priority *int // nil: nothing
	modified time.Time
	sitemap  bool
}

// xml reads a sitemap or a feed.
func (in *reader) xml(text io.Reader) error {
	for link, err := range extract.Document(text, 0) {
		if err != nil {
			return fmt.Errorf("read XML: %w", err)
		}
		h := held{url: link.URL, modified: link.Modified, sitemap: link.Sitemap}
		if link.Priority >= 0 {
			level := int(math.Round((1 - link.Priority) * lowest))
			h.priority = &level
		}
		if err := in.found(link.Line, h); err != nil {
			return err
		}
	}
	return nil
}
