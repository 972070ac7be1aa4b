package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Command is what a subcommand does. Its error is printed, and may raise the exit code.
type Command interface {
	Run(ctx context.Context, c Console) (code int, err error)
}

// Grammar is the command line of a command. A flag that is a setting has its name as help: ${max_load}.
type Grammar struct {
	Line        any               // a pointer to a struct as kong reads it, whose subcommands are Commands
	Description string            // of the whole
	Default     string            // the subcommand that need not be named: its flags are in the help of the whole; "" is none
	Help        map[string]string // of flags that are settings, by their name ("--max-load")
	Words       map[string]string // that stand for ${word} in helps
	Rename      map[string]string // flags with another name on the command line than in Line, without dashes
	Without     []string          // flags of Line that this command leaves out, without dashes
	NothingRan  func(error) bool  // reports whether an error, other than a ConfigError, is why a command could not begin: ExitUsage
}

// Run runs the command that args name, prints its error and returns the exit code.
func (g Grammar) Run(ctx context.Context, args []string, c Console) int {
	command, c, code := g.parse(args, c)
	if command == nil {
		return code
	}
	code, err := command.Run(ctx, c)
	if err == nil {
		return code
	}
	if err = CauseOf(ctx, err); CutShort(err) {
		code, sentence := ExitCode(err, true)
		c.Complain(sentence)
		return code
	}
	var config *scraperutils.ConfigError
	if errors.As(err, &config) || g.NothingRan(err) {
		return c.Fail(ExitUsage, err)
	}
	return c.Fail(max(code, ExitUnexpected), err)
}

// parse returns the command that args name, and the console with the flags that are settings. Where there is no command to run, for
// help was asked for or the line can't be read, it says so and returns nil and the exit code.
func (g Grammar) parse(args []string, c Console) (Command, Console, int) {
	exited := -1
	parser, err := kong.New(g.Line,
		kong.Name(c.Name),
		kong.Description(g.Description),
		kong.Writers(c.Stdout, c.Stderr),
		kong.Exit(func(code int) { exited = code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.Help(g.printHelp),
		kong.PostBuild(g.adapt),
	)
	if err != nil {
		return nil, c, c.Fail(ExitUsage, err)
	}
	chosen, err := parser.Parse(args)
	if exited >= 0 {
		return nil, c, exited // help was asked for and printed
	}
	if err != nil {
		return nil, c, c.Fail(ExitUsage, fmt.Errorf("%w; %s --help shows what there is", err, c.Name))
	}
	command, ok := chosen.Selected().Target.Addr().Interface().(Command)
	if !ok {
		return nil, c, c.Fail(ExitUsage, fmt.Errorf("no such command: %s", chosen.Command()))
	}
	c.Given = map[string]string{}
	for _, f := range chosen.Flags() {
		if flag := "--" + f.Name; g.Help[flag] != "" {
			c.Given[flag] = written(f.Target)
		}
	}
	return command, c, ExitOK
}

// written is a flag as it was written; a switch that is off was not.
func written(v reflect.Value) string {
	switch {
	case v.Kind() != reflect.Bool:
		return v.String()
	case v.Bool():
		return "true"
	}
	return ""
}

// Plugins is a place in a Line for commands or flags that are known at run time: pointers to structs as kong reads them.
type Plugins = kong.Plugins

// adapt renames and leaves out flags, and writes words in helps.
func (g Grammar) adapt(k *kong.Kong) error {
	words := g.words()
	return kong.Visit(k.Model, func(node kong.Visitable, next kong.Next) error {
		switch n := node.(type) {
		case *kong.Application:
			n.Help = words.Replace(n.Help)
		case *kong.Value:
			n.Help = words.Replace(words.Replace(n.Help)) // the help of a setting has words, too
		case *kong.Command:
			n.Help = words.Replace(n.Help)
			n.Flags = slices.DeleteFunc(n.Flags, func(f *kong.Flag) bool { return slices.Contains(g.Without, f.Name) })
			for _, f := range n.Flags {
				f.Name = cmp.Or(g.Rename[f.Name], f.Name)
			}
		}
		return next(nil)
	})
}

// words writes what stands for ${word} in helps. Variables of kong could do it, but it looks through all of them for each flag, which takes
// longer than all that most commands do.
func (g Grammar) words() *strings.Replacer {
	var pairs []string
	for flag, help := range g.Help {
		pairs = append(pairs, "${"+strings.ReplaceAll(strings.TrimPrefix(flag, "--"), "-", "_")+"}", help)
	}
	for word, text := range g.Words {
		pairs = append(pairs, "${"+word+"}", text)
	}
	return strings.NewReplacer(pairs...)
}

// printHelp prints the help of a command. That of the whole has the flags of the default command too.
func (g Grammar) printHelp(o kong.HelpOptions, ctx *kong.Context) error {
	if err := kong.DefaultHelpPrinter(o, ctx); err != nil || ctx.Selected() != nil || g.Default == "" {
		return err
	}
	byDefault, err := kong.Trace(ctx.Kong, []string{g.Default})
	if err != nil {
		return err
	}
	fmt.Fprintln(ctx.Stdout)
	return kong.DefaultHelpPrinter(o, byDefault)
}
