package family

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/board"
	"github.com/multiscraper/multiscraper/scraperutils/run/live"
	"github.com/multiscraper/multiscraper/scraperutils/run/report"
	"github.com/multiscraper/multiscraper/scraperutils/run/workers"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
)

// serveCommand is scrape serve.
type serveCommand struct {
	family *Family

	DB        string        `name:"db" help:"Read the database that runs write (default: data.sqlite; try.sqlite with --fixtures)." type:"path" placeholder:"FILE"`
	Listen    string        `help:"Serve at this address (default: ${default}). An address that others can reach needs --token-file." default:"127.0.0.1:8080" placeholder:"HOST:PORT"`
	TokenFile string        `help:"Require the token in this file, as the password that a browser asks for or as a bearer token." type:"path" placeholder:"FILE"`
	Schedule  string        `help:"Begin runs at these times, as a line of cron has them: minute hour day month weekday." placeholder:"'17 1 * * *'"`
	Zone      string        `help:"Read the schedule by the clocks of this time zone (default: the family's, else UTC)." placeholder:"ZONE"`
	Jitter    time.Duration `help:"Begin up to that much later than the schedule says, at random." placeholder:"10m"`
	Buttons   bool          `name:"run" help:"Let readers begin and stop runs. On an address of loopback they always may, but for --read-only." xor:"buttons"`
	ReadOnly  bool          `help:"Let nobody begin or stop runs; a schedule still does." xor:"buttons"`
	Also      []string      `help:"Show what the crawl, browse, or stream that listens at this address does, too. May be repeated." sep:"none" placeholder:"URL"`
	AlsoToken string        `name:"also-token-file" help:"Send the token in this file to the programs of --also." type:"path" placeholder:"FILE"`
	Rows      []string      `help:"Read more ${sites} from these files." type:"path" placeholder:"FILE"`
	Fixtures  bool          `help:"Begin runs of the built-in ${built_in}, on loopback."`
	Misbehave []string      `help:"Make built-in sites fail in these runs: LABEL=HOW." placeholder:"LABEL=HOW"`
	NoDelay   bool          `help:"Do not rest between requests in these runs; only for your own test sites."`
}

const (
	answerTime = time.Minute // that an answer may take, but for events
	maxToken   = 4 << 10     // bytes of a token's file
)

func (s *serveCommand) Run(ctx context.Context, c cli.Console) (int, error) {
	token, err := readToken("--token-file", s.TokenFile)
	if err != nil {
		return cli.ExitUsage, err
	}
	if _, err := cli.ListenAddress(s.Listen); err != nil {
		return cli.ExitUsage, &scraperutils.ConfigError{Name: "--listen", Value: s.Listen, Accepted: "HOST:PORT, where HOST is an IP address or localhost"}
	}
	if token == "" && !cli.OnLoopback(s.Listen) {
		return cli.ExitUsage, &scraperutils.ConfigError{Name: "--listen", Value: s.Listen, Accepted: "an address of loopback, or --token-file beside it"}
	}
	known, err := registry.Load(s.family.Registry, s.Rows...)
	if err != nil {
		return cli.ExitUsage, err
	}
	table, err := s.timetable()
	if err != nil {
		return cli.ExitUsage, err
	}
	if len(s.Misbehave) > 0 && !s.Fixtures {
		return cli.ExitUsage, &scraperutils.ConfigError{Name: "--misbehave", Value: strings.Join(s.Misbehave, ","), Accepted: "--fixtures beside it"}
	}
	sites := sitesOf(known)
	read := board.Fresh(func(ctx context.Context) (*report.Overview, error) {
		if s.isMissing() {
			return nil, report.ErrNoRun // which makes the database
		}
		return s.family.readOverview(ctx, s.database(), "", sites)
	})
	runs, err := s.newRuns(c, known, table)
	if err != nil {
		return cli.ExitUsage, err
	}
	others, err := s.workers()
	if err != nil {
		return cli.ExitUsage, err
	}
	shown := board.Config{
		Read: read, Recordings: recordingsOf, Past: s.family.past(s.database(), sites), Metrics: s.metrics(sites, runs, others), Token: token,
	}
	if others != nil {
		shown.Workers = others.Handler(s.family.Name)
		runs.page.Workers = others.Section
	}
	shown.Live = live.New(runs.page)
	return s.serve(ctx, c, shown, runs, others)
}

// serve answers, follows and begins runs, and asks workers unless they are nil, until the context ends.
func (s *serveCommand) serve(ctx context.Context, c cli.Console, shown board.Config, runs *runs, others *workers.Watcher) (int, error) {
	listener, err := cli.Listen(s.Listen, answerTime, board.New(shown))
	if err != nil {
		return cli.ExitUsage, err
	}
	fmt.Fprintf(c.Stdout, "http://%s/ shows %s\n", listener.Address(), s.database())
	runs.keep(ctx)
	defer runs.Close()
	if others != nil {
		var watching sync.WaitGroup
		watching.Go(func() { others.Watch(ctx) })
		defer watching.Wait()
	}
	<-ctx.Done()
	code, _ := cli.ExitCode(context.Cause(ctx), false)
	return code, listener.Close()
}

// database is the file that runs write.
func (s *serveCommand) database() string {
	return (&runCommand{DB: s.DB, Fixtures: s.Fixtures}).database()
}
