package masterview

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/multiscraper/multiscraper/scraperutils/site/dates"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// Params are the names and values of a query in their order, written as they stand in an address.
type Params []agent.Value

// UnmarshalYAML reads a mapping and keeps its order. Numbers stay as they are written.
func (p *Params) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: params: expected names and values such as {4a: DA, 6: F}", node.Line)
	}
	*p = nil
	for i := 0; i+1 < len(node.Content); i += 2 {
		name, value := node.Content[i], node.Content[i+1]
		if value.Kind == yaml.AliasNode {
			value = value.Alias
		}
		if name.Kind != yaml.ScalarNode || value.Kind != yaml.ScalarNode {
			return fmt.Errorf("line %d: params: %s: expected text or a number", name.Line, name.Value)
		}
		v := agent.Value{Name: name.Value, Value: value.Value}
		if value.ShortTag() == "!!null" {
			v.Value = ""
		}
		*p = append(*p, v)
	}
	return nil
}

// with returns the params with others added; one that is there already is replaced in its place.
func (p Params) with(others Params) Params {
	all := slices.Clone(p)
	for _, other := range others {
		if i := slices.IndexFunc(all, func(v agent.Value) bool { return v.Name == other.Name }); i >= 0 {
			all[i] = other
		} else {
			all = append(all, other)
		}
	}
	return all
}

// String writes the query without encoding anything: some councils' values are encoded already.
func (p Params) String() string {
	pairs := make([]string, len(p))
	for i, v := range p {
		pairs[i] = v.Name + "=" + v.Value
	}
	return strings.Join(pairs, "&")
}

// searchURL is the address of the list of a span of days.
func (s *Scraper) searchURL(span dates.Range) string {
	query := Params{
		{Name: "page", Value: "found"},
		{Name: "1", Value: span.From.Format(dayMonthYear)},
		{Name: "2", Value: span.To.Format(dayMonthYear)},
	}
	return s.url + "/default.aspx?" + query.with(s.options.Params).String()
}
