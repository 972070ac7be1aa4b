package authorities

import (
	"github.com/multiscraper/multiscraper/authorities/atdis"
	"github.com/multiscraper/multiscraper/authorities/civica"
	"github.com/multiscraper/multiscraper/authorities/epathway"
	"github.com/multiscraper/multiscraper/authorities/horizon"
	"github.com/multiscraper/multiscraper/authorities/icon"
	"github.com/multiscraper/multiscraper/authorities/masterview"
	"github.com/multiscraper/multiscraper/authorities/technologyone"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
)

// Platforms returns each platform by its name. A new one is a package and a line here.
func Platforms() registry.Platforms {
	return registry.Platforms{
		"atdis":         registry.Platform(atdis.New),
		"civica":        registry.Platform(civica.New),
		"epathway":      registry.Platform(epathway.New),
		"horizon":       registry.Platform(horizon.New),
		"icon":          registry.Platform(icon.New),
		"masterview":    registry.Platform(masterview.New),
		"technologyone": registry.Platform(technologyone.New),
	}
}
