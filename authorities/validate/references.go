package validate

import (
	"fmt"
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// uniqueReferences reports whether each record has a council_reference of its own within its authority, in whatever case: of two
// that differ in case alone, importers skip one. Its error is a *scraperutils.UnprocessableSite.
func uniqueReferences(records []scraperutils.Record) error {
	seen := map[[2]string]int{}
	var doubles []string
	for _, r := range records {
		label, _ := r.Get("authority_label")
		reference, _ := r.Get("council_reference")
		if text, ok := reference.(string); ok {
			reference = strings.ToLower(text)
		}
		key := [2]string{inspectOrNil(label), inspectOrNil(reference)}
		if seen[key]++; seen[key] == 2 {
			doubles = append(doubles, "["+key[0]+", "+key[1]+"]")
		}
	}
	if len(doubles) == 0 {
		return nil
	}
	return &scraperutils.UnprocessableSite{Reason: "Duplicate authority labels: " + strings.Join(doubles, ", ")}
}

// authorityLabel returns the label that the records share, between prefix and suffix, or "" where none has one. Its error, a
// *scraperutils.UnprocessableSite, names the labels where there are several.
func authorityLabel(records []scraperutils.Record, prefix, suffix string) (string, error) {
	seen := map[string]bool{}
	var labels []string
	for _, r := range records {
		label := r.Text("authority_label")
		if label != "" && !seen[label] {
			labels = append(labels, label)
		}
		seen[label] = true
	}
	switch len(labels) {
	case 0:
		return "", nil
	case 1:
		return prefix + labels[0] + suffix, nil
	}
	for i, label := range labels {
		labels[i] = fmt.Sprintf("%q", label)
	}
	return "", &scraperutils.UnprocessableSite{Reason: "Expected one authority_label, not [" + strings.Join(labels, ", ") + "]"}
}

func inspectOrNil(v any) string {
	if v == nil {
		return "nil"
	}
	return inspect(v)
}
