package authorities

import (
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/multiscraper/multiscraper/authorities/atdis"
	"github.com/multiscraper/multiscraper/authorities/civica"
	"github.com/multiscraper/multiscraper/authorities/epathway"
	"github.com/multiscraper/multiscraper/authorities/horizon"
	"github.com/multiscraper/multiscraper/authorities/icon"
	"github.com/multiscraper/multiscraper/authorities/masterview"
	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/authorities/technologyone"
	"github.com/multiscraper/multiscraper/scraperutils"
)

// factory makes the scraper of one authority from its options.
type factory func(scraperutils.Authority, *yaml.Node) (register.Scraper, error)

// platforms is each platform by its name. A new one is a package and a line here.
var platforms = map[string]factory{
	"atdis":         platform(atdis.New),
	"civica":        platform(civica.New),
	"epathway":      platform(epathway.New),
	"horizon":       platform(horizon.New),
	"icon":          platform(icon.New),
	"masterview":    platform(masterview.New),
	"technologyone": platform(technologyone.New),
}

// Platforms returns the names of the platforms.
func Platforms() []string { return slices.Sorted(maps.Keys(platforms)) }

func platform[Options any, S register.Scraper](build func(scraperutils.Authority, Options) (S, error)) factory {
	return func(a scraperutils.Authority, node *yaml.Node) (register.Scraper, error) {
		var options Options
		if err := decode(node, &options); err != nil {
			return nil, err
		}
		return build(a, options)
	}
}
