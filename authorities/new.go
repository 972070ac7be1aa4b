package authorities

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// ParseRow reads and checks a single row, written as in authorities.yml.
func ParseRow(text string) (Entry, error) {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil || len(document.Content) == 0 {
		return Entry{}, errors.New("the row is not YAML")
	}
	return readRow(document.Content[0])
}

// Pair is a key of a row and its value, as YAML.
type Pair struct{ Key, Value string }

// Row writes a row: a line for authorities.yml, without the dash.
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

// guesses is the options to try for a council of which nothing is known, the likeliest first.
var guesses = map[string][][]Pair{
	"technologyone": {{{"period", "L28"}}},
	"icon":          {{{"period", "last28days"}}},
	"epathway":      {{{"list", "last_30_days"}}, {{"list", "advertising"}}, {{"list", "all"}, {"max_pages", "4"}}},
	"masterview":    {{{"use_api", "true"}}, {}, {{"force_detail", "true"}}},
	"civica":        {{{"period", "last30days"}}, {{"period", "advertised"}}},
}

// Guesses returns the options to try for a council on a platform, the likeliest first. What is given replaces a guess; a guess
// that differs from another only in what was given is left out.
func Guesses(platform string, given []Pair) [][]Pair {
	all := guesses[platform]
	if len(all) == 0 {
		all = [][]Pair{{}}
	}
	var out [][]Pair
	seen := map[string]bool{}
	for _, guess := range all {
		merged := map[string]string{}
		for _, p := range append(slices.Clone(guess), given...) {
			merged[p.Key] = p.Value
		}
		var pairs []Pair
		for _, key := range slices.Sorted(maps.Keys(merged)) {
			pairs = append(pairs, Pair{key, merged[key]})
		}
		if row := Row(pairs...); !seen[row] {
			seen[row] = true
			out = append(out, pairs)
		}
	}
	return out
}
