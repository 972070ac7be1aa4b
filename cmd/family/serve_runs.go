package family

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/feed"
	"github.com/multiscraper/multiscraper/scraperutils/run/live"
	"github.com/multiscraper/multiscraper/scraperutils/run/report"
	"github.com/multiscraper/multiscraper/scraperutils/run/timetable"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
)

// runs is what a server does beside showing the report: it follows runs, and begins and stops them, by hand and by a timetable.
type runs struct {
	*runner
	page    live.Config
	actions *actions
	table   timetable.Timetable
	jitter  time.Duration
	next    atomic.Pointer[time.Time] // that is due; nil: none

	end     context.CancelFunc // of following, and of keeping the timetable
	keeping sync.WaitGroup
}

// offersRuns reports whether runs may be begun by hand.
func (s *serveCommand) offersRuns() bool {
	return !s.ReadOnly && (s.Buttons || cli.OnLoopback(s.Listen))
}

// timetable reads when runs are due.
func (s *serveCommand) timetable() (timetable.Timetable, error) {
	if s.Schedule == "" {
		if s.Zone != "" || s.Jitter != 0 {
			return timetable.Timetable{}, &scraperutils.ConfigError{Name: "--zone, --jitter", Value: strings.TrimSpace(s.Zone), Accepted: "--schedule beside them"}
		}
		return timetable.Timetable{}, nil
	}
	zone := s.family.Zone
	if s.Zone != "" {
		var err error
		if zone, err = time.LoadLocation(s.Zone); err != nil {
			return timetable.Timetable{}, &scraperutils.ConfigError{Name: "--zone", Value: s.Zone, Accepted: "a time zone such as Europe/Paris or UTC"}
		}
	}
	if s.Jitter < 0 || s.Jitter > 24*time.Hour {
		return timetable.Timetable{}, &scraperutils.ConfigError{Name: "--jitter", Value: s.Jitter.String(), Accepted: "a duration of at most 24h, such as 10m"}
	}
	table, err := timetable.Parse(s.Schedule, zone)
	var config *scraperutils.ConfigError
	if errors.As(err, &config) {
		err = &scraperutils.ConfigError{Name: "--schedule", Value: s.Schedule, Accepted: config.Accepted}
	}
	return table, err
}

// newRuns makes what follows and begins runs. Its owner must call keep, and Close.
func (s *serveCommand) newRuns(c cli.Console, known *registry.Registry, table timetable.Timetable) (*runs, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program that runs: %w", err)
	}
	socket, err := db.Beside(s.database(), feed.Suffix)
	if err != nil {
		return nil, err
	}
	sites, hub := known.All(), feed.NewHub()
	r := &runs{table: table, jitter: s.Jitter, actions: openActions(s.database()), runner: &runner{
		program: program, args: s.runArgs(), database: s.database(), site: s.family.Registry.Site, hub: hub, follower: feed.NewFollower(socket, hub),
		sites: func(label string) error {
			if !slices.ContainsFunc(sites, func(e registry.Entry) bool { return e.Label == label }) {
				return fmt.Errorf("unknown %s", s.family.Registry.Site)
			}
			return nil
		},
	}}
	r.page = live.Config{
		Name: s.family.Name, Site: s.family.Registry.Site, Hub: r.hub, Runner: r.runner,
		Next: func() time.Time {
			if at := r.next.Load(); at != nil {
				return *at
			}
			return time.Time{}
		},
		Last:    func(ctx context.Context) (report.Run, error) { return readLast(ctx, r.database) },
		History: func(label string) string { return "/" + report.AuthorityFolder + "/" + report.PageName(label) },
		Problem: r.Problem, Actions: r.actions.shown,
		Acted: func(a live.Action) {
			if err := r.actions.add(a); err != nil {
				c.Complain("WARNING: an action was not written down: " + err.Error())
			}
		},
	}
	if !s.offersRuns() {
		r.page.Runner = nil
	}
	return r, nil
}

// runArgs is the arguments of each run.
func (s *serveCommand) runArgs() []string {
	args := []string{"run", "--db=" + s.database()}
	for _, file := range s.Rows {
		args = append(args, "--"+s.family.Registry.Sites+"="+file)
	}
	if s.Fixtures {
		args = append(args, "--fixtures")
	}
	if s.NoDelay {
		args = append(args, "--no-delay")
	}
	for _, how := range s.Misbehave {
		args = append(args, "--misbehave="+how)
	}
	return args
}

// keep follows runs, and begins them by the timetable, until Close. A run that was missed since the last one is made up once.
func (r *runs) keep(ctx context.Context) {
	ctx, r.end = context.WithCancel(ctx)
	k := timetable.Keeper{Table: r.table, Jitter: r.jitter, Last: lastRun(ctx, r.database), Next: func(at time.Time) { r.next.Store(&at) }}
	r.keeping.Go(func() { r.follower.Follow(ctx) })
	r.keeping.Go(func() { r.runner.keep(ctx, k, r.page.Acted) })
}

// Close ends the timetable, and the run that was begun here, and waits for both.
func (r *runs) Close() {
	r.end()
	r.runner.Close()
	r.keeping.Wait()
}

// readLast reads what a database says of its last run.
func readLast(ctx context.Context, database string) (report.Run, error) {
	reader, err := db.OpenReader(ctx, database)
	if err != nil {
		return report.Run{}, err
	}
	defer reader.Close()
	return report.ReadLast(ctx, reader, db.Holder(database))
}

// lastRun is when the last run of a database began, or zero where none is known.
func lastRun(ctx context.Context, database string) time.Time {
	last, _ := readLast(ctx, database) // of one that can't be read nothing is known
	return last.At
}
