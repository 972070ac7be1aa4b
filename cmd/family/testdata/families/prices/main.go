// Command prices keeps what markets ask for fruit and vegetables, day by day.
package main

import (
	_ "embed"

	"github.com/multiscraper/multiscraper/cmd/family"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
)

//go:embed markets.yml
var rows []byte

func main() {
	family.Main(family.Family{
		Name: "prices",
		Registry: registry.Config{
			Terms:     registry.Terms{Site: "market"},
			Rows:      rows,
			Platforms: registry.Platforms{"board": registry.Platform(newBoard)},
		},
		Table:   family.Table{Keys: []string{"day", "product", "grade"}},
		BuiltIn: family.Handlers(market),
	})
}
