package db

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
)

// schema is what the writer knows of the tables in the file. The writer alone uses it, inside its transactions.
type schema struct {
	conn    *sql.Conn
	version int64             // SQLite's own count of changes to the tables
	tables  map[string]*table // by folded name
}

// forget drops what is known of the tables, which may have changed.
func (s *schema) forget() {
	for _, t := range s.tables {
		t.close()
	}
	s.tables = nil
}

// errOverwritten says that the file has become another one under its name: the version of its tables only ever rises.
var errOverwritten = errors.New("its tables are older than they were")

// refresh forgets the tables if another program has changed them.
func (s *schema) refresh() error {
	var version int64
	if err := s.conn.QueryRowContext(context.Background(), "PRAGMA schema_version").Scan(&version); err != nil {
		return fmt.Errorf("read the schema's version: %w", err)
	}
	if version < s.version {
		return errOverwritten
	}
	if version != s.version {
		s.version = version
		s.forget()
	}
	return nil
}

// table returns a table of the file, or one without columns if the file has none of that name.
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
	if t.identity, err = readIdentity(s.conn, name); err != nil {
		return nil, fmt.Errorf("read the indexes of table %q: %w", name, err)
	}
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

// column is a column of a table.
type column struct {
	name  string
	rowID bool // another name of the row id, which is never changed
}

// table is what a row needs to know of its table.
type table struct {
	name     string
	places   map[string]int // of the columns, by folded name; empty where there is no such table
	identity identity
	plans    map[*shape]plan    // of rows that fit
	upserts  map[string]*upsert // by text
	insert   string             // the beginning of every upsert
	args     []driver.NamedValue
}

// plan is how a row is written.
type plan struct {
	places []int // where each of its values goes
	upsert *upsert
}

// upsert is the statement of one ledger's keys. It takes a value a column.
type upsert struct {
	text     string
	prepared driver.Stmt // nil until it is needed
}

func newTable(name string, columns []column) *table {
	t := &table{name: name, places: make(map[string]int, len(columns)), plans: map[*shape]plan{}, upserts: map[string]*upsert{}, args: make([]driver.NamedValue, len(columns))}
	var names, sets []string
	for i, c := range columns {
		t.places[fold(c.name)] = i
		t.args[i].Ordinal = i + 1
		names = append(names, quoted(c.name))
		if !c.rowID {
			sets = append(sets, quoted(c.name)+"=excluded."+quoted(c.name))
		}
	}
	// Without a target, since keys need not have an index of their own. The keys are set too: the constraint that the row
	// meets may be another one.
	t.insert = fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s) ON CONFLICT DO UPDATE SET %s WHERE ",
		quoted(name), strings.Join(names, ","), strings.TrimSuffix(strings.Repeat("?,", len(names)), ","), strings.Join(sets, ","))
	return t
}

// upsertBy returns the statement for keys. It never overwrites a row with other keys, whatever constraint the two rows share.
func (t *table) upsertBy(keys []string) *upsert {
	same := make([]string, len(keys))
	for i, key := range keys {
		same[i] = quoted(key) + " COLLATE BINARY IS excluded." + quoted(key)
	}
	text := t.insert + strings.Join(same, " AND ")
	if t.upserts[text] == nil {
		t.upserts[text] = &upsert{text: text}
	}
	return t.upserts[text]
}

// plan returns how a row is written, or what has to be done to the table before the row fits.
func (t *table) plan(r row) (p plan, changes []string) {
	if p, ok := t.plans[r.shape]; ok {
		return p, nil
	}
	if changes := t.changesFor(r); len(changes) > 0 {
		return plan{}, changes
	}
	for _, name := range r.shape.names {
		p.places = append(p.places, t.places[fold(name)])
	}
	p.upsert = t.upsertBy(r.ledger.keys)
	if len(t.plans) > maxPlans {
		clear(t.plans)
	}
	t.plans[r.shape] = p
	return p, nil
}

// maxPlans is how many shapes a table remembers. A ledger whose records are alike needs one.
const maxPlans = 10_000

// errKeptOut is the error for a row that SQLite left out without an error.
var errKeptOut = errors.New("a row with other keys stands in its way, or a trigger keeps it out")

// save writes a row that fits. It goes to the driver itself, which takes values as they are: database/sql would copy each.
func (t *table) save(conn *sql.Conn, r row, p plan) error {
	for i := range t.args {
		t.args[i].Value = nil // columns that the row lacks become NULL
	}
	for i, place := range p.places {
		t.args[place].Value = r.values[i]
	}
	return conn.Raw(func(c any) error {
		if p.upsert.prepared == nil {
			stmt, err := c.(driver.ConnPrepareContext).PrepareContext(context.Background(), p.upsert.text)
			if err != nil {
				return err
			}
			p.upsert.prepared = stmt
		}
		result, err := p.upsert.prepared.(driver.StmtExecContext).ExecContext(context.Background(), t.args)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return cmp.Or(err, errKeptOut)
		}
		return nil
	})
}

// close frees the prepared statements.
func (t *table) close() {
	for _, u := range t.upserts {
		if u.prepared != nil {
			_ = u.prepared.Close() // what was wrong with its last run is known
			u.prepared = nil
		}
	}
}

// changesFor returns the statements after which the row fits into the table. Their text stays in the file: other programs
// have always seen it so.
func (t *table) changesFor(r row) (statements []string) {
	if len(t.places) == 0 {
		keys := declaredColumns(r.ledger.keys)
		return []string{
			fmt.Sprintf("CREATE TABLE %s (%s, UNIQUE (%s))", declared(t.name), declaredColumns(r.shape.names), keys),
			fmt.Sprintf("CREATE UNIQUE INDEX IF NOT EXISTS '%s' ON %s (%s)", strings.Join(r.ledger.keys, "_"), declared(t.name), keys),
		}
	}
	for _, name := range r.shape.names {
		if _, ok := t.places[fold(name)]; !ok {
			statements = append(statements, fmt.Sprintf("ALTER TABLE %s ADD COLUMN '%s'", quoted(t.name), name))
		}
	}
	if !t.identity.knows(r.ledger.keys, r.shape) { // the table is somebody else's; without an index every run would add its rows again
		statements = append(statements, fmt.Sprintf("CREATE UNIQUE INDEX '%s' ON %s (%s)",
			t.identity.free(r.ledger.keys, t.name), declared(t.name), declaredColumns(r.ledger.keys)))
	}
	return statements
}
