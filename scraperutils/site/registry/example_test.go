package registry_test

import (
	"context"
	"fmt"

	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
)

// catalog is a platform with an option.
type catalog struct{ section string }

func newCatalog(_ site.Site, o struct {
	Section string `yaml:"section"`
}) (catalog, error) {
	return catalog{o.Section}, site.OneOf("section", o.Section, "novels", "plays")
}

func (c catalog) Scrape(context.Context, *site.Visit) error { return nil }

// libraries is a family of sites.
func libraries(rows string) registry.Config {
	return registry.Config{
		Terms:     registry.Terms{Site: "library", Sites: "libraries", Command: "books", Shared: []string{"country"}},
		Platforms: registry.Platforms{"catalog": registry.Platform(newCatalog)},
		Rows:      []byte(rows),
	}
}

func ExampleLoad() {
	known, err := registry.Load(libraries(`
- {library: riverside, platform: catalog, url: "https://catalog.riverside.example/", section: novels}
- {library: hilltop, platform: catalog, url: "https://books.hilltop.example/", section: plays}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	entries, err := known.Select([]string{"river*"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(known.All()), entries[0].Label, entries[0].URL, entries[0].Scraper)
	_, err = known.Select([]string{"hiltop"})
	fmt.Println(err)
	// Output:
	// 2 riverside https://catalog.riverside.example/ {novels}
	// unknown library: hiltop (did you mean hilltop?); `books list` shows all
}

func ExamplePlatform() {
	_, err := libraries("").ParseRow("{library: a, platform: catalog, url: http://a.example, sektion: novels}")
	fmt.Println(err)
	// Output: option: can't use "sektion": expected one of section, library, platform, url, country, timeout, tls_insecure, render, proxy, least_records, least_filled
}

func ExampleRow() {
	fmt.Println(registry.Row(registry.Pair{Key: "library", Value: registry.Quoted("a: b")}, registry.Pair{Key: "platform", Value: "catalog"}))
	// Output: {library: 'a: b', platform: catalog}
}
