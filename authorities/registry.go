package authorities

import (
	_ "embed"

	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
)

//go:embed authorities.yml
var builtIn []byte

// Terms is what councils are called in rows and messages.
func Terms() registry.Terms {
	return registry.Terms{
		Site: "authority", Sites: "authorities", Proxy: "australian_proxy", Command: "scrape",
		Example: "{authority: kyogle, platform: icon, url: https://…}", Shared: []string{"state"},
	}
}

// Registry is what the registry of councils is read with: the rows of authorities.yml, and the platforms.
func Registry() registry.Config {
	return registry.Config{Terms: Terms(), Platforms: Platforms(), Rows: builtIn, File: "authorities.yml"}
}

// Load reads the built-in rows and then those of files, which add authorities or replace those of the same label.
func Load(files ...string) (*registry.Registry, error) { return registry.Load(Registry(), files...) }
