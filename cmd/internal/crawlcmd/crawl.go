package crawlcmd

import (
	"context"
	"errors"
	"io"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/db/frontier/postgres"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/durable"
)

// Main runs the command line in an environment of NAME=value and returns the exit code.
func Main(args, environ []string, stdout, stderr io.Writer) int {
	return cli.Main("crawl", args, environ, stdout, stderr, run)
}

// commandLine is the grammar of the command line.
type commandLine struct {
	Run    runCommand    `cmd:"" default:"withargs" help:"Fetch the URLs in the frontier, and the given ones. This is the default command."`
	Add    addCommand    `cmd:"" help:"Add URLs to the frontier, even while a crawl runs."`
	Status statusCommand `cmd:"" help:"Show how much is ready, waiting, failed, and done, and which hosts are slow and why."`
	Hosts  hostsCommand  `cmd:"" help:"List the hosts."`
	Host   hostCommand   `cmd:"" help:"Show a host and its URLs."`
	URL    urlCommand    `cmd:"" name:"url" help:"Show a URL: its state, and what came of it."`
	Failed failedCommand `cmd:"" help:"List URLs that failed, or try them again."`
	Export exportCommand `cmd:"" help:"Write all URLs and their states as JSON lines."`
	Stop   stopCommand   `cmd:"" help:"End the running crawl, with all of its processes, once requests in flight have ended."`
}

// run parses the command line and runs the command that it names.
func run(ctx context.Context, args []string, c cli.Console) int {
	grammar := cli.Grammar{
		Line: new(commandLine),
		Description: "Fetches URLs and what they link to, politely, until nothing is left, and loses nothing.\n\n" +
			"The variable in brackets sets a flag, too; the flag wins.",
		Default:    "run",
		Help:       declared.Help(),
		NothingRan: nothingRan,
	}
	return grammar.Run(ctx, args, c)
}

// nothingRan reports whether an error is why a command could not begin.
func nothingRan(err error) bool {
	var (
		locked *db.LockedError
		open   *db.OpenError
		schema *crawl.SchemaError
		sink   *durable.LockedError
		start  *startError
		shared *postgres.OpenError
	)
	return errors.As(err, &locked) || errors.As(err, &open) || errors.As(err, &schema) || errors.As(err, &sink) || errors.As(err, &start) || errors.As(err, &shared)
}

// startError is why a command could not begin.
type startError struct{ error }

func (e *startError) Unwrap() error { return e.error }
