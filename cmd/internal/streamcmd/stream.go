package streamcmd

import (
	"context"
	"errors"
	"io"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/db/frontier/postgres"
	"github.com/multiscraper/multiscraper/db/leases"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/stream"
)

// Main runs the command line in an environment of NAME=value and returns the exit code.
func Main(args, environ []string, stdout, stderr io.Writer) int {
	return cli.Main("stream", args, environ, stdout, stderr, run)
}

// commandLine is the grammar of the command line.
type commandLine struct {
	Run runCommand `cmd:"" default:"withargs" help:"Hand records to a program, or to a crawl. This is the default command."`
}

// run parses the command line and runs the command that it names.
func run(ctx context.Context, args []string, c cli.Console) int {
	grammar := cli.Grammar{
		Line: new(commandLine),
		Description: "Hands each record of a Kinesis stream to a program, as a line of JSON, and goes on when it answers ok. None is lost.\n\n" +
			"The variable in brackets sets a flag, too; the flag wins.",
		Default:    "run",
		Help:       declared.Help(),
		NothingRan: nothingRan,
	}
	return grammar.Run(ctx, args, c)
}

// nothingRan reports whether an error is why a command could not begin, or go on as it was told to.
func nothingRan(err error) bool {
	var (
		start      *startError
		begin      *stream.StartError
		checkpoint *stream.CheckpointError
		schema     *leases.SchemaError
		open       *db.OpenError
		frontier   *crawl.SchemaError
		shared     *postgres.OpenError
	)
	return errors.As(err, &start) || errors.As(err, &begin) || errors.As(err, &checkpoint) || errors.As(err, &schema) || errors.As(err, &open) ||
		errors.As(err, &frontier) || errors.As(err, &shared)
}

// startError is why a command could not begin.
type startError struct{ error }

func (e *startError) Unwrap() error { return e.error }
