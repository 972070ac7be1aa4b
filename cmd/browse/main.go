// Command browse opens pages in a browser and tells of every request that they make: to whoever runs it, or to the clients of a queue. See browse
// --help.
package main

import (
	"os"

	"github.com/multiscraper/multiscraper/cmd/internal/browsecmd"
)

func main() {
	os.Exit(browsecmd.Main(os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}
