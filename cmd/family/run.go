package family

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/cmd/internal/egress"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
	"github.com/multiscraper/multiscraper/scraperutils/run/trace"
	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
)

// runCommand is scrape run, the default. Its flags that are settings are read by their declarations.
type runCommand struct {
	family *Family

	Only         string   `help:"${select}" placeholder:"A,B"`
	Failed       bool     `help:"Scrape only those that failed in their last run."`
	DB           string   `name:"db" help:"Save records in this SQLite file (default: data.sqlite; try.sqlite with --fixtures)." type:"path" placeholder:"FILE"`
	Rows         []string `help:"Add or replace ${sites} by the rows of this file (YAML or JSON, keys as in the registry)." type:"path" placeholder:"FILE"`
	AsOf         string   `help:"Scrape as if it were this day, or time: ${as_of}." placeholder:"2019-05-15"`
	MaxWorkers   string   `help:"${max_workers}" placeholder:"N"`
	MaxLoad      string   `help:"${max_load}" placeholder:"N"`
	NoDelay      bool     `help:"Do not rest between requests to a host unless its robots.txt asks for it; only for your own test sites."`
	RunTimeout   string   `help:"${run_timeout}" placeholder:"6h"`
	KeepDays     string   `help:"${keep_days}" placeholder:"N"`
	Attempts     *int     `help:"Try ${a_site} that fails up to N times (default: 2; 1 with --replay)." placeholder:"N"`
	Evidence     string   `help:"Keep recordings of failures in this folder (default: evidence beside the database)." type:"path" placeholder:"DIR"`
	Replay       string   `help:"Replay recordings (DIR/PLATFORM/${SITE}.yml) instead of asking the network." type:"path" placeholder:"DIR" xor:"network"`
	Record       string   `help:"Record all exchanges in such a folder." type:"path" placeholder:"DIR"`
	Fixtures     bool     `help:"Scrape the built-in ${built_in}: the registry's hosts, on loopback." xor:"network"`
	Misbehave    []string `help:"Make built-in sites fail: LABEL=HOW, such as ${label}=hang, with commas between them. An unknown HOW lists the known ones." placeholder:"LABEL=HOW"`
	Metrics      string   `help:"Write the results of the run to this file in Prometheus' text format, for node_exporter's textfile collector." type:"path" placeholder:"FILE"`
	Notify       string   `help:"${notify}" placeholder:"CMD"`
	Webhook      string   `help:"${webhook}" placeholder:"URL"`
	NotifyAlways bool     `help:"Notify after every run, not only after changes."`
	Table        bool     `help:"End with the table of all ${sites}, even on a terminal."`
	LogFormat    string   `help:"Write the log as text or json (default: ${default})." default:"text" enum:"text,json" placeholder:"FORMAT"`
}

func (r *runCommand) Run(ctx context.Context, c cli.Console) (code int, err error) {
	now := time.Now()
	s, err := r.family.readSettings(c, now)
	if err != nil {
		return cli.ExitUsage, err
	}
	clock, err := r.family.clockOf(r.AsOf, now)
	if err != nil {
		return cli.ExitUsage, err
	}
	if err := r.check(); err != nil {
		return cli.ExitUsage, err
	}
	known, err := registry.Load(r.family.Registry, r.Rows...)
	if err != nil {
		return cli.ExitUsage, err
	}
	entries, err := known.Select(s.labels)
	if err != nil {
		return cli.ExitUsage, err
	}
	if s.expectBad, err = expand(known, r.family.variable("EXPECT_BAD"), s.expectBad); err != nil {
		return cli.ExitUsage, err
	}
	var sites Sites
	if r.Fixtures {
		if sites, err = r.family.startBuiltIn(clock, known, r.Misbehave); err != nil {
			return cli.ExitUsage, err
		}
		defer sites.Close()
	}
	ctx, database, err := r.family.openStore(ctx, r.database())
	if err != nil {
		return cli.ExitUsage, err
	}
	defer func() { err = errors.Join(err, database.Close()) }()
	if err := r.family.sameSource(ctx, database, r.database(), r.source(sites)); err != nil {
		return cli.ExitUsage, err
	}
	if r.Failed {
		if entries, err = r.failedLastTime(ctx, database, known, entries, r.family.newLog(c.Stdout, r.LogFormat, s.debug)); err != nil || len(entries) == 0 {
			return cli.ExitOK, err
		}
	}
	return r.scrape(ctx, c, s, clock, entries, database, sites)
}

// scrape runs what was selected into an open database.
func (r *runCommand) scrape(ctx context.Context, c cli.Console, s settings, clock site.Clock, entries []registry.Entry, database store, sites Sites) (int, error) {
	savers := func(table string, keys ...string) runlog.Saver { return database.Ledger(table, keys...) }
	history, err := runlog.NewLog(ctx, database, savers, clock.Now, clock.Today())
	if err != nil {
		return cli.ExitUsage, err
	}
	entries, absent, err := r.playable(entries, s.labels)
	if err != nil {
		return cli.ExitUsage, err
	}
	if clock.Now, err = history.Begin(ctx, clock.Now); err != nil {
		return cli.ExitUsage, err
	}
	progress := newProgress(c, entries, history)
	defer progress.Close()
	log := r.family.newLog(progress, r.LogFormat, s.debug)
	if progress.Terminal && r.LogFormat == "text" && s.debug == 0 { // the board shows the rest
		progress.problems, log = true, log.Level(zerolog.WarnLevel)
	}
	database.commits.tell(log)
	s.attempts = r.howOften()
	s.network.Pace.NoDelay, s.network.Pace.NoRetry = r.NoDelay || r.Replay != "", r.Replay != "" // which would play the same again
	out := r.family.network(egress.Config{
		Settings: s.network, Replay: r.Replay, Record: r.Record, Evidence: r.evidence(), At: clock.Now, Loopback: loopback(sites), ProxyWait: s.runTimeout, Log: log,
	})
	defer out.Close()
	out.ReachProxy(ctx, targetsOf(entries)...)
	began := time.Now()
	j := &job{
		family: r.family, began: began, settings: s, clock: clock, network: out,
		books:   books{database.DB, history, trace.New(began)},
		screen:  screen{log: log, format: r.LogFormat, progress: progress, short: r.LogFormat == "text" && !r.Table && cli.IsTerminal(c.Stdout)},
		hearers: hearers{database: r.database(), metrics: r.Metrics, always: r.NotifyAlways},
	}
	source := r.source(sites)
	j.warn(entries, source)
	if len(absent) > 0 {
		log.Warn().Msgf("not played, for %s has no recording of them: %s", r.Replay, strings.Join(absent, ", "))
	}
	this := runlog.Run{At: clock.Now, Day: clock.Today(), AsOf: !clock.AsOf.IsZero(), Source: source}
	for _, e := range entries {
		this.Authorities = append(this.Authorities, e.Label)
	}
	if err := history.Save(this); err != nil {
		return cli.ExitUnexpected, err
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	j.prepare(entries)
	j.telling = r.tell(j, this, end)
	problem := errors.Join(j.unlessStopped(ctx, j.run(ctx, entries)), j.unlessStopped(ctx, j.cleanUp(ctx)))
	code, err := j.finish(ctx, c, this, problem)
	j.telling.end(j, code, errorText(j.result.cause))
	return code, err
}
