// Command stream hands the records of a Kinesis stream to a program, or to a crawl, and loses none. See stream --help.
package main

import (
	"os"

	"github.com/multiscraper/multiscraper/cmd/internal/streamcmd"
)

func main() {
	os.Exit(streamcmd.Main(os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}
