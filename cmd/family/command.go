package family

import (
	"context"
	"errors"
	"strings"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
)

// commandLine is the grammar of the command line. Words in ${} are those of words.
type commandLine struct {
	Run     runCommand     `cmd:"" default:"withargs" help:"Scrape ${sites} into the database. This is the default command."`
	List    listCommand    `cmd:"" help:"List the ${sites}."`
	New     newCommand     `cmd:"" help:"Try a site and print its row for the registry."`
	More    cli.Plugins    `embed:""`
	Page    pageCommand    `cmd:"" help:"Show what was on the pages of ${a_site}'s last failure, or of any URL."`
	Serve   serveCommand   `cmd:"" help:"Serve the report as pages that follow the run, and begin and stop runs, by a schedule too."`
	Report  reportCommand  `cmd:"" help:"Show the last run, and the last 30 days of every ${site}."`
	Export  exportCommand  `cmd:"" help:"Write the records as a table for spreadsheets, or as JSON."`
	Version versionCommand `cmd:"" help:"Print what this binary was built from."`
}

// run parses the command line and runs the command that it names.
func (f Family) run(ctx context.Context, args []string, c cli.Console) int {
	whole, err := f.withDefaults()
	if err != nil {
		return c.Fail(cli.ExitUsage, err)
	}
	return whole.grammar().Run(ctx, args, c)
}

func (f *Family) grammar() cli.Grammar {
	help := f.declared().Help()
	line := &commandLine{
		Run: runCommand{family: f}, List: listCommand{family: f}, New: newCommand{family: f}, Page: pageCommand{family: f}, Serve: serveCommand{family: f}, Report: reportCommand{family: f},
		Export: exportCommand{family: f}, Version: versionCommand{family: f},
	}
	if f.New.Flags != nil {
		line.New.extra = f.New.Flags()
		line.New.Flags = cli.Plugins{line.New.extra}
	}
	if f.Commands != nil {
		line.More = f.Commands()
	}
	g := cli.Grammar{
		Line:        line,
		Description: f.Help.About + "\n\nThe variable in brackets sets a flag, too; the flag wins.",
		Default:     "run",
		Help:        help,
		Words:       f.words(help),
		Rename:      map[string]string{"only": f.Registry.Site, "rows": f.Registry.Sites},
		NothingRan:  nothingRan,
	}
	if f.BuiltIn == nil {
		g.Without = []string{"fixtures", "misbehave"}
	}
	if f.Table.Day == "" {
		g.Without = append(g.Without, "since")
	}
	return g
}

// words is what stands for the words in ${} of the grammar.
func (f *Family) words(help map[string]string) map[string]string {
	words := map[string]string{
		"name": f.Name, "site": f.Registry.Site, "sites": f.Registry.Sites, "a_site": scraperutils.Article(f.Registry.Site),
		"SITE": strings.ToUpper(f.Registry.Site), "select": help["--"+f.Registry.Site], "label": f.Help.Label, "pattern": f.Help.Pattern,
		"new_label": f.Help.NewLabel, "option": f.Help.Option, "source": f.Help.Source, "built_in": f.Help.BuiltIn, "as_of": f.Help.AsOf,
	}
	return words
}

// nothingRan reports whether an error is why a command could not begin.
func nothingRan(err error) bool {
	var (
		unknown *registry.UnknownError
		locked  *db.LockedError
		open    *db.OpenError
		failed  *unknownFailuresError
		nothing *noRecordingError
		mixed   *mixedSourceError
	)
	return errors.As(err, &unknown) || errors.As(err, &failed) || errors.As(err, &nothing) || errors.As(err, &mixed) || errors.As(err, &locked) || errors.As(err, &open)
}
