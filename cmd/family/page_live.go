package family

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/rs/zerolog"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/cmd/internal/egress"
	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
	"github.com/multiscraper/multiscraper/scraperutils/web/cassette"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
)

// again answers from a recording, each request as often as it is asked for: a person goes back and forth.
type again struct{ *cassette.Cassette }

func (a again) RoundTrip(r *http.Request) (*http.Response, error) { return a.Player().RoundTrip(r) }

// fromSite asks a site, as an operation of the scheduler like any other: with its waits and its robots.txt.
func (p *pageCommand) fromSite(ctx context.Context, c cli.Console, s subject) (int, error) {
	now := time.Now()
	settings, err := p.family.readSettings(c, now)
	if err != nil {
		return cli.ExitUsage, err
	}
	clock, err := p.family.clockOf(p.AsOf, now)
	if err != nil {
		return cli.ExitUsage, err
	}
	var sites Sites
	if p.Fixtures {
		known, err := registry.Load(p.family.Registry, p.Rows...)
		if err != nil {
			return cli.ExitUsage, err
		}
		if sites, err = p.family.startBuiltIn(clock, known, p.Misbehave); err != nil {
			return cli.ExitUsage, err
		}
		defer sites.Close()
	}
	settings.tell(c.Stdout)
	out := p.family.network(egress.Config{Settings: settings.network, Loopback: loopback(sites), ProxyWait: settings.runTimeout, Log: zerolog.Nop()})
	defer out.Close()
	out.ReachProxy(ctx, s.site)
	session, err := out.OpenRecorded(s.site)
	if err != nil {
		return cli.ExitUnexpected, err
	}
	defer session.Close()
	limit := pageTime
	if p.Shell {
		limit = 24 * time.Hour
	}
	loop := scheduler.New(scheduler.Config{Pacer: pace.New(settings.network.Pace), RunTimeout: cmp.Or(settings.runTimeout, limit)})
	code := cli.ExitOK
	err = loop.Register(s.site.Label, func(ctx context.Context) error {
		p.ask(ctx, c, s, session, clock, settings.search())
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var err error
		code, err = p.show(ctx, c, s, session.Cassette(), session.Agent, session.Write)
		return err
	})
	if err != nil {
		return cli.ExitUnexpected, err
	}
	results, err := loop.Run(ctx)
	if err != nil {
		return cli.ExitUnexpected, err
	}
	return code, errors.Join(results.Err, results.Operations[0].Err)
}

// ask has the scraper read its first records, or fetches the one page, and says what became of that.
func (p *pageCommand) ask(ctx context.Context, c cli.Console, s subject, session *egress.Recorded, clock site.Clock, search site.Search) {
	if s.entry.Scraper == nil {
		if _, err := session.Agent.Get(ctx, s.site.URL); err != nil {
			fmt.Fprintf(c.Stdout, "%s - %s\n", scraperutils.ClassOf(err), scraperutils.WithoutUser(err.Error()))
		}
		return
	}
	glance := &glance{}
	err := s.entry.Scraper.Scrape(ctx, &site.Visit{Agent: session.Agent, Clock: clock, Search: search, Sink: glance})
	switch {
	case err == nil || errors.Is(err, errEnough):
		fmt.Fprintf(c.Stdout, "%s/%s: asked now, for %s\n", s.entry.Platform, s.entry.Label, scraperutils.Count(glance.records, "record"))
	default:
		fmt.Fprintf(c.Stdout, "%s/%s: asked now; it ended with: %s - %s\n", s.entry.Platform, s.entry.Label, scraperutils.ClassOf(err), scraperutils.WithoutUser(err.Error()))
	}
}

// glance takes some records and drops them.
type glance struct{ records int }

// mostGlanced is how many records are enough to see what the pages are like.
const mostGlanced = 5

func (g *glance) Save(context.Context, scraperutils.Record) error {
	if g.records++; g.records >= mostGlanced {
		return errEnough
	}
	return nil
}

func (g *glance) Reject(context.Context, string, error) error { return nil }
func (g *glance) Skip(context.Context, string, string)        {}
