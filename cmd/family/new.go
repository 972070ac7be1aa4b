package family

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/rs/zerolog"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/cmd/internal/egress"
	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
)

// newCommand is scrape new.
type newCommand struct {
	family *Family
	extra  RowFlags // nil: none

	Label    string            `arg:"" help:"The label of the new ${site}, such as ${new_label}."`
	Platform string            `help:"Use this platform, one of those in ${name} list (default: recognized by the address and the page)." placeholder:"P"`
	URL      string            `name:"url" required:"" help:"Use this address of its ${source}, as a browser shows it, or without what the platform adds." placeholder:"URL"`
	Flags    cli.Plugins       `embed:""` // extra alone
	Option   map[string]string `help:"Set an option of the platform, such as ${option} (default: try the likely values)." placeholder:"KEY=VALUE"`
	Records  int               `help:"Read up to N records (default: ${default})." default:"5" placeholder:"N"`
	Replay   string            `help:"Replay a recording (DIR/PLATFORM/LABEL.yml) instead of asking the network." type:"path" placeholder:"DIR" xor:"network"`
	AsOf     string            `help:"Search as if it were this day." placeholder:"2019-05-15"`
	Fixtures bool              `help:"Ask the built-in ${built_in}." xor:"network"`
}

func (n *newCommand) Run(ctx context.Context, c cli.Console) (int, error) {
	now := time.Now()
	s, err := n.family.readSettings(c, now)
	if err != nil {
		return cli.ExitUsage, err
	}
	clock, err := n.family.clockOf(n.AsOf, now)
	if err != nil {
		return cli.ExitUsage, err
	}
	if err := n.check(); err != nil {
		return cli.ExitUsage, err
	}
	var sites Sites
	if n.Fixtures {
		known, err := registry.Load(n.family.Registry)
		if err != nil {
			return cli.ExitUnexpected, err
		}
		if sites, err = n.family.startBuiltIn(clock, known, nil); err != nil {
			return cli.ExitUnexpected, err
		}
		defer sites.Close()
	}
	s.tell(c.Stdout)
	s.network.Pace.NoDelay, s.network.Pace.NoRetry = n.Replay != "", n.Replay != ""
	out := n.family.network(egress.Config{Settings: s.network, Replay: n.Replay, Loopback: loopback(sites), ProxyWait: s.runTimeout, Log: zerolog.Nop()})
	defer out.Close()
	return n.try(ctx, c, s, clock, out)
}

// newTimeout is how long the search for a row may take, unless the settings say so.
const newTimeout = 30 * time.Minute

// try tries one guess after the other. To the sites they are one visitor, who rests between them too.
func (n *newCommand) try(ctx context.Context, c cli.Console, s settings, clock site.Clock, out *egress.Network) (int, error) {
	loop := scheduler.New(scheduler.Config{Pacer: pace.New(s.network.Pace), RunTimeout: cmp.Or(s.runTimeout, newTimeout)})
	if known, err := n.settle(ctx, c, out, loop); err != nil || !known {
		return cli.ExitUnexpected, err
	}
	var given []registry.Pair
	for key, value := range n.Option {
		given = append(given, registry.Pair{Key: key, Value: value})
	}
	var last *agent.Page
	for _, options := range n.family.New.guesses(n.Platform, given) {
		trial := &trial{family: n.family, out: c.Stdout, clock: clock, now: time.Now(), wanted: n.Records, search: s.search()}
		found, err := trial.run(ctx, n.row(options), out, loop)
		if err != nil {
			return cli.ExitUsage, err
		}
		if found {
			return cli.ExitOK, nil
		}
		last = trial.last
		if err := loop.Reset(); err != nil {
			return cli.ExitUnexpected, err
		}
	}
	if last != nil {
		describe(c.Stdout, last)
	}
	fmt.Fprintln(c.Stdout, "\nNo record was found. Another address, platform or option may do better"+n.family.New.guide()+".")
	return cli.ExitUnexpected, nil
}

// row writes the row of the registry.
func (n *newCommand) row(options []registry.Pair) string {
	pairs := []registry.Pair{
		{Key: n.family.Registry.Site, Value: registry.Quoted(n.Label)},
		{Key: "platform", Value: registry.Quoted(n.Platform)},
		{Key: "url", Value: registry.Quoted(n.URL)},
	}
	pairs = append(pairs, options...)
	if n.extra != nil {
		pairs = append(pairs, n.extra.Pairs()...)
	}
	return registry.Row(pairs...)
}

// trial is one try of a row: it reads a few records and tells what it understood.
type trial struct {
	family *Family
	out    io.Writer
	clock  site.Clock
	now    time.Time
	wanted int
	search site.Search

	scraper site.Scraper
	records []scraperutils.Record
	tables  map[string]bool // headings that were told already
	last    *agent.Page     // that was fetched
}

// errEnough ends a trial.
var errEnough = errors.New("enough records")

// run tries a row and reports whether it gave records. The error is one of the row itself, or why there was no time to try it.
func (t *trial) run(ctx context.Context, row string, n *egress.Network, loop *scheduler.Scheduler) (found bool, err error) {
	e, err := t.family.Registry.ParseRow(row)
	if err != nil {
		return false, err
	}
	t.scraper = e.Scraper
	t.tables = map[string]bool{}
	fmt.Fprintf(t.out, "Trying %s\n", row)
	n.ReachProxy(ctx, targetOf(e))
	session, err := n.Open(targetOf(e), t.page)
	if err != nil {
		return false, err
	}
	err = loop.Register(e.Label, func(ctx context.Context) error {
		defer session.Agent.Close()
		return e.Scraper.Scrape(ctx, &site.Visit{Agent: session.Agent, Clock: t.clock, Search: t.search, Sink: t})
	})
	if err != nil {
		return false, err
	}
	results, err := loop.Run(ctx)
	if err != nil {
		return false, err
	}
	t.tell(row, results.Operations[0].Err)
	return len(t.records) > 0, results.Err
}

// page tells of a page that was fetched, and of its tables as far as their headings are understood.
func (t *trial) page(p *agent.Page) {
	t.last = p
	fmt.Fprintln(t.out, "  "+summary(p))
	known := t.family.New
	document, err := p.Document()
	if err != nil || known.Columns == nil || known.Meaning == nil {
		return
	}
	document.Find("table").Each(func(_ int, s *goquery.Selection) {
		var parts []string
		understood := 0
		for _, heading := range known.Columns(s) {
			part := heading
			if m := known.Meaning(t.scraper, heading); m != "" && heading != "" {
				part += " = " + m
				understood++
			}
			parts = append(parts, part)
		}
		if text := strings.Join(parts, " | "); understood > 1 && !t.tables[text] {
			t.tables[text] = true
			fmt.Fprintf(t.out, "    a table: %s\n", text)
		}
	})
}

// tell ends a trial: its records, what is missing, and the row.
func (t *trial) tell(row string, err error) {
	for i, r := range t.records {
		fmt.Fprintf(t.out, "\nrecord %d\n", i+1)
		for _, f := range r {
			fmt.Fprintf(t.out, "  %-17s %s\n", f.Name, strings.ReplaceAll(r.Text(f.Name), "\n", " / "))
		}
	}
	if err != nil && !errors.Is(err, errEnough) {
		fmt.Fprintf(t.out, "\nit ended with: %s - %v\n", scraperutils.ClassOf(err), scraperutils.WithoutUser(err.Error()))
	}
	if len(t.records) > 0 {
		fmt.Fprintf(t.out, "\nThe row to add to %s, or to a file of your own:\n\n- %s\n", cmp.Or(t.family.New.File, "the registry"), row)
	} else {
		fmt.Fprintln(t.out)
	}
}

// Save takes a record, until there are enough.
func (t *trial) Save(ctx context.Context, r scraperutils.Record) error {
	if check := t.family.Check; check != nil {
		if err := check(r, t.now); err != nil {
			return t.Reject(ctx, t.family.Table.reference(r), err)
		}
	}
	t.records = append(t.records, r)
	if len(t.records) >= t.wanted {
		return errEnough
	}
	return nil
}

// Reject tells of a row that can't be a record.
func (t *trial) Reject(_ context.Context, reference string, why error) error {
	fmt.Fprintf(t.out, "    rejected %s: %s\n", reference, scraperutils.WithoutUser(why.Error()))
	return nil
}

// Skip tells of a row that is left out.
func (t *trial) Skip(_ context.Context, reference, why string) {
	fmt.Fprintf(t.out, "    skipped %s: %s\n", reference, why)
}
