package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/multiscraper/multiscraper/authorities"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/cassette"
)

// Limits of the flight recorder.
const (
	evidenceBytes = 20 << 20  // of bodies, an authority; on disk
	evidenceHeads = 512 << 10 // of headers and URLs, an authority; in memory
	evidenceKept  = 3         // recordings an authority
	spoolBytes    = 1 << 30   // of bodies, a run: the disk may be the database's too
)

// evidence is the folder where the recordings of failures are kept: EVIDENCE/RUN/PLATFORM/AUTHORITY.yml, so that EVIDENCE/RUN can
// be played by --replay.
type evidence struct {
	folder string
	run    string
}

// evidenceLayout is how runs are named in the folder.
const evidenceLayout = "2006-01-02T15-04-05"

func newEvidence(folder string, at time.Time) *evidence {
	return &evidence{folder: folder, run: at.Format(evidenceLayout)}
}

// keep writes the recording of an authority's failure, drops its oldest ones, and returns the folder to play it from.
func (v *evidence) keep(e authorities.Entry, recorder *cassette.Recorder) (string, error) {
	folder := filepath.Join(v.folder, v.run)
	if err := recorder.Write(tapePath(folder, e)); err != nil {
		return "", fmt.Errorf("keep the evidence: %w", err)
	}
	runs, err := os.ReadDir(v.folder) // in order
	if err != nil {
		return folder, fmt.Errorf("drop old evidence: %w", err)
	}
	var all []string
	for _, run := range runs {
		path := tapePath(filepath.Join(v.folder, run.Name()), e)
		if _, err := time.Parse(evidenceLayout, run.Name()); err != nil {
			continue // not ours
		}
		if _, err := os.Stat(path); err == nil {
			all = append(all, path)
		}
	}
	for _, path := range all[:max(len(all)-evidenceKept, 0)] {
		if err := dropTape(path); err != nil {
			return folder, err
		}
	}
	return folder, nil
}

// drop removes what an earlier attempt of this run has left of an authority.
func (v *evidence) drop(e authorities.Entry) error {
	return dropTape(tapePath(filepath.Join(v.folder, v.run), e))
}

// dropTape removes a recording, if it is there; folders go with their last file.
func dropTape(path string) error {
	err := os.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("drop old evidence: %w", err)
	}
	_ = os.Remove(filepath.Dir(path))
	_ = os.Remove(filepath.Dir(filepath.Dir(path)))
	return nil
}

// flight is what the recorders of a run share. Its methods may be called from any goroutine.
type flight struct {
	evidence *evidence // nil: failures are not kept
	spool    *cassette.Spool
	robots   robotsNotes
	log      zerolog.Logger
	warned   atomic.Bool
}

// newFlight returns what a run's recorders need; record is the folder of --record, or "".
func newFlight(v *evidence, record string, log zerolog.Logger) *flight {
	f := &flight{evidence: v, log: log}
	switch {
	case record != "": // was asked for whole
		f.spool = cassette.NewSpool(existing(record), 0)
	case v != nil:
		f.spool = cassette.NewSpool(existing(v.folder), spoolBytes)
	}
	return f
}

// existing is the folder itself where it is there, or else the first above it that is.
func existing(folder string) string {
	for {
		up := filepath.Dir(folder)
		if info, err := os.Stat(folder); up == folder || err == nil && info.IsDir() {
			return folder
		}
		folder = up
	}
}

func (f *flight) close() error {
	if f.spool == nil {
		return nil
	}
	if err := f.spool.Close(); err != nil {
		return fmt.Errorf("close the recordings: %w", err)
	}
	return nil
}

// tell logs a problem of the recorder, which is nobody's failure: once a run, for it is often the same one for all.
func (f *flight) tell(e authorities.Entry, problem error) {
	if problem == nil {
		return
	}
	line := f.log.Debug()
	if f.warned.CompareAndSwap(false, true) {
		line = f.log.Warn()
	}
	line.Str("authority", e.Label).Err(problem).Msg("there may be no recording of this failure")
}

// landed keeps the recording of an authority that failed, and returns the folder to play it from.
func (f *flight) landed(e authorities.Entry, recorder *cassette.Recorder, failure error) (folder string) {
	var problem error
	switch {
	case f.evidence == nil:
	case failure == nil:
		problem = f.evidence.drop(e)
	default:
		if scraperutils.ClassOf(failure) == scraperutils.ClassRobots {
			recorder.Add(f.robots.of(e.URL)...)
		}
		folder, problem = f.evidence.keep(e, recorder)
	}
	f.tell(e, problem)
	return folder
}
