// Command crawl fetches a queue of URLs politely, for as long as there is something to fetch, and loses nothing. See crawl --help.
package main

import (
	"os"

	"github.com/multiscraper/multiscraper/cmd/internal/crawlcmd"
)

func main() {
	os.Exit(crawlcmd.Main(os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}
