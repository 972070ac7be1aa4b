package browsecmd

import (
	"context"
	"errors"
	"io"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
)

// Main runs the command line in an environment of NAME=value and returns the exit code.
func Main(args, environ []string, stdout, stderr io.Writer) int {
	return cli.Main("browse", args, environ, stdout, stderr, run)
}

// commandLine is the grammar of the command line.
type commandLine struct {
	Pages  pagesCommand  `cmd:"" default:"withargs" help:"Open pages and print their requests as JSON lines. This is the default command."`
	Worker workerCommand `cmd:"" help:"Open the pages that a queue asks for, and send their requests to the client."`
	Render renderCommand `cmd:"" help:"Get documents as they are after their scripts, for a program that asks on standard input."`
}

// run parses the command line and runs the command that it names.
func run(ctx context.Context, args []string, c cli.Console) int {
	grammar := cli.Grammar{
		Line: new(commandLine),
		Description: "Opens pages in a browser, and reports every request that they make.\n\n" +
			"The variable in brackets sets a flag, too; the flag wins.",
		Default:    "pages",
		Help:       declared.Help(),
		NothingRan: func(err error) bool { var start *startError; return errors.As(err, &start) },
	}
	return grammar.Run(ctx, args, c)
}

// startError is why a command could not begin.
type startError struct{ error }

func (e *startError) Unwrap() error { return e.error }
