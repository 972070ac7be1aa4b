package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/authorities"
	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/cmd/internal/egress"
	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/fixtures"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/runlog"
	"github.com/multiscraper/multiscraper/scraperutils/trace"
)

// runCommand is scrape run, the default. Its flags that are settings are read by their declarations.
type runCommand struct {
	Authority   string   `help:"${authority}" placeholder:"A,B"`
	Failed      bool     `help:"Only those that failed the last time that they ran."`
	DB          string   `name:"db" help:"The SQLite file to save into (${default})." default:"data.sqlite" type:"path" placeholder:"FILE"`
	Authorities []string `help:"A file of rows that add or replace authorities (YAML or JSON, keys as in the registry)." type:"path" placeholder:"FILE"`
	AsOf        string   `help:"Scrape as if it were this day: dates of searches, date_scraped." placeholder:"2019-05-15"`
	MaxWorkers  string   `help:"${max_workers}" placeholder:"N"`
	MaxLoad     string   `help:"${max_load}" placeholder:"N"`
	NoDelay     bool     `help:"No rest between requests to a host but what its robots.txt asks for: for test sites of one's own."`
	RunTimeout  string   `help:"${run_timeout}" placeholder:"6h"`
	Attempts    *int     `help:"How often an authority that fails is tried (2; 1 with --replay)." placeholder:"N"`
	Evidence    string   `help:"Keep recordings of failures there; the folder evidence beside the database without it." type:"path" placeholder:"DIR"`
	Replay      string   `help:"Play recordings (DIR/PLATFORM/AUTHORITY.yml) instead of asking the network." type:"path" placeholder:"DIR" xor:"network"`
	Record      string   `help:"Record what is exchanged into such a folder." type:"path" placeholder:"DIR"`
	Fixtures    bool     `help:"Scrape the built-in council sites: the registry's hosts, on loopback." xor:"network"`
	Misbehave   []string `help:"Have built-in sites fail: LABEL=HOW, such as kyogle=hang, with commas between them. An unknown way lists the known ones." placeholder:"LABEL=HOW"`
	LogFormat   string   `help:"text or json (${default})." default:"text" enum:"text,json" placeholder:"FORMAT"`
}

func (r *runCommand) Run(ctx context.Context, c cli.Console) (code int, err error) {
	now := time.Now()
	s, err := readSettings(c, now)
	if err != nil {
		return cli.ExitUsage, err
	}
	clock, err := r.clock(now)
	if err != nil {
		return cli.ExitUsage, err
	}
	if err := r.check(); err != nil {
		return cli.ExitUsage, err
	}
	registry, err := authorities.Load(r.Authorities...)
	if err != nil {
		return cli.ExitUsage, err
	}
	entries, err := registry.Select(s.authorities)
	if err != nil {
		return cli.ExitUsage, err
	}
	if s.expectBad, err = expand(registry, "MORPH_EXPECT_BAD", s.expectBad); err != nil {
		return cli.ExitUsage, err
	}
	var sites *fixtures.Server
	if r.Fixtures {
		if sites, err = startFixtures(clock, registry, r.Misbehave); err != nil {
			return cli.ExitUsage, err
		}
		defer sites.Close()
	}
	ctx, database, err := openStore(ctx, r.DB)
	if err != nil {
		return cli.ExitUsage, err
	}
	defer func() { err = errors.Join(err, database.Close()) }()
	return r.scrape(ctx, c, s, clock, entries, database, sites)
}

// store is the database of a run and what is told of its commits.
type store struct {
	*db.DB
	commits *commitLog
}

// openStore opens the database of a run, whose context ends once nothing can be saved any more.
func openStore(ctx context.Context, path string) (context.Context, store, error) {
	ctx, end := context.WithCancelCause(ctx)
	commits := &commitLog{broken: end}
	database, err := db.Open(ctx, path, db.Options{Tables: tables(), OnCommit: commits.observe})
	if err != nil {
		end(nil)
	}
	return ctx, store{database, commits}, err
}

// Close closes the database and ends the context.
func (s store) Close() error {
	defer s.commits.broken(nil)
	return s.DB.Close()
}

// scrape runs what was selected into an open database.
func (r *runCommand) scrape(ctx context.Context, c cli.Console, s settings, clock register.Clock, entries []authorities.Entry, database store, sites *fixtures.Server) (int, error) {
	savers := func(table string, keys ...string) runlog.Saver { return database.Ledger(table, keys...) }
	history, err := runlog.NewLog(ctx, database, savers, clock.Now, clock.Today())
	if err != nil {
		return cli.ExitUsage, err
	}
	if r.Failed {
		if entries, err = failedLastTime(ctx, database, entries); err != nil {
			return cli.ExitUsage, err
		}
		if len(entries) == 0 {
			log := newLog(c.Stdout, r.LogFormat, s.debug)
			log.Info().Msg("nothing failed last time")
			return cli.ExitOK, nil
		}
	}
	entries, absent, err := r.playable(entries, s.authorities)
	if err != nil {
		return cli.ExitUsage, err
	}
	if clock.Now, err = history.Begin(ctx, clock.Now); err != nil {
		return cli.ExitUsage, err
	}
	progress := newProgress(c.Stdout, entries, history)
	defer progress.close()
	log := newLog(progress, r.LogFormat, s.debug)
	database.commits.tell(log)
	s.attempts = r.howOften()
	s.network.Pace.NoDelay, s.network.Pace.NoRetry = r.NoDelay || r.Replay != "", r.Replay != "" // which would play the same again
	out := egress.New(egress.Config{
		Settings: s.network, Replay: r.Replay, Record: r.Record, Evidence: r.evidence(), At: clock.Now, Loopback: loopback(sites), ProxyWait: s.runTimeout, Log: log,
	})
	defer out.Close()
	out.ReachProxy(ctx, targetsOf(entries)...)
	began := time.Now()
	j := &job{
		began: began, settings: s, clock: clock, network: out,
		books:  books{database.DB, history, trace.New(began)},
		screen: screen{log, r.LogFormat, progress},
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
	problem := errors.Join(j.unlessStopped(ctx, j.run(ctx, entries)), j.unlessStopped(ctx, j.cleanUp(ctx)))
	return j.finish(c, this, problem)
}

// playable leaves out, of what is to be replayed, those that have no recording, and returns their labels too: all that a folder
// holds can be played so. One that was named by its label stays, and fails.
func (r *runCommand) playable(entries []authorities.Entry, named []string) (left []authorities.Entry, absent []string, err error) {
	if r.Replay == "" {
		return entries, nil, nil
	}
	for _, e := range entries {
		if egress.Exists(egress.TapePath(r.Replay, targetOf(e))) || slices.Contains(named, e.Label) || slices.Contains(named, e.Platform+"/"+e.Label) {
			left = append(left, e)
		} else {
			absent = append(absent, e.Label)
		}
	}
	if len(left) == 0 {
		return nil, nil, &scraperutils.ConfigError{Name: "--replay", Value: r.Replay, Accepted: "a folder with recordings of what is selected: PLATFORM/AUTHORITY.yml"}
	}
	return left, absent, nil
}

// check refuses flags that make no sense.
func (r *runCommand) check() error {
	if r.Attempts != nil {
		if err := atLeastOne("--attempts", *r.Attempts); err != nil {
			return err
		}
	}
	if len(r.Misbehave) > 0 && !r.Fixtures {
		return &scraperutils.ConfigError{Name: "--misbehave", Value: strings.Join(r.Misbehave, ","), Accepted: "--fixtures beside it"}
	}
	return nil
}

// expand returns the labels that a list of labels and platform/* stands for. Its error names the list.
func expand(registry *authorities.Registry, name string, list []string) (labels []string, err error) {
	if len(list) == 0 { // which would be all of them
		return nil, nil
	}
	entries, err := registry.Select(list)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for _, e := range entries {
		labels = append(labels, e.Label)
	}
	return labels, nil
}

func (r *runCommand) howOften() int {
	switch {
	case r.Attempts != nil:
		return *r.Attempts
	case r.Replay != "":
		return 1 // it would play the same again
	default:
		return 2
	}
}

// evidence returns the folder of the flight recorder; what is replayed needs none.
func (r *runCommand) evidence() string {
	switch {
	case r.Replay != "":
		return ""
	case r.Evidence != "":
		return r.Evidence
	default:
		return filepath.Join(filepath.Dir(r.DB), "evidence")
	}
}

// source is what is asked, as the log of runs has it.
func (r *runCommand) source(sites *fixtures.Server) runlog.Source {
	switch {
	case r.Replay != "":
		return runlog.FromReplay
	case sites != nil:
		return runlog.FromFixtures
	}
	return runlog.FromNetwork
}

func (r *runCommand) clock(now time.Time) (register.Clock, error) {
	clock := register.Clock{Now: now}
	if r.AsOf == "" {
		return clock, nil
	}
	day, err := time.Parse(time.DateOnly, r.AsOf)
	if err != nil {
		return clock, &scraperutils.ConfigError{Name: "--as-of", Value: r.AsOf, Accepted: "a day like 2019-05-15"}
	}
	clock.AsOf = day
	return clock, nil
}

// failedLastTime keeps those whose latest outcome is a failure, or whose run was over before they were.
func failedLastTime(ctx context.Context, q runlog.Querier, entries []authorities.Entry) ([]authorities.Entry, error) {
	failed, err := runlog.Failing(ctx, q)
	if err != nil {
		return nil, err
	}
	var left []authorities.Entry
	for _, e := range entries {
		if failed[e.Label] {
			left = append(left, e)
		}
	}
	return left, nil
}
