// Command events keeps the events that cities publish by an API.
package main

import (
	_ "embed"

	"github.com/multiscraper/multiscraper/cmd/family"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
)

//go:embed apis.yml
var rows []byte

func main() {
	family.Main(family.Family{
		Name: "events",
		Registry: registry.Config{
			Terms:     registry.Terms{Site: "api"},
			Rows:      rows,
			Platforms: registry.Platforms{"events": registry.Platform(newEvents)},
		},
		Table:   family.Table{Keys: []string{"id"}, Title: []string{"id", "title"}},
		BuiltIn: family.Handlers(api),
	})
}
