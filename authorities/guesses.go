package authorities

import (
	"maps"
	"slices"

	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
)

// guesses is the options to try for a council of which nothing is known, the likeliest first.
var guesses = map[string][][]registry.Pair{
	"technologyone": {{{Key: "period", Value: "L28"}}},
	"icon":          {{{Key: "period", Value: "last28days"}}},
	"epathway":      {{{Key: "list", Value: "last_30_days"}}, {{Key: "list", Value: "advertising"}}, {{Key: "list", Value: "all"}, {Key: "max_pages", Value: "4"}}},
	"masterview":    {{{Key: "use_api", Value: "true"}}, {}, {{Key: "force_detail", Value: "true"}}},
	"civica":        {{{Key: "period", Value: "last30days"}}, {{Key: "period", Value: "advertised"}}},
}

// Guesses returns the options to try for a council on a platform, the likeliest first. What is given replaces a guess; a guess
// that differs from another only in what was given is left out.
func Guesses(platform string, given []registry.Pair) [][]registry.Pair {
	all := guesses[platform]
	if len(all) == 0 {
		all = [][]registry.Pair{{}}
	}
	var out [][]registry.Pair
	seen := map[string]bool{}
	for _, guess := range all {
		merged := map[string]string{}
		for _, p := range append(slices.Clone(guess), given...) {
			merged[p.Key] = p.Value
		}
		var pairs []registry.Pair
		for _, key := range slices.Sorted(maps.Keys(merged)) {
			pairs = append(pairs, registry.Pair{Key: key, Value: merged[key]})
		}
		if row := registry.Row(pairs...); !seen[row] {
			seen[row] = true
			out = append(out, pairs)
		}
	}
	return out
}
