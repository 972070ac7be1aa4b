package quality

import (
	"fmt"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// SavedLine is what a log says of a record that is saved.
func SavedLine(r scraperutils.Record) string {
	if label := r.Text("authority_label"); label != "" {
		return "Saving record for " + label + ": " + name(r)
	}
	return "Saving record " + name(r)
}

// UnprocessableLine is what a log says of a record that can't be used; a nil record is one that was never made.
func UnprocessableLine(r scraperutils.Record, why error) string {
	return fmt.Sprintf("Erroneous record %s: %v", name(r), why)
}

// name is how people find a record on the site: its reference and address, or all that it has where there is no reference.
func name(r scraperutils.Record) string {
	if r == nil {
		return "nil"
	}
	if reference := r.Text("council_reference"); reference != "" {
		return reference + " - " + r.Text("address")
	}
	all, err := r.MarshalJSON()
	if err != nil { // a value that JSON lacks
		return fmt.Sprintf("%+v", r)
	}
	return string(all)
}
