package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mattn/go-sqlite3"
)

// identity holds the unique indexes of a table, by which a row that is saved again finds the row that it replaces.
type identity struct {
	uniques []unique        // the primary key and each unique index
	taken   map[string]bool // the folded names of all tables and indexes of the file
}

// unique is a primary key or a unique index.
type unique struct {
	name    string // "" for a primary key that is the row id
	made    bool   // by CREATE INDEX, so it can be dropped; others are part of the table
	partial bool   // it holds for some rows
	columns []uniqueColumn
}

// uniqueColumn is one column of it.
type uniqueColumn struct {
	name      string // "" for an expression
	collation string
}

func readIdentity(conn *sql.Conn, table string) (identity, error) {
	id := identity{taken: map[string]bool{}}
	var (
		u unique
		c uniqueColumn
	)
	err := each(conn, []any{&u.name, &u.made, &u.partial, &c.name, &c.collation}, func() {
		if last := len(id.uniques) - 1; last >= 0 && id.uniques[last].name == u.name {
			id.uniques[last].columns = append(id.uniques[last].columns, c)
			return
		}
		u.columns = []uniqueColumn{c}
		id.uniques = append(id.uniques, u)
	}, `SELECT i.name, i.origin = 'c', i.partial, coalesce(c.name, ''), c.coll FROM pragma_index_list(?1) AS i, pragma_index_xinfo(i.name) AS c WHERE i."unique" AND c.key `+
		`UNION ALL SELECT '', 0, 0, name, 'BINARY' FROM pragma_table_info(?1) WHERE pk > 0`, table)
	if err != nil {
		return id, err
	}
	var name string
	return id, each(conn, []any{&name}, func() { id.taken[fold(name)] = true }, "SELECT name FROM sqlite_schema")
}

// each reads a query into variables, and calls take after each row.
func each(conn *sql.Conn, into []any, take func(), query string, args ...any) error {
	rows, err := conn.QueryContext(context.Background(), query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // what is wrong with the rows is in rows.Err
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		take()
	}
	return rows.Err()
}

// knows reports whether rows of a shape have all that the table needs to know them again. An index over more than the keys
// does not know a row in which the rest has changed.
func (id identity) knows(keys []string, s *shape) bool {
	return slices.ContainsFunc(id.uniques, func(u unique) bool {
		if u.partial || len(u.columns) > len(keys) && len(u.lacks(keys)) == 0 {
			return false
		}
		return !slices.ContainsFunc(u.columns, func(c uniqueColumn) bool { return !contains(s.names, c.name) })
	})
}

// lacks returns the keys that the index is not over.
func (u unique) lacks(keys []string) []string {
	return slices.DeleteFunc(slices.Clone(keys), func(key string) bool {
		return slices.ContainsFunc(u.columns, func(c uniqueColumn) bool { return fold(c.name) == fold(key) })
	})
}

// merges says why the index takes two rows with different keys for one, or returns "".
func (u unique) merges(keys []string) string {
	lacks := u.lacks(keys)
	if u.name == "" && len(lacks) == len(keys) {
		return "" // SQLite gives each row a number of its own
	}
	if len(lacks) > 0 {
		return "lacks " + strings.Join(lacks, " and ")
	}
	for _, c := range u.columns {
		if contains(keys, c.name) && c.collation != "BINARY" {
			return "compares " + c.name + " by " + c.collation
		}
	}
	return ""
}

// String describes the index.
func (u unique) String() string {
	var names []string
	for _, c := range u.columns {
		if c.name == "" {
			c.name = "an expression"
		}
		names = append(names, c.name)
	}
	over := " over " + strings.Join(names, ", ")
	if u.name == "" {
		return "the primary key" + over
	}
	return fmt.Sprintf("the unique index %q", u.name) + over
}

func contains(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return fold(n) == fold(name) })
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

// isDuplicate reports whether rows keep a unique index from being made.
func isDuplicate(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && e.ExtendedCode == sqlite3.ErrConstraintUnique
}
