package scraperutils

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Field is one named value of a record. SQLite holds nil, int64, float64, string and []byte; what other types become is the
// database package's decision.
type Field struct {
	Name  string
	Value any
}

// Record is what a scraper reads about one application: named values in the order in which they become columns.
type Record []Field

// Get returns the value of the named field, and whether the record has it.
func (r Record) Get(name string) (any, bool) {
	for _, f := range r {
		if f.Name == name {
			return f.Value, true
		}
	}
	return nil, false
}

// Text returns the named field as text: "" where it is missing or nil.
func (r Record) Text(name string) string {
	v, _ := r.Get(name)
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	default:
		return fmt.Sprint(v)
	}
}

// With returns the record with the named field set, in its old place or at the end. The receiver stays as it is.
func (r Record) With(name string, value any) Record {
	out := make(Record, len(r), len(r)+1)
	copy(out, r)
	for i := range out {
		if out[i].Name == name {
			out[i].Value = value
			return out
		}
	}
	return append(out, Field{Name: name, Value: value})
}

// MarshalJSON writes the record as an object with its fields in order. Whether < and > are escaped is the encoder's decision.
func (r Record) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, f := range r {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := encoder.Encode(f.Name); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := encoder.Encode(f.Value); err != nil {
			return nil, fmt.Errorf("field %s: %w", f.Name, err)
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// asciiSpace is what counts as blank around a value. A no-break space is content.
const asciiSpace = " \t\n\v\f\r"

// Trim removes ASCII white space from both ends.
func Trim(s string) string { return strings.Trim(s, asciiSpace) }

// Blank reports whether a value holds nothing but ASCII white space.
func Blank(s string) bool { return Trim(s) == "" }

// Shortened returns a text of a page as messages have it: with no more than so many bytes.
func Shortened(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
