package registry

import (
	"errors"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// ParseRow reads and checks a single row, written as in a file of rows.
func (c Config) ParseRow(text string) (Entry, error) {
	c.Terms = c.WithDefaults()
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil || len(document.Content) == 0 {
		return Entry{}, errors.New("the row is not YAML")
	}
	return c.readRow(document.Content[0])
}

// Pair is a key of a row and its value, as YAML.
type Pair struct{ Key, Value string }

// Row writes a row: a line for a file of rows, without the dash.
func Row(pairs ...Pair) string {
	parts := make([]string, len(pairs))
	for i, p := range pairs {
		parts[i] = p.Key + ": " + p.Value
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// Quoted writes a value of a row so that YAML reads it as this text.
func Quoted(text string) string {
	out, err := yaml.Marshal(&yaml.Node{Kind: yaml.ScalarNode, Value: text, Tag: "!!str"})
	plain := strings.TrimSuffix(string(out), "\n")
	var back struct{ A string }
	if err != nil || strings.Contains(plain, "\n") || yaml.Unmarshal([]byte("{a: "+plain+", b: c}"), &back) != nil || back.A != text {
		plain = strconv.Quote(text) // YAML knows what Go escapes
	}
	return plain
}
