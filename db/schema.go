package db

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// schema is what the writer knows of the tables in the file. It is used by the writer alone, inside its transactions.
type schema struct {
	conn    *sql.Conn
	version int64             // SQLite's own count of changes to the tables
	tables  map[string]*table // by folded name
}

// forget is for when the tables may have changed.
func (s *schema) forget() { s.tables = nil }

// refresh forgets the tables if anybody has changed them.
func (s *schema) refresh() error {
	var version int64
	if err := s.conn.QueryRowContext(context.Background(), "PRAGMA schema_version").Scan(&version); err != nil {
		return fmt.Errorf("read the schema's version: %w", err)
	}
	if version != s.version {
		s.version = version
		s.forget()
	}
	return nil
}

// table returns a table of the file, one without columns where there is none of that name.
func (s *schema) table(name string) (*table, error) {
	if t, ok := s.tables[fold(name)]; ok {
		return t, nil
	}
	columns, err := s.columns(name)
	if err != nil {
		return nil, fmt.Errorf("read the columns of table %q: %w", name, err)
	}
	if s.tables == nil {
		s.tables = map[string]*table{}
	}
	t := newTable(name, columns)
	s.tables[fold(name)] = t
	return t, nil
}

// columns leaves out what can't be written: generated columns.
func (s *schema) columns(table string) ([]column, error) {
	rows, err := s.conn.QueryContext(context.Background(), "SELECT name, pk > 0 AND type LIKE 'integer' FROM pragma_table_info(?)", table)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // what is wrong with the rows is in rows.Err
	var all []column
	for rows.Next() {
		var c column
		if err := rows.Scan(&c.name, &c.rowID); err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, rows.Err()
}

// column is one of a table.
type column struct {
	name  string
	rowID bool // another name of the row id, which is never changed
}

// table is what a row needs to know of its table.
type table struct {
	name   string
	places map[string]int // of the columns, by folded name; empty where there is no such table
	upsert string         // takes a value a column
}

func newTable(name string, columns []column) *table {
	t := &table{name: name, places: make(map[string]int, len(columns))}
	var names, sets []string
	for i, c := range columns {
		t.places[fold(c.name)] = i
		names = append(names, quoted(c.name))
		if !c.rowID {
			sets = append(sets, quoted(c.name)+"=excluded."+quoted(c.name))
		}
	}
	// Without a target, since keys need not have an index of their own. The keys are set too: the constraint that the row
	// meets may be another one.
	t.upsert = fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s) ON CONFLICT DO UPDATE SET %s",
		quoted(name), strings.Join(names, ","), strings.TrimSuffix(strings.Repeat("?,", len(names)), ","), strings.Join(sets, ","))
	return t
}

// args returns the row's values in the order of the columns, nil where it has none.
func (t *table) args(r row) []any {
	args := make([]any, len(t.places))
	for i, name := range r.names {
		args[t.places[fold(name)]] = r.values[i]
	}
	return args
}

// changesFor returns the statements after which the row fits into the table. Their text stays in the file: other programs
// have always seen it so.
func (t *table) changesFor(r row) (statements []string) {
	if len(t.places) == 0 {
		keys := declaredColumns(r.ledger.keys)
		return []string{
			fmt.Sprintf("CREATE TABLE %s (%s, UNIQUE (%s))", declared(t.name), declaredColumns(r.names), keys),
			fmt.Sprintf("CREATE UNIQUE INDEX IF NOT EXISTS '%s' ON %s (%s)", strings.Join(r.ledger.keys, "_"), declared(t.name), keys),
		}
	}
	for _, name := range r.names {
		if _, ok := t.places[fold(name)]; !ok {
			statements = append(statements, fmt.Sprintf("ALTER TABLE %s ADD COLUMN '%s'", quoted(t.name), name))
		}
	}
	return statements
}
