package db

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"

	"github.com/mattn/go-sqlite3"
)

// identity is what tells the rows of a table apart: a row that is saved again meets itself there.
type identity struct {
	uniques map[string][]string // the folded columns of the primary key ("") and of each unique index, "" for an expression
	taken   map[string]bool     // the folded names of all tables and indexes of the file
}

func readIdentity(conn *sql.Conn, table string) (identity, error) {
	id := identity{uniques: map[string][]string{}, taken: map[string]bool{}}
	err := pairs(conn, func(index, column string) { id.uniques[index] = append(id.uniques[index], fold(column)) },
		`SELECT i.name, coalesce(c.name, '') FROM pragma_index_list(?1) AS i, pragma_index_info(i.name) AS c WHERE i."unique" AND NOT i.partial `+
			`UNION ALL SELECT '', name FROM pragma_table_info(?1) WHERE pk > 0`, table)
	if err != nil {
		return id, err
	}
	return id, pairs(conn, func(name, _ string) { id.taken[fold(name)] = true }, "SELECT name, type FROM sqlite_schema")
}

// pairs reads a query of two texts.
func pairs(conn *sql.Conn, take func(a, b string), query string, args ...any) error {
	rows, err := conn.QueryContext(context.Background(), query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // what is wrong with the rows is in rows.Err
	for rows.Next() {
		var a, b string
		if err := rows.Scan(&a, &b); err != nil {
			return err
		}
		take(a, b)
	}
	return rows.Err()
}

// knows tells whether rows of a shape have all that the table needs to know them again.
func (id identity) knows(s *shape) bool {
	has := map[string]bool{}
	for _, name := range s.names {
		has[fold(name)] = true
	}
	for _, columns := range id.uniques {
		if !slices.ContainsFunc(columns, func(c string) bool { return !has[c] }) {
			return true
		}
	}
	return false
}

// free returns the name of an index on keys: the one that other programs know, or that with the table's name before it where
// the file has something of that name.
func (id identity) free(keys []string, table string) string {
	name := strings.Join(keys, "_")
	if id.taken[fold(name)] {
		return table + "_" + name
	}
	return name
}

// isDuplicate tells whether rows keep a unique index from being made.
func isDuplicate(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && e.ExtendedCode == sqlite3.ErrConstraintUnique
}
