package family

import (
	"maps"
	"slices"
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/quality"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// rejectedTable holds what could not be a record.
const rejectedTable = "rejected"

// keys returns the columns that tell the rows of the table apart.
func (t Table) keys() []string { return append([]string{t.Label}, t.Keys...) }

// rejectedKeys returns those of the table of what was rejected.
func (t Table) rejectedKeys() []string { return []string{t.Label, "run_at", "record"} }

// tables returns all tables that a run writes.
func (t Table) tables() map[string][]string {
	all := runlog.Tables()
	all[t.Name], all[rejectedTable] = t.keys(), t.rejectedKeys()
	return all
}

// reservedTables returns the names of the tables of the log.
func reservedTables() []string { return slices.Collect(maps.Keys(runlog.Tables())) }

// reference is what tells a record from the others of its site.
func (t Table) reference(r scraperutils.Record) string {
	if len(t.Keys) == 1 {
		return r.Text(t.Keys[0])
	}
	texts := make([]string, len(t.Keys))
	for i, key := range t.Keys {
		texts[i] = r.Text(key)
	}
	return strings.Join(texts, " ")
}

// referenceColumn is the column with the reference of what was rejected: that of the key, where there is one alone.
func (t Table) referenceColumn() string {
	if len(t.Keys) == 1 && !slices.Contains([]string{"reason", "record", "run_at"}, t.Keys[0]) {
		return t.Keys[0]
	}
	return "reference"
}

func (t Table) naming() quality.Naming { return quality.Naming{Label: t.Label, Title: t.Title} }
