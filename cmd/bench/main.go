// Command bench walks any number of list sites on loopback through the scheduler, the agent and the database, as a platform
// does, and prints what it took. The sites are those of http://127.0.X.Y:18080/list?page=1, X = 1 + i/250, Y = 1 + i%250: pages
// with a table.grid of rows and a link a.next to the next page.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime/pprof"
	"sync/atomic"
	"time"

	"github.com/alecthomas/kong"
	"github.com/andybalholm/cascadia"

	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/agent"
	"github.com/multiscraper/multiscraper/scraperutils/pace"
	"github.com/multiscraper/multiscraper/scraperutils/robots"
)

type options struct {
	Sites      int           `help:"How many sites." default:"200"`
	NoDelay    bool          `help:"No rest between requests to a site."`
	MaxLoad    float64       `help:"How much of a site's time we take, in percent." default:"50"`
	DB         string        `name:"db" help:"Save every row there; without it rows are only counted." type:"path" placeholder:"FILE"`
	MaxRunning int           `help:"How many scrapers run at once." default:"1"`
	Idle       time.Duration `help:"Walk nothing: have as many operations wait that long, 2m at most, and print what that costs." placeholder:"60s"`
	CPUProfile string        `name:"cpuprofile" help:"Write a CPU profile there." type:"path" placeholder:"FILE"`
}

func main() {
	var o options
	kong.Parse(&o, kong.Name("bench"), kong.Description("Walks list sites on loopback and prints what it took."))
	measure := run
	if o.Idle > 0 {
		measure = idle
	}
	if err := measure(o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(o options) (err error) {
	if o.CPUProfile != "" {
		f, err := os.Create(o.CPUProfile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	saver := func(string) (save func(scraperutils.Record) error, options []scheduler.Option) {
		return func(scraperutils.Record) error { return nil }, nil
	}
	if o.DB != "" {
		file, openErr := db.Open(o.DB, db.Options{})
		if openErr != nil {
			return openErr
		}
		defer func() {
			if closeErr := file.Close(); err == nil {
				err = closeErr
			}
		}()
		saver = func(label string) (func(scraperutils.Record) error, []scheduler.Option) {
			ledger := file.Ledger("data", "authority_label", "council_reference")
			return func(r scraperutils.Record) error { return ledger.Save(r.With("authority_label", label)) },
				[]scheduler.Option{scheduler.SavesTo(ledger)}
		}
	}
	s := scheduler.New(scheduler.Config{
		Pacer:      pace.New(pace.Config{NoDelay: o.NoDelay, MaxLoad: o.MaxLoad}),
		MaxRunning: o.MaxRunning,
	})
	transport, rules := agent.NewTransport(agent.TransportConfig{}), robots.NewCache(agent.Product, nil)
	var rows atomic.Int64
	for i := range o.Sites {
		host := fmt.Sprintf("127.0.%d.%d:18080", 1+i/250, 1+i%250)
		save, options := saver(host)
		scrape := func(ctx context.Context) error {
			a := agent.New(agent.Config{Transport: transport, Robots: rules})
			return walk(ctx, a, "http://"+host+"/list?page=1", func(r scraperutils.Record) error { rows.Add(1); return save(r) })
		}
		if err := s.Register(host, scrape, options...); err != nil {
			return err
		}
	}
	began := time.Now()
	results, err := s.Run(context.Background())
	if err != nil {
		return err
	}
	fmt.Printf("multiscraper: sites=%d requests=%d rows=%d failed=%d seconds=%.3f\n",
		o.Sites, results.Totals.Calls, rows.Load(), len(results.Errors()), time.Since(began).Seconds())
	for _, err := range results.Errors() {
		return err
	}
	return nil
}

var (
	grid     = cascadia.MustCompile("table.grid")
	nextLink = cascadia.MustCompile("a.next")
)

var vocabulary = register.NewVocabulary(map[register.Meaning][]string{
	register.Reference:   {"Number"},
	register.Address:     {"Address"},
	register.Description: {"Description"},
	register.Received:    {"Lodged"},
})

// walk reads the pages of a list, every row to a record.
func walk(ctx context.Context, a *agent.Agent, url string, save func(scraperutils.Record) error) error {
	page, err := a.Get(ctx, url)
	if err != nil {
		return fmt.Errorf("fetch the list: %w", err)
	}
	for {
		document, err := page.Document()
		if err != nil {
			return err
		}
		table := register.ReadTable(document.FindMatcher(grid))
		columns := vocabulary.Columns(table.Header)
		if lacks := columns.Lacks(register.Reference, register.Address, register.Description, register.Received); lacks != "" {
			return page.Missing("column "+string(lacks), columns.Names()...)
		}
		for _, row := range table.Rows {
			received, err := register.ParseDate(columns.Text(row, register.Received))
			if err != nil {
				return err
			}
			err = save(scraperutils.Record{
				{Name: "council_reference", Value: columns.Text(row, register.Reference)},
				{Name: "address", Value: columns.Text(row, register.Address)},
				{Name: "description", Value: columns.Text(row, register.Description)},
				{Name: "date_received", Value: received},
			})
			if err != nil {
				return err
			}
		}
		next, ok := document.FindMatcher(nextLink).Attr("href")
		if !ok {
			return nil
		}
		if page, err = page.Get(ctx, next); err != nil {
			return fmt.Errorf("fetch the next page: %w", err)
		}
	}
}
