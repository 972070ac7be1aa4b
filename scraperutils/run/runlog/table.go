package runlog

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// table is how values of one type stand in the database. It does not change after it was made.
type table[T any] struct {
	kind
	columns []column[T] // in the order in which they are made
}

// kind is what all tables have.
type kind struct {
	name  string
	keys  []string // the columns that tell its rows apart
	dated string   // the column that says when a row was written; "" where all stay
	days  int      // that rows are kept; 0: for ever
}

// column is one column: what is written into it, and what a row that is read back takes from it.
type column[T any] struct {
	name  string
	write func(v T) any
	read  func(v *T, c *cell) // nil: it is for others to read
}

// record is the row of a value.
func (t table[T]) record(v T) scraperutils.Record {
	r := make(scraperutils.Record, len(t.columns))
	for i, c := range t.columns {
		r[i] = scraperutils.Field{Name: c.name, Value: c.write(v)}
	}
	return r
}

// value is what a row says. Columns that it lacks, as those of older versions do, say nothing.
func (t table[T]) value(row scraperutils.Record) (v T, err error) {
	for _, column := range t.columns {
		if column.read == nil {
			continue
		}
		c := &cell{text: row.Text(column.name)}
		if column.read(&v, c); c.err != nil {
			return v, fmt.Errorf("%s of %s %s: %w", column.name, t.keys[0], row.Text(t.keys[0]), c.err)
		}
	}
	return v, nil
}

// read yields the values of the rows that a clause selects; none where the table is not there.
func (t table[T]) read(ctx context.Context, q Querier, clause string, args ...any) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		names, err := t.readable(ctx, q)
		if err != nil {
			yield(none, err)
			return
		}
		if len(names) == 0 {
			return
		}
		for row, err := range q.Query(ctx, "SELECT "+strings.Join(names, ", ")+" FROM "+t.name+" "+clause, args...) {
			v := none
			if err == nil {
				v, err = t.value(row)
			}
			if err != nil {
				err = fmt.Errorf("read table %s: %w", t.name, err)
			}
			if !yield(v, err) {
				return
			}
		}
	}
}

// readable returns the columns that are read and that are there: older versions had fewer.
func (t table[T]) readable(ctx context.Context, q Querier) (names []string, err error) {
	for row, err := range q.Query(ctx, "SELECT name FROM pragma_table_info(?)", t.name) {
		if err != nil {
			return nil, fmt.Errorf("read the columns of table %s: %w", t.name, err)
		}
		name := row.Text("name")
		if slices.ContainsFunc(t.columns, func(c column[T]) bool { return c.name == name && c.read != nil }) {
			names = append(names, name)
		}
	}
	return names, nil
}

// Querier reads a database.
type Querier interface {
	Query(ctx context.Context, query string, args ...any) iter.Seq2[scraperutils.Record, error]
}

// query yields the rows of a query on a table, or none where the table is not there.
func query(ctx context.Context, q Querier, table, statement string, args ...any) iter.Seq2[scraperutils.Record, error] {
	return func(yield func(scraperutils.Record, error) bool) {
		exists := false
		for _, err := range q.Query(ctx, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", table) {
			if err != nil {
				yield(nil, err)
				return
			}
			exists = true
		}
		if exists {
			q.Query(ctx, statement, args...)(yield)
		}
	}
}

// cell is what stands in a column of a row that is read. What can't be read as a time or a number is none.
type cell struct {
	text string // "" for NULL
	err  error  // why it can't be read at all
}

func (c *cell) time() time.Time { return parseTime(c.text) }

func (c *cell) date() time.Time { return parseDate(c.text) }

func (c *cell) int() int { return int(c.float()) }

// duration reads a number of units.
func (c *cell) duration(unit time.Duration) time.Duration {
	return time.Duration(c.float() * float64(unit))
}

func (c *cell) float() float64 {
	n, err := strconv.ParseFloat(c.text, 64)
	if err != nil {
		return 0
	}
	return n
}

func (c *cell) hex() (n uint64) {
	n, c.err = strconv.ParseUint(c.text, 16, 64)
	return n
}

func (c *cell) json(into any) { c.err = json.Unmarshal([]byte(c.text), into) }

// How times, durations and missing values are written.

// iso writes a time as the gem does: seconds, and the offset in figures.
func iso(t time.Time) string { return t.Format("2006-01-02T15:04:05-07:00") }

func parseTime(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}
	}
	return t
}

func parseDate(s string) time.Time {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return time.Time{}
	}
	return t
}

func dateOrNull(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.Format(time.DateOnly)
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// round1 is seconds with one decimal.
func round1(d time.Duration) float64 { return math.Round(d.Seconds()*10) / 10 }

// jsonText writes numbers, texts, and maps and lists of them, which can't fail.
func jsonText(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}
