package app

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

	"github.com/multiscraper/multiscraper/authorities"
	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/cmd/internal/egress"
	"github.com/multiscraper/multiscraper/fixtures"
	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/agent"
	"github.com/multiscraper/multiscraper/scraperutils/pace"
	"github.com/multiscraper/multiscraper/scraperutils/validate"
)

// newCommand is scrape new.
type newCommand struct {
	Label    string            `arg:"" help:"The label of the new authority, such as north_haverbrook."`
	Platform string            `help:"Who made its register: one of the platforms of scrape list. Without it, the address and what stands there are looked at." placeholder:"P"`
	URL      string            `name:"url" required:"" help:"The address of its register, as a browser shows it or without what the platform adds." placeholder:"URL"`
	State    string            `help:"Added to addresses that lack it, where the platform does so." placeholder:"NSW"`
	Option   map[string]string `help:"An option of the platform, such as period=L28. Without it, likely ones are tried." placeholder:"KEY=VALUE"`
	Records  int               `help:"How many records to read (${default})." default:"5" placeholder:"N"`
	Replay   string            `help:"Play a recording (DIR/PLATFORM/LABEL.yml) instead of asking the network." type:"path" placeholder:"DIR" xor:"network"`
	AsOf     string            `help:"Search as if it were this day." placeholder:"2019-05-15"`
	Fixtures bool              `help:"Ask the built-in council sites." xor:"network"`
}

func (n *newCommand) Run(ctx context.Context, c cli.Console) (int, error) {
	now := time.Now()
	s, err := readSettings(c, now)
	if err != nil {
		return cli.ExitUsage, err
	}
	clock, err := (&runCommand{AsOf: n.AsOf}).clock(now)
	if err != nil {
		return cli.ExitUsage, err
	}
	if err := n.check(); err != nil {
		return cli.ExitUsage, err
	}
	var sites *fixtures.Server
	if n.Fixtures {
		registry, err := authorities.Load()
		if err != nil {
			return cli.ExitUnexpected, err
		}
		if sites, err = startFixtures(clock, registry, nil); err != nil {
			return cli.ExitUnexpected, err
		}
		defer sites.Close()
	}
	s.tell(c.Stdout)
	s.network.Pace.NoDelay, s.network.Pace.NoRetry = n.Replay != "", n.Replay != ""
	out := egress.New(egress.Config{Settings: s.network, Replay: n.Replay, Loopback: loopback(sites), ProxyWait: s.runTimeout, Log: zerolog.Nop()})
	defer out.Close()
	return n.try(ctx, c, s, clock, out)
}

// newTimeout is how long the search for a row may take, unless the settings say so.
const newTimeout = 30 * time.Minute

// try tries one guess after the other. To the sites they are one visitor, who rests between them too.
func (n *newCommand) try(ctx context.Context, c cli.Console, s settings, clock register.Clock, out *egress.Network) (int, error) {
	loop := scheduler.New(scheduler.Config{Pacer: pace.New(s.network.Pace), RunTimeout: cmp.Or(s.runTimeout, newTimeout)})
	if known, err := n.settle(ctx, c, out, loop); err != nil || !known {
		return cli.ExitUnexpected, err
	}
	var given []authorities.Pair
	for key, value := range n.Option {
		given = append(given, authorities.Pair{Key: key, Value: value})
	}
	var last *agent.Page
	for _, options := range authorities.Guesses(n.Platform, given) {
		trial := &trial{out: c.Stdout, clock: clock, now: time.Now(), wanted: n.Records, search: s.search()}
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
	fmt.Fprintln(c.Stdout, "\nNo record was found. Another address, platform or option may do better: docs/adding-a-council.md says how to find them.")
	return cli.ExitUnexpected, nil
}

// row writes the row of the registry.
func (n *newCommand) row(options []authorities.Pair) string {
	pairs := []authorities.Pair{
		{Key: "authority", Value: authorities.Quoted(n.Label)},
		{Key: "platform", Value: authorities.Quoted(n.Platform)},
		{Key: "url", Value: authorities.Quoted(n.URL)},
	}
	pairs = append(pairs, options...)
	if n.State != "" {
		pairs = append(pairs, authorities.Pair{Key: "state", Value: authorities.Quoted(n.State)})
	}
	return authorities.Row(pairs...)
}

// trial is one try of a row: it reads a few records and tells what it understood.
type trial struct {
	out    io.Writer
	clock  register.Clock
	now    time.Time
	wanted int
	search register.Search

	vocabulary register.Vocabulary
	records    []scraperutils.Record
	tables     map[string]bool // headings that were told already
	last       *agent.Page     // that was fetched
}

// errEnough ends a trial.
var errEnough = errors.New("enough records")

// run tries a row and reports whether it gave records. The error is one of the row itself, or why there was no time to try it.
func (t *trial) run(ctx context.Context, row string, n *egress.Network, loop *scheduler.Scheduler) (found bool, err error) {
	e, err := authorities.ParseRow(row)
	if err != nil {
		return false, err
	}
	if v, ok := e.Scraper.(interface{ Vocabulary() register.Vocabulary }); ok {
		t.vocabulary = v.Vocabulary()
	}
	t.tables = map[string]bool{}
	fmt.Fprintf(t.out, "Trying %s\n", row)
	n.ReachProxy(ctx, targetOf(e))
	session, err := n.Open(targetOf(e), t.page)
	if err != nil {
		return false, err
	}
	err = loop.Register(e.Label, func(ctx context.Context) error {
		defer session.Agent.Close()
		return e.Scraper.Scrape(ctx, &register.Visit{Agent: session.Agent, Clock: t.clock, Search: t.search, Sink: t})
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
	document, err := p.Document()
	if err != nil {
		return
	}
	document.Find("table").Each(func(_ int, s *goquery.Selection) {
		var parts []string
		known := 0
		for _, heading := range register.ReadTable(s).Header {
			part := heading
			if m := t.vocabulary.Meaning(heading); m != "" && heading != "" {
				part += " = " + string(m)
				known++
			}
			parts = append(parts, part)
		}
		if text := strings.Join(parts, " | "); known > 1 && !t.tables[text] {
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
		fmt.Fprintf(t.out, "\nThe row to add to authorities/authorities.yml, or to a file of your own:\n\n- %s\n", row)
	} else {
		fmt.Fprintln(t.out)
	}
}

// Save takes a record, until there are enough.
func (t *trial) Save(ctx context.Context, r scraperutils.Record) error {
	if err := validate.Record(r, t.now); err != nil {
		return t.Reject(ctx, r.Text("council_reference"), err)
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
