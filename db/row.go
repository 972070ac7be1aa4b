package db

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// row is a checked record on its way to the file. It is not changed after newRow.
type row struct {
	ledger *Ledger
	names  []string // of the columns, in the record's order
	values []any    // as SQLite keeps them
}

// newRow checks a record. The error is an *UnprocessableRecord.
func newRow(l *Ledger, r scraperutils.Record) (row, error) {
	w := row{ledger: l, names: make([]string, len(r)), values: make([]any, len(r))}
	for i, f := range r {
		v, err := stored(f.Value)
		if err != nil {
			return row{}, &scraperutils.UnprocessableRecord{Reason: fmt.Sprintf("field %q of type %T", f.Name, f.Value), Err: err}
		}
		w.names[i], w.values[i] = f.Name, v
	}
	if err := checkNames(w.names); err != nil {
		return row{}, &scraperutils.UnprocessableRecord{Reason: "save a record to table " + l.table, Err: err}
	}
	for _, key := range l.keys {
		if w.value(key) == nil {
			return row{}, &scraperutils.UnprocessableRecord{Reason: fmt.Sprintf(
				"Data has nil value for unique key. Unique keys are [%s]. Offending data: %s", quotedList(l.keys), dataText(r))}
		}
	}
	return w, nil
}

// value returns the value of a column, nil where the row has none.
func (w row) value(column string) any {
	for i, name := range w.names {
		if fold(name) == fold(column) {
			return w.values[i]
		}
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
		fmt.Fprintf(&b, "%s %v", key, w.value(key))
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
