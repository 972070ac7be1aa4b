package site

import (
	"fmt"
	"math/rand/v2"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/multiscraper/multiscraper/scraperutils/site/dates"
)

// Choice is an option with one value, or with several that take turns by day: period: L28, or period: [L28, L7, L14, L7].
type Choice []string

// UnmarshalYAML reads a value or a list of them.
func (c *Choice) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		*c = nil
		if node.ShortTag() != "!!null" {
			*c = Choice{node.Value}
		}
		return nil
	}
	var list []string
	if err := node.Decode(&list); err != nil {
		return fmt.Errorf("line %d: expected a value or a list of values", node.Line)
	}
	*c = list
	return nil
}

// Check is OneOf for each of the values. None at all are an error too.
func (c Choice) Check(name string, accepted ...string) error {
	if len(c) == 0 {
		return OneOf(name, "", accepted...)
	}
	for _, value := range c {
		if err := OneOf(name, value, accepted...); err != nil {
			return err
		}
	}
	return nil
}

// Of returns the value whose turn it is on the day of a visit; "" where there is none.
func (c Choice) Of(v *Visit) string {
	value, err := dates.Pick(c, v.Clock.Today(), v.Search.Cycle)
	if err != nil {
		return ""
	}
	return value
}

// Search is how a run searches by date, for the sites whose rows ask for it.
type Search struct {
	Plan   dates.Plan // of spread searches
	Cycle  *int       // where a Choice stands, instead of at the day
	Random *rand.Rand // order of the spans of a spread search; nil: oldest first
}

// Spans returns the stretches of days up to today to search: the last so many days in one, or where spread is set those whose
// turn it is by the run's Plan.
func (v *Visit) Spans(today time.Time, days int, spread bool) []dates.Range {
	if !spread {
		return []dates.Range{{From: today.AddDate(0, 0, -days), To: today, Why: "everything"}}
	}
	return dates.Shuffle(v.Search.Plan.Ranges(today), v.Search.Random)
}
