// Command libraries keeps the new titles of library catalogs, a subject of each.
package main

import (
	_ "embed"

	"github.com/multiscraper/multiscraper/cmd/family"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
)

//go:embed libraries.yml
var rows []byte

func main() {
	family.Main(family.Family{
		Name: "libraries",
		Registry: registry.Config{
			Terms:     registry.Terms{Site: "library", Sites: "libraries"},
			Rows:      rows,
			Platforms: registry.Platforms{"opac": registry.Platform(newOPAC)},
		},
		Table:   family.Table{Keys: []string{"isbn"}, Title: []string{"isbn", "title"}},
		BuiltIn: family.Handlers(catalog),
	})
}
