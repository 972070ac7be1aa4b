package db

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Rows says which rows of a table are read, and in which order. Names that the table does not have are an error of the query.
type Rows struct {
	Table string
	Order []string // columns; rows that they do not tell apart stand in the order in which they came

	Column string   // whose value is one of Values
	Values []string // nil: any

	From  string // a column whose text is Least or more; "" is none
	Least string
}

// pageOfRows is how many rows are read at once.
const pageOfRows = 500

// Columns returns the names of a table's columns, in order; none where there is no such table.
func (r *Reader) Columns(ctx context.Context, table string) (names []string, err error) {
	for record, err := range r.Query(ctx, "SELECT name FROM pragma_table_info(?)", table) {
		if err != nil {
			return nil, err
		}
		names = append(names, record.Text("name"))
	}
	return names, nil
}

// Rows yields the rows of a table with these columns. An error is yielded last. Memory is that of a few hundred rows and eight bytes for
// each of the others. The file can be committed to while the loop is under way: a row that is changed then is yielded as it was or
// as it is, and one that is deleted may be left out.
func (r *Reader) Rows(ctx context.Context, q Rows, columns []string) iter.Seq2[scraperutils.Record, error] {
	return func(yield func(scraperutils.Record, error) bool) {
		ids, err := r.ids(ctx, q)
		for page := range slices.Chunk(ids, pageOfRows) {
			var rows map[int64]scraperutils.Record
			if rows, err = r.page(ctx, q.Table, columns, page); err != nil {
				break
			}
			for _, id := range page {
				if row, ok := rows[id]; ok && !yield(row, nil) {
					return
				}
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// ids returns which rows they are, in order.
func (r *Reader) ids(ctx context.Context, q Rows) (ids []int64, err error) {
	var (
		where []string
		args  []any
	)
	if q.Values != nil {
		where = append(where, escaped(q.Column)+" IN ("+strings.TrimSuffix(strings.Repeat("?,", len(q.Values)), ",")+")")
		for _, value := range q.Values {
			args = append(args, value)
		}
	}
	if q.From != "" {
		where, args = append(where, escaped(q.From)+" >= ?"), append(args, q.Least)
	}
	query := "SELECT _rowid_ AS id FROM " + escaped(q.Table)
	if len(where) > 0 {
		query += " WHERE " + strings.Join(where, " AND ")
	}
	order := make([]string, 0, len(q.Order)+1)
	for _, column := range q.Order {
		order = append(order, escaped(column))
	}
	for record, err := range r.Query(ctx, query+" ORDER BY "+strings.Join(append(order, "_rowid_"), ", "), args...) {
		if err != nil {
			return nil, err
		}
		id, ok := record[0].Value.(int64)
		if !ok {
			return nil, fmt.Errorf("read %s: table %s has rows without a number", r.path, q.Table)
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// page returns the rows of some numbers.
func (r *Reader) page(ctx context.Context, table string, columns []string, ids []int64) (map[int64]scraperutils.Record, error) {
	names, numbers := make([]string, len(columns)), make([]string, len(ids))
	for i, column := range columns {
		names[i] = escaped(column)
	}
	for i, id := range ids {
		numbers[i] = fmt.Sprint(id)
	}
	rows := make(map[int64]scraperutils.Record, len(ids))
	query := "SELECT _rowid_, " + strings.Join(names, ", ") + " FROM " + escaped(table) + " WHERE _rowid_ IN (" + strings.Join(numbers, ",") + ")"
	for record, err := range r.Query(ctx, query) {
		if err != nil {
			return nil, err
		}
		if id, ok := record[0].Value.(int64); ok {
			rows[id] = record[1:]
		}
	}
	return rows, nil
}

// escaped writes any name for SQL, also one that this package would not give.
func escaped(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
