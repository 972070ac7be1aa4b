package site

import (
	"slices"
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// OneOf checks an option that has a list of values.
func OneOf(name, value string, accepted ...string) error {
	if slices.Contains(accepted, value) {
		return nil
	}
	return &scraperutils.ConfigError{Name: name, Value: value, Accepted: "one of " + strings.Join(accepted, ", ")}
}
