// Command scrape runs the scrapers of councils into one SQLite file. See scrape --help.
package main

import (
	"github.com/multiscraper/multiscraper/cmd/family"
	"github.com/multiscraper/multiscraper/cmd/internal/councils"
)

func main() { family.Main(councils.Family()) }
