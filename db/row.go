package db

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// row is a checked record on its way to the file. It is not changed after newRow.
type row struct {
	ledger *Ledger
	shape  *shape
	values []any // as SQLite keeps them, in the order of the shape's names
}

// shape is what records of the same fields have in common. It is checked once and not changed.
type shape struct {
	names []string // of the columns, in the record's order
	keys  []int    // where the ledger's keys stand in them; -1 where one is missing
}

// newShape checks the names of a record's fields.
func newShape(l *Ledger, r scraperutils.Record) (*shape, error) {
	s := &shape{names: make([]string, len(r))}
	for i, f := range r {
		s.names[i] = f.Name
	}
	if err := checkNames(s.names); err != nil {
		return nil, err
	}
	for _, key := range l.keys {
		s.keys = append(s.keys, slices.IndexFunc(s.names, func(name string) bool { return fold(name) == fold(key) }))
	}
	return s, nil
}

// fits reports whether a record has the shape's fields.
func (s *shape) fits(r scraperutils.Record) bool {
	return s != nil && slices.EqualFunc(s.names, r, func(name string, f scraperutils.Field) bool { return name == f.Name })
}

// newRow checks a record. The error is an *UnprocessableRecord.
func newRow(l *Ledger, r scraperutils.Record) (row, error) {
	w := row{ledger: l, shape: l.shape.Load(), values: make([]any, len(r))}
	for i, f := range r {
		v, err := stored(f.Value)
		if err != nil {
			return row{}, &scraperutils.UnprocessableRecord{Reason: fmt.Sprintf("field %q of type %T", f.Name, f.Value), Err: err}
		}
		w.values[i] = v
	}
	if !w.shape.fits(r) { // most records are like the one before
		var err error
		if w.shape, err = newShape(l, r); err != nil {
			return row{}, &scraperutils.UnprocessableRecord{Reason: "save a record to table " + l.table, Err: err}
		}
		l.shape.Store(w.shape)
	}
	for i := range l.keys {
		if w.key(i) == nil {
			return row{}, &scraperutils.UnprocessableRecord{Reason: fmt.Sprintf(
				"Data has nil value for unique key. Unique keys are [%s]. Offending data: %s", quotedList(l.keys), dataText(r))}
		}
	}
	return w, nil
}

// key returns the value of the ledger's nth key, nil where the row has none.
func (w row) key(n int) any {
	if i := w.shape.keys[n]; i >= 0 {
		return w.values[i]
	}
	return nil
}

// String names the row in errors, by its keys.
func (w row) String() string {
	var b strings.Builder
	for i, key := range w.ledger.keys {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s %v", key, w.key(i))
	}
	return b.String()
}

func quotedList(names []string) string { return `"` + strings.Join(names, `", "`) + `"` }

func dataText(r scraperutils.Record) string {
	text, err := json.Marshal(r)
	if err != nil {
		return fmt.Sprint(r)
	}
	return string(text)
}
