// Command quotes keeps quotes with their authors and tags, as the tutorial of Scrapy does.
package main

import (
	_ "embed"

	"github.com/multiscraper/multiscraper/cmd/family"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
)

//go:embed sites.yml
var rows []byte

func main() {
	family.Main(family.Family{
		Name:     "quotes",
		Registry: registry.Config{Rows: rows, Platforms: registry.Platforms{"quotes": registry.Platform(newQuotes)}},
		Table:    family.Table{Keys: []string{"quote"}, Title: []string{"author", "quote"}},
		BuiltIn:  family.Handlers(wall),
	})
}
