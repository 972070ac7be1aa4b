package app

import (
	"context"
	"errors"
	"io"

	"github.com/multiscraper/multiscraper/authorities"
	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/db"
)

// Main runs the command line in an environment of NAME=value and returns the exit code.
func Main(args, environ []string, stdout, stderr io.Writer) int {
	return cli.Main("scrape", args, environ, stdout, stderr, run)
}

// commandLine is the grammar of the command line.
type commandLine struct {
	Run      runCommand      `cmd:"" default:"withargs" help:"Scrape authorities into the database. The default command."`
	List     listCommand     `cmd:"" help:"List the authorities."`
	New      newCommand      `cmd:"" help:"Try a site and print its row for the registry."`
	Validate validateCommand `cmd:"" help:"Check the quality of a finished database: addresses, descriptions, references, pages."`
	Serve    serveCommand    `cmd:"" help:"Serve the report as pages that follow the run."`
	Report   reportCommand   `cmd:"" help:"Show the last run, and the last 30 days of every authority."`
}

// run parses the command line and runs the command that it names.
func run(ctx context.Context, args []string, c cli.Console) int {
	grammar := cli.Grammar{
		Line:        new(commandLine),
		Description: "Scrapes many sites of one kind, politely, into one SQLite file, with a verdict for every site.\n\nEvery flag that has a variable in brackets can be set by it; flags win.",
		Default:     "run",
		Help:        declared.Help(),
		NothingRan:  nothingRan,
	}
	return grammar.Run(ctx, args, c)
}

// nothingRan reports whether an error is why a command could not begin.
func nothingRan(err error) bool {
	var (
		unknown *authorities.UnknownError
		locked  *db.LockedError
		open    *db.OpenError
		failed  *unknownFailuresError
	)
	return errors.As(err, &unknown) || errors.As(err, &failed) || errors.As(err, &locked) || errors.As(err, &open)
}
