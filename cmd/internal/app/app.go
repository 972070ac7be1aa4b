package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/multiscraper/multiscraper/authorities"
	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils"
)

// Exit codes.
const (
	exitOK         = 0
	exitUnexpected = 1   // something went wrong that was not expected
	exitUsage      = 2   // bad flags or configuration; nothing ran
	exitTimeout    = 124 // the run timeout
	exitSignal     = 128 // plus the signal's number
)

// gcPercent is how much garbage there may be, against what is in use. A page is garbage as soon as it is read, so this saves CPU
// time for a few MiB; GOMEMLIMIT holds all the same.
const gcPercent = 350

// Main runs the command line in an environment of NAME=value and returns the exit code.
func Main(args, environ []string, stdout, stderr io.Writer) int {
	ctx, stop := withSignals(context.Background())
	defer stop()
	env, names := environment(environ)
	if env("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	log.SetOutput(io.Discard) // where net/http tells of servers that talk out of turn: standard error is for what goes wrong
	out := newOutlet("standard output", stdout)
	c := newConsole(env, out, newOutlet("standard error", stderr))
	c.names = names
	code := run(ctx, args, c)
	if err := out.problem(); err != nil {
		return c.fail(max(code, exitUnexpected), err)
	}
	return code
}

// environment reads variables as os.Environ has them.
func environment(environ []string) (env func(string) string, names []string) {
	values := map[string]string{}
	for _, e := range environ {
		name, value, _ := strings.Cut(e, "=")
		values[name], names = value, append(names, name)
	}
	return func(name string) string { return values[name] }, names
}

// commandLine is the grammar of the command line.
type commandLine struct {
	Run      runCommand      `cmd:"" default:"withargs" help:"Scrape authorities into the database. The default command."`
	List     listCommand     `cmd:"" help:"List the authorities."`
	New      newCommand      `cmd:"" help:"Try a site and print its row for the registry."`
	Validate validateCommand `cmd:"" help:"Check the quality of a finished database: addresses, descriptions, references, pages."`
	Report   reportCommand   `cmd:"" help:"Show the last run, and the last 30 days of every authority."`
}

// run parses the command line and runs the command that it names.
func run(ctx context.Context, args []string, c console) int {
	var line commandLine
	exited := -1
	parser, err := kong.New(&line,
		kong.Name("scrape"),
		kong.Description("Scrapes many sites of one kind, politely, into one SQLite file, with a verdict for every site.\n\nEvery flag that has a variable in brackets can be set by it; flags win."),
		kong.Writers(c.stdout, c.stderr),
		kong.Exit(func(code int) { exited = code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.Help(help),
	)
	if err != nil {
		return c.fail(exitUsage, err)
	}
	chosen, err := parser.Parse(args)
	if exited >= 0 {
		return exited // help was asked for and printed
	}
	if err != nil {
		return c.fail(exitUsage, fmt.Errorf("%w; scrape --help shows what there is", err))
	}
	command, ok := chosen.Selected().Target.Addr().Interface().(command)
	if !ok {
		return c.fail(exitUsage, fmt.Errorf("no such command: %s", chosen.Command()))
	}
	code, err := command.run(ctx, c)
	if cause := stopped(ctx, err); cause != nil && brokenDatabase(cause) == nil {
		code, sentence := exitCode(cause, true)
		c.complain(sentence)
		return code
	}
	if err != nil {
		return c.fail(codeOf(err, code), err)
	}
	return code
}

// help prints the help of a command. That of the whole has the flags of the default command too.
func help(o kong.HelpOptions, ctx *kong.Context) error {
	if err := kong.DefaultHelpPrinter(o, ctx); err != nil || ctx.Selected() != nil {
		return err
	}
	byDefault, err := kong.Trace(ctx.Kong, []string{"run"})
	if err != nil {
		return err
	}
	fmt.Fprintln(ctx.Stdout)
	return kong.DefaultHelpPrinter(o, byDefault)
}

// command is what a subcommand does. An error is printed; it decides on the exit code where it is one of configuration.
type command interface {
	run(ctx context.Context, c console) (code int, err error)
}

// codeOf is the exit code for an error: 2 where nothing could run.
func codeOf(err error, code int) int {
	var (
		config  *scraperutils.ConfigError
		unknown *authorities.UnknownError
		locked  *db.LockedError
		open    *db.OpenError
	)
	if errors.As(err, &config) || errors.As(err, &unknown) || errors.As(err, &locked) || errors.As(err, &open) {
		return exitUsage
	}
	return max(code, exitUnexpected)
}
