// Command scrape runs the scrapers of councils into one SQLite file. See scrape --help.
package main

import (
	"github.com/multiscraper/multiscraper/cmd/family"
	"github.com/multiscraper/multiscraper/cmd/internal/councils"
)

// version is set by the linker in a release: make release.
var version string

func main() {
	f := councils.Family()
	f.Version = version
	family.Main(f)
}
