package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Setting declares one setting of a command, in one place. S is the type that holds the command's settings.
type Setting[S any] struct {
	Variable string // its name in the environment
	Flag     string // its name on the command line ("--max-load"); "" where there is none
	Meaning  string // for help and documentation, in Markdown; begins small, without a period
	Accepted string // what a value may be, as an error says it after "expected"
	Default  string // as help and documentation have it
	Secret   bool   // errors do not show its value
	Read     func(s *S, value string) error
}

// Into returns a function that parses a value and stores it in a field.
func Into[S, T any](parse func(string) (T, error), field func(*S) *T) func(*S, string) error {
	return func(s *S, value string) error {
		v, err := parse(value)
		if err == nil {
			*field(s) = v
		}
		return err
	}
}

// Settings holds all settings of a command. If two set the same field, the later one wins.
type Settings[S any] []Setting[S]

// Read puts flags and environment of a console into settings that are their defaults, flags first. Each value that can't be read
// is one *scraperutils.ConfigError, joined. ASCII white space around a value does not count, and a value of nothing else is none.
func (all Settings[S]) Read(into *S, c Console) error {
	var problems []error
	for _, d := range all {
		name, value := d.Flag, strings.Trim(c.Given[d.Flag], blanks)
		if value == "" {
			name, value = d.Variable, strings.Trim(c.Env(d.Variable), blanks)
		}
		if value == "" {
			continue
		}
		if err := d.Read(into, value); err != nil {
			problems = append(problems, d.refuse(name, value, err))
		}
	}
	return errors.Join(problems...)
}

const blanks = " \t\r\n\v\f"

// refuse returns the error for a value that can't be read. For a secret it shows the reason instead of the value.
func (d Setting[S]) refuse(name, value string, why error) error {
	if d.Secret {
		return &scraperutils.ConfigError{Name: name, Value: "(not shown)", Accepted: d.Accepted + " (" + why.Error() + ")"}
	}
	return &scraperutils.ConfigError{Name: name, Value: value, Accepted: d.Accepted}
}

// Help returns the help of the settings that are flags, by their name ("--max-load"), for a Grammar.
func (all Settings[S]) Help() map[string]string {
	help := map[string]string{}
	for _, d := range all {
		if d.Flag != "" {
			meaning := strings.ToUpper(d.Meaning[:1]) + strings.ReplaceAll(d.Meaning[1:], "`", "")
			help[d.Flag] = meaning + " (default: " + d.Default + "). [" + d.Variable + "]"
		}
	}
	return help
}

// Table returns the settings as a Markdown table, one row per setting.
func (all Settings[S]) Table() string {
	var b strings.Builder
	b.WriteString("| variable | flag | meaning | values | default |\n| --- | --- | --- | --- | --- |\n")
	for _, d := range all {
		flag := d.Flag
		if flag != "" {
			flag = "`" + flag + "`"
		}
		row := []string{"`" + d.Variable + "`", flag, d.Meaning, d.Accepted, d.Default}
		for i, cell := range row {
			row[i] = strings.ReplaceAll(cell, "|", `\|`)
		}
		b.WriteString(strings.ReplaceAll("| "+strings.Join(row, " | ")+" |\n", "|  |", "| |"))
	}
	return b.String()
}

// prefix is what the names of variables begin with: those that do not are older than the others.
func (all Settings[S]) prefix() string {
	first, _, _ := strings.Cut(all[0].Variable, "_")
	return first + "_"
}

// Misspelt returns a warning for each name in an environment that is nearly a setting's. Those that are not are left alone:
// platforms that run scrapers hand a user's own variables over under names like these.
func (all Settings[S]) Misspelt(names []string) (warnings []string) {
	var known []string
	prefix := all.prefix()
	for _, d := range all {
		if strings.HasPrefix(d.Variable, prefix) {
			known = append(known, d.Variable)
		}
	}
	for _, name := range names {
		most := min(max(1, (len(name)-len(prefix))/3), 3) // letters that may be wrong
		nearest := scraperutils.Nearest(strings.ToUpper(name), known, most)
		if len(nearest) > 0 && !slices.Contains(known, name) {
			warnings = append(warnings, name+" in the environment is no setting: did you mean "+nearest[0]+"?")
		}
	}
	return warnings
}
