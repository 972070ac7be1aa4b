package intake

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils/crawl/extract"
)

// table is a CSV file: how its lines are read, and what is where.
type table struct {
	csv      *csv.Reader
	source   *strings.Reader // what csv reads: one record at a time
	comma    byte
	url      int // column
	priority int // column, or -1
	modified int // column, or -1
}

// header reads a line as the names of columns, and reports whether the one with the URL is among them.
func (in *reader) header(line string) (*table, bool) {
	if strings.HasPrefix(line, "{") || strings.Contains(line, "://") {
		return nil, false
	}
	for _, comma := range []byte(",;\t|") {
		t := newTable(comma)
		names, err := t.record(line)
		if err != nil {
			continue
		}
		for i := range names {
			names[i] = strings.ToLower(strings.TrimSpace(names[i]))
		}
		for _, name := range in.columns() {
			if t.url = slices.Index(names, strings.ToLower(name)); t.url >= 0 {
				t.priority, t.modified = slices.Index(names, "priority"), slices.Index(names, "lastmod")
				return t, true
			}
		}
	}
	return nil, false
}

func newTable(comma byte) *table {
	t := &table{source: strings.NewReader(""), comma: comma}
	t.csv = csv.NewReader(t.source)
	t.csv.Comma, t.csv.LazyQuotes, t.csv.FieldsPerRecord, t.csv.ReuseRecord = rune(comma), true, -1, true
	return t
}

// record reads one record.
func (t *table) record(text string) ([]string, error) {
	t.source.Reset(text + "\n")
	fields, err := t.csv.Read()
	if err == io.EOF {
		return nil, nil // blank
	}
	return fields, err
}

// table reads the records of a CSV file. One whose quotes do not close is read as the line that it begins in.
func (in *reader) table(l *lines, t *table) error {
	for {
		line, err := l.next()
		if tooLong, ok := err.(*LineError); ok {
			if err := in.bad(tooLong.Line, tooLong.Err); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return ended(err)
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		at := l.n
		fields, err := t.record(in.whole(l, t, line))
		if err == nil && len(fields) <= t.url {
			err = fmt.Errorf("%d columns, the URL is in number %d", len(fields), t.url+1)
		}
		var h held
		if err == nil {
			h, err = t.held(fields)
		}
		if err != nil {
			err = in.bad(at, err)
		} else {
			err = in.found(at, h)
		}
		if err != nil {
			return err
		}
	}
}

// whole returns the record that a line begins: with further lines, where a quoted field has line breaks in it. Where the quotes do not
// close within bounds, the lines are read one by one.
func (in *reader) whole(l *lines, t *table, line string) string {
	if quoted, _ := t.open(line, false); l.alone || !quoted {
		return line
	}
	var more []string
	for size := len(line); size <= in.MaxLine; {
		next, err := l.next()
		if err != nil {
			l.failed = err
			break
		}
		more = append(more, next)
		size += len(next) + 1
		quoted, stray := t.open(next, true)
		if stray { // it is another record's: the quotes before were not meant to go on
			break
		}
		if !quoted {
			return line + "\n" + strings.Join(more, "\n")
		}
	}
	l.back(more)
	return line
}

// open reports whether a line, that begins within quotes or not, ends within them, and whether there is a quote within quotes that is
// neither doubled nor ends a field.
func (t *table) open(line string, quoted bool) (open, stray bool) {
	start := !quoted // of a field
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quoted && c == '"' && i+1 < len(line) && line[i+1] == '"':
			i++
		case quoted && c == '"' && i+1 < len(line) && line[i+1] != t.comma:
			stray = true
		case quoted && c == '"':
			quoted = false
		case quoted:
		case c == t.comma:
			start = true
			continue
		case c == '"' && start:
			quoted = true
		}
		start = false
	}
	return quoted, stray
}

func (t *table) held(fields []string) (h held, err error) {
	h.url = strings.TrimSpace(fields[t.url])
	if t.priority >= 0 && t.priority < len(fields) {
		if text := strings.TrimSpace(fields[t.priority]); text != "" {
			level, err := strconv.Atoi(text)
			if err != nil {
				return h, fmt.Errorf("priority %.20q: expected a number of 0 to %d", text, lowest)
			}
			h.priority = &level
		}
	}
	if t.modified >= 0 && t.modified < len(fields) {
		h.modified = extract.ParseTime(strings.TrimSpace(fields[t.modified]))
	}
	return h, nil
}
