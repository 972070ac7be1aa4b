package db

import (
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// checkTables checks, before anything is saved, that each table can hold rows with its keys. Its error is an *OpenError.
func checkTables(conn *sql.Conn, path string, tables map[string][]string) error {
	for _, table := range slices.Sorted(maps.Keys(tables)) {
		advice, err := unfit(conn, table, tables[table])
		if err != nil {
			return explain(path, fmt.Errorf("read table %s: %w", table, err))
		}
		if advice != "" {
			return &OpenError{Path: path, Advice: advice + ", or give another database"}
		}
	}
	return nil
}

// unfit returns why a table can't be saved to and what to do about it, or "".
func unfit(conn *sql.Conn, table string, keys []string) (advice string, err error) {
	kind := ""
	if err := each(conn, []any{&kind}, func() {}, "SELECT type FROM pragma_table_list WHERE schema = 'main' AND name = ? COLLATE NOCASE", table); err != nil {
		return "", err
	}
	switch kind {
	case "":
		return "", nil // it will be made
	case "table":
	default:
		return fmt.Sprintf("%s is a %s: rename it", table, kind), nil
	}
	var columns, generated, numeric []string
	var name string
	var hidden, numbers bool
	if err := each(conn, []any{&name, &hidden, &numbers}, func() {
		columns = append(columns, name)
		if hidden {
			generated = append(generated, name)
		}
		if numbers {
			numeric = append(numeric, name)
		}
	}, "SELECT name, hidden <> 0, "+ofNumbers+" FROM pragma_table_xinfo(?)", table); err != nil {
		return "", err
	}
	id, err := readIdentity(conn, table)
	if err != nil {
		return "", err
	}
	if lost := overlap(keys, generated); len(lost) > 0 {
		return fmt.Sprintf("table %s generates %s, by which its rows are told apart: make that an ordinary column", table, strings.Join(lost, " and ")), nil
	}
	for _, u := range id.uniques {
		if why := u.merges(keys); why != "" {
			return overwrites(table, keys, u, why), nil
		}
	}
	if changed := overlap(keys, numeric); len(changed) > 0 {
		return fmt.Sprintf("table %s turns text into numbers in %s, by which its rows are told apart, and 007 and 7 would be one: declare that as TEXT", table, strings.Join(changed, " and ")), nil
	}
	if len(overlap(keys, columns)) < len(keys) || id.knows(keys, &shape{names: keys}) {
		return "", nil
	}
	return duplicates(conn, table, keys)
}

// ofNumbers is SQL for whether a column keeps text that looks like a number as one, by the type that it is declared with. (SQLite's
// rules: STRING is one of these types.)
const ofNumbers = "type LIKE '%INT%' OR NOT (type = '' OR type LIKE '%CHAR%' OR type LIKE '%CLOB%' OR type LIKE '%TEXT%' OR type LIKE '%BLOB%')"

// overwrites returns a sentence about an index by which rows would overwrite each other, with what to do about it.
func overwrites(table string, keys []string, u unique, why string) string {
	mend := "rebuild the table with UNIQUE (" + strings.Join(keys, ", ") + ")"
	if u.made {
		mend = "DROP INDEX " + quoted(u.name)
	}
	return fmt.Sprintf("rows of table %s would overwrite each other: %s %s: %s", table, u, why, mend)
}

// duplicates returns what to do about rows with the same keys, or "" if there are none.
func duplicates(conn *sql.Conn, table string, keys []string) (advice string, err error) {
	listed := quotedList(keys)
	where := `"` + strings.Join(keys, `" NOTNULL AND "`) + `" NOTNULL`
	found := false
	err = each(conn, []any{&found}, func() {}, "SELECT 1 FROM "+quoted(table)+" WHERE "+where+" GROUP BY "+listed+" HAVING count(*) > 1 LIMIT 1")
	if !found {
		return "", err
	}
	return sameKeys(table, keys), err
}

// sameKeys returns a sentence about rows with the same keys, with what to do about them.
func sameKeys(table string, keys []string) string {
	return fmt.Sprintf("rows of table %s have the same %s, by which they are told apart: delete all but one of each", table, strings.Join(keys, " and "))
}

// overlap returns the names that both lists hold.
func overlap(names, others []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !contains(others, name) })
}
