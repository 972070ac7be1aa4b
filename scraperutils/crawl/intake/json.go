package intake

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils/crawl/extract"
)

// Message reads one URL: a bare URL, a JSON string, or a JSON object with a field url or link (or Column), and optionally priority and
// lastmod.
func Message(text []byte, o Options) (Entry, error) {
	var (
		entry  Entry
		failed error
	)
	in := &reader{Options: o, yield: func(e Entry, err error) bool { entry, failed = e, err; return true }}
	h, err := in.message(strings.TrimSpace(string(text)))
	if err != nil {
		return Entry{}, err
	}
	in.found(1, h)
	if line := (*LineError)(nil); errors.As(failed, &line) {
		failed = line.Err
	}
	return entry, failed
}

func (in *reader) message(line string) (held, error) {
	if strings.HasPrefix(line, "{") || strings.HasPrefix(line, `"`) {
		return in.value([]byte(line))
	}
	if words := strings.Fields(line); slices.ContainsFunc(words[min(1, len(words)):], isWeb) {
		return held{}, errors.New("several URLs in a line, expected one")
	}
	return held{url: line}, nil
}

func isWeb(word string) bool {
	return strings.HasPrefix(word, "http://") || strings.HasPrefix(word, "https://")
}

// value reads a string or an object.
func (in *reader) value(text []byte) (h held, err error) {
	if bytes.HasPrefix(text, []byte(`"`)) {
		err = json.Unmarshal(text, &h.url)
		return h, notJSON(err)
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(text, &object); err != nil {
		return h, notJSON(err)
	}
	for _, name := range in.columns() {
		if field, ok := object[name]; ok {
			if json.Unmarshal(field, &h.url) != nil {
				return h, fmt.Errorf("%q is no string", name)
			}
			break
		}
	}
	if h.url == "" {
		return h, fmt.Errorf("no field %s", strings.Join(in.columns(), " or "))
	}
	if field, ok := object["priority"]; ok && string(field) != "null" {
		if json.Unmarshal(field, &h.priority) != nil {
			return h, fmt.Errorf("priority %.20q: expected a number of 0 to %d", field, lowest)
		}
	}
	if field, ok := object["lastmod"]; ok {
		var text string
		if json.Unmarshal(field, &text) == nil {
			h.modified = extract.ParseTime(text)
		}
	}
	return h, nil
}

// columns are the names that a URL may have.
func (in *reader) columns() []string {
	if in.Column != "" {
		return []string{in.Column}
	}
	return []string{"url", "link"}
}

func notJSON(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("expected a URL, or a JSON string or object: %w", err)
}

// array reads a JSON array of strings and objects, element by element. Where it is no JSON any more, it ends.
func (in *reader) array(text io.Reader, space int) error {
	source := &counted{r: text, max: in.MaxLine, left: in.MaxLine}
	decoder := json.NewDecoder(source)
	wrong := func(err error) error {
		return fmt.Errorf("read JSON: line %d: %w", space+source.line(decoder.InputOffset()), err)
	}
	if _, err := decoder.Token(); err != nil {
		return wrong(err)
	}
	for decoder.More() {
		source.left = in.MaxLine
		var element json.RawMessage
		err := decoder.Decode(&element)
		if err != nil {
			return wrong(err)
		}
		line := space + source.line(decoder.InputOffset()-int64(len(element)))
		h, err := held{}, error(nil)
		if element[0] != '{' && element[0] != '"' {
			err = errors.New("expected a string or an object")
		} else {
			h, err = in.value(element)
		}
		if err != nil {
			err = in.bad(line, err)
		} else {
			err = in.found(line, h)
		}
		if err != nil {
			return err
		}
	}
	if _, err := decoder.Token(); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return wrong(err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return wrong(cmp.Or(err, errors.New("there is more behind the array")))
	}
	return nil
}

// counted is a reader that knows where lines end in what it gave, and gives so much for one element.
type counted struct {
	r     io.Reader
	max   int
	left  int
	given int64
	ends  []int64 // of the lines that were not passed
	past  int     // lines that were passed
}

func (c *counted) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, fmt.Errorf("an element is longer than %d bytes", c.max)
	}
	n, err := c.r.Read(p[:min(len(p), c.left)])
	c.left -= n
	for i, b := range p[:n] {
		if b == '\n' {
			c.ends = append(c.ends, c.given+int64(i))
		}
	}
	c.given += int64(n)
	return n, err
}

// line returns the line of an offset, which does not go back.
func (c *counted) line(offset int64) int {
	n := 0
	for n < len(c.ends) && c.ends[n] < offset {
		n++
	}
	c.past += n
	c.ends = c.ends[n:]
	return c.past + 1
}
