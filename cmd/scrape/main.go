// Command scrape runs the scrapers of authorities into one SQLite file. See scrape --help.
package main

import (
	"os"

	"github.com/multiscraper/multiscraper/cmd/internal/app"
)

func main() {
	os.Exit(app.Main(os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}
