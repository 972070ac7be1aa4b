package family

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
	"github.com/multiscraper/multiscraper/scraperutils/site"
)

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
		return filepath.Join(filepath.Dir(r.database()), "evidence")
	}
}

// source is what is asked, as the log of runs has it.
func (r *runCommand) source(sites Sites) runlog.Source {
	switch {
	case r.Replay != "":
		return runlog.FromReplay
	case sites != nil:
		return runlog.FromFixtures
	}
	return runlog.FromNetwork
}

// clockOf reads --as-of.
func (f *Family) clockOf(asOf string, now time.Time) (site.Clock, error) {
	clock := site.Clock{Now: now, Zone: f.Zone}
	if asOf == "" {
		return clock, nil
	}
	var err error
	if clock.AsOf, err = time.Parse(time.DateOnly, asOf); err == nil {
		return clock, nil
	}
	if clock.AsOf, err = time.Parse(time.RFC3339, asOf); err == nil {
		clock.At = true
		return clock, nil
	}
	return clock, &scraperutils.ConfigError{Name: "--as-of", Value: asOf, Accepted: "a day like 2019-05-15, or a time like 2019-05-15T13:30:00Z"}
}

// The files that commands use if no other is named: that of real records, and that of built-in sites.
const (
	defaultDatabase = "data.sqlite"
	triedDatabase   = "try.sqlite"
)

// database is the file that is written.
func (r *runCommand) database() string {
	name := r.DB
	if name == "" {
		name = defaultDatabase
		if r.Fixtures {
			name = triedDatabase
		}
	}
	if path, err := filepath.Abs(name); err == nil { // as kong expands the names that it reads
		return path
	}
	return name
}
