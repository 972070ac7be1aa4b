package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/andybalholm/cascadia"

	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/trace"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
	"github.com/multiscraper/multiscraper/scraperutils/web/robots"
)

// walkAll walks all sites and prints what it took.
func walkAll(o options) (err error) {
	sites := sites{transport: fetch.NewTransport(fetch.TransportConfig{}), rules: robots.NewCache(robots.Config{})}
	if o.DB != "" {
		if sites.file, err = db.Open(context.Background(), o.DB, db.Options{}); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, sites.file.Close()) }()
	}
	config := scheduler.Config{
		Pacer:      pace.New(pace.Config{NoDelay: o.NoDelay, MaxLoad: o.MaxLoad}),
		MaxRunning: o.MaxRunning,
	}
	began := time.Now()
	timeline := trace.New(began)
	if !o.NoDelay {
		config.OnEvent = []func(scraperutils.Event){timeline.Observe}
	}
	s := scheduler.New(config)
	for i := range o.Sites {
		if err := sites.register(s, fmt.Sprintf("127.0.%d.%d:18080", 1+i/250, 1+i%250)); err != nil {
			return err
		}
	}
	results, err := s.Run(context.Background())
	if err != nil {
		return err
	}
	fmt.Printf("multiscraper: sites=%d requests=%d rows=%d failed=%d seconds=%.3f%s\n",
		o.Sites, results.Totals.Calls, sites.rows.Load(), len(results.Errors()), time.Since(began).Seconds(), slowest(timeline, results))
	for _, err := range results.Errors() {
		return err
	}
	return nil
}

// slowest tells how long the slowest site's answers and rests took: no run could be shorter.
func slowest(timeline *trace.Timeline, results *scheduler.Results) string {
	var most time.Duration
	for _, r := range results.Operations {
		if l := timeline.Line(r.Label); l != nil {
			most = max(most, l.Totals[string(trace.Server)]+l.Totals[string(trace.Polite)])
		}
	}
	if most == 0 {
		return ""
	}
	return fmt.Sprintf(" slowest_site_with_rests_seconds=%.3f", most.Seconds())
}

// sites is what all sites share.
type sites struct {
	transport *http.Transport
	rules     *robots.Cache
	file      *db.DB // nil: rows are only counted
	rows      atomic.Int64
}

func (s *sites) register(to *scheduler.Scheduler, host string) error {
	save := func(scraperutils.Record) error { return nil }
	var options []scheduler.Option
	if s.file != nil {
		ledger := s.file.Ledger("data", "authority_label", "council_reference")
		save = func(r scraperutils.Record) error { return ledger.Save(r.With("authority_label", host)) }
		options = append(options, scheduler.SavesTo(ledger))
	}
	return to.Register(host, func(ctx context.Context) error {
		a := agent.New(agent.Config{Fetch: fetch.Config{Transport: s.transport, Robots: s.rules}})
		return walk(ctx, a, "http://"+host+"/list?page=1", func(r scraperutils.Record) error { s.rows.Add(1); return save(r) })
	}, options...)
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

// walk reads the pages of a list.
func walk(ctx context.Context, a *agent.Agent, url string, save func(scraperutils.Record) error) error {
	page, err := a.Get(ctx, url)
	if err != nil {
		return fmt.Errorf("fetch the list: %w", err)
	}
	for {
		next, err := read(page, save)
		if err != nil || next == "" {
			return err
		}
		if page, err = page.Get(ctx, next); err != nil {
			return fmt.Errorf("fetch the next page: %w", err)
		}
	}
}

// read makes a record of every row of a page and returns the address of the next, or "".
func read(page *agent.Page, save func(scraperutils.Record) error) (next string, err error) {
	document, err := page.Document()
	if err != nil {
		return "", err
	}
	table := register.ReadTable(document.FindMatcher(grid))
	columns := vocabulary.Columns(table.Header)
	if lacks := columns.Lacks(register.Reference, register.Address, register.Description, register.Received); lacks != "" {
		return "", page.Missing("column "+string(lacks), columns.Names()...)
	}
	for _, row := range table.Rows {
		received, err := register.ParseDate(columns.Text(row, register.Received))
		if err != nil {
			return "", err
		}
		err = save(scraperutils.Record{
			{Name: "council_reference", Value: columns.Text(row, register.Reference)},
			{Name: "address", Value: columns.Text(row, register.Address)},
			{Name: "description", Value: columns.Text(row, register.Description)},
			{Name: "date_received", Value: received},
		})
		if err != nil {
			return "", err
		}
	}
	return document.FindMatcher(nextLink).AttrOr("href", ""), nil
}
