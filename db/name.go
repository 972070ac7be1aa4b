package db

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// checkName returns why a name can't be that of a table or a column, or nil. Spaces and letters of any alphabet are
// fine; what quotes a name is not.
func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("a name is empty")
	case !utf8.ValidString(name):
		return fmt.Errorf("name %q is not valid UTF-8", name)
	case strings.ContainsAny(name, "\x00'\""):
		return fmt.Errorf("name %q contains a quote or a NUL", name)
	}
	return nil
}

// checkNames does that for the columns of one table and also finds two names that SQLite takes for one.
func checkNames(names []string) error {
	seen := make(map[string]string, len(names))
	for _, name := range names {
		if err := checkName(name); err != nil {
			return err
		}
		if other, ok := seen[fold(name)]; ok {
			return fmt.Errorf("names %q and %q are one column", other, name)
		}
		seen[fold(name)] = name
	}
	return nil
}

// fold returns the form in which SQLite compares names: it ignores the case of ASCII letters.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + ('a' - 'A')
		}
		return r
	}, name)
}

// quoted writes a checked name for SQL.
func quoted(name string) string { return `"` + name + `"` }

var plain = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// declared writes the name of a table as its CREATE statement has it: without quotes where it can do without. That text
// stays in the file, and other programs have always seen it so.
func declared(table string) string {
	if plain.MatchString(table) {
		return table
	}
	return quoted(table)
}

// declaredColumns writes columns as a CREATE statement has them, for the same reason in single quotes.
func declaredColumns(names []string) string { return "'" + strings.Join(names, "','") + "'" }
