package quality

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Naming is the fields by which people find a record.
type Naming struct {
	Label string   // that of its site
	Title []string // what names it on the site: its reference first, which no record lacks
}

// SavedLine is what a log says of a record that is saved.
func (n Naming) SavedLine(r scraperutils.Record) string {
	if label := r.Text(n.Label); label != "" {
		return "Saving record for " + label + ": " + n.name(r)
	}
	return "Saving record " + n.name(r)
}

// UnprocessableLine is what a log says of a record that can't be used; a nil record is one that was never made.
func (n Naming) UnprocessableLine(r scraperutils.Record, why error) string {
	return fmt.Sprintf("Erroneous record %s: %v", n.name(r), why)
}

// name is how people find a record on its site: by its title, or by all that it has where the first field of that is not there.
func (n Naming) name(r scraperutils.Record) string {
	if r == nil {
		return "nil"
	}
	if len(n.Title) > 0 && r.Text(n.Title[0]) != "" {
		texts := make([]string, len(n.Title))
		for i, field := range n.Title {
			texts[i] = r.Text(field)
		}
		return strings.Join(texts, " - ")
	}
	all, err := json.Marshal(r)
	if err != nil { // a value that JSON lacks
		return fmt.Sprintf("%+v", r)
	}
	return string(all)
}
