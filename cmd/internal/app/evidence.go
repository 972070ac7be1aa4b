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
	"github.com/multiscraper/multiscraper/scraperutils/runlog"
)

// Limits of the flight recorder.
const (
	evidenceBytes = 20 << 20  // of bodies, an authority; on disk
	evidenceHeads = 512 << 10 // of headers and URLs, an authority; in memory
	evidenceKept  = 3         // recordings an authority
	spoolBytes    = 1 << 30   // of bodies, a run: the disk may be the database's too
)

// Folders beside those of runs.
const (
	goodFolder     = "good"     // of each authority, what gave its records last: to compare a failure with
	unjudgedFolder = "unjudged" // what went well in the run that is going on, until it has its verdict
)

// evidence is the folder where recordings are kept: those of failures as EVIDENCE/RUN/PLATFORM/AUTHORITY.yml, so that EVIDENCE/RUN
// can be played by --replay, and the last good one of each authority as EVIDENCE/good/PLATFORM/AUTHORITY.yml.
//
// While a run goes on, a failure is written by its own goroutine, and so is what went well, as nobody knows yet whether that is
// silence. When all verdicts are final, settle puts each recording in its place by renaming it.
type evidence struct {
	folder string
	run    string
}

// evidenceLayout is how runs are named in the folder.
const evidenceLayout = "2006-01-02T15-04-05"

func newEvidence(folder string, at time.Time) *evidence {
	return &evidence{folder: folder, run: at.Format(evidenceLayout)}
}

// path is where an authority's recording stands in one of the folders.
func (v *evidence) path(folder string, e authorities.Entry) string {
	return tapePath(filepath.Join(v.folder, folder), e)
}

// write writes an authority's recording into one of the folders.
func (v *evidence) write(folder string, e authorities.Entry, recorder *cassette.Recorder) error {
	if err := recorder.Write(v.path(folder, e)); err != nil {
		return fmt.Errorf("keep the evidence: %w", err)
	}
	return nil
}

// settle puts an authority's recording in its place, by its final verdict.
func (v *evidence) settle(e authorities.Entry, verdict runlog.Verdict, keepGood bool) error {
	unjudged, failure := v.path(unjudgedFolder, e), v.path(v.run, e)
	switch {
	case verdict.Bad():
		return errors.Join(moveTape(unjudged, failure), v.trim(e)) // where it failed there is none to move
	case verdict == runlog.OK && keepGood:
		return errors.Join(dropTape(failure), moveTape(unjudged, v.path(goodFolder, e)))
	default:
		return errors.Join(dropTape(failure), dropTape(unjudged))
	}
}

// trim drops the oldest recordings of an authority's failures.
func (v *evidence) trim(e authorities.Entry) error {
	runs, err := os.ReadDir(v.folder) // in order
	if err != nil {
		return fmt.Errorf("drop old evidence: %w", err)
	}
	var all []string
	for _, run := range runs {
		if _, err := time.Parse(evidenceLayout, run.Name()); err != nil {
			continue // not ours
		}
		if path := v.path(run.Name(), e); exists(path) {
			all = append(all, path)
		}
	}
	for _, path := range all[:max(len(all)-evidenceKept, 0)] {
		if err := dropTape(path); err != nil {
			return err
		}
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// moveTape puts a recording in the place of another, if it is there.
func moveTape(from, to string) error {
	if !exists(from) {
		return nil
	}
	err := os.MkdirAll(filepath.Dir(to), 0o755)
	if err == nil {
		err = os.Rename(from, to)
	}
	if err != nil {
		return fmt.Errorf("keep the evidence: %w", err)
	}
	dropFolders(from)
	return nil
}

// dropTape removes a recording, if it is there.
func dropTape(path string) error {
	err := os.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("drop old evidence: %w", err)
	}
	dropFolders(path)
	return nil
}

// dropFolders removes the folders of a recording that was the last in them.
func dropFolders(path string) {
	_ = os.Remove(filepath.Dir(path))
	_ = os.Remove(filepath.Dir(filepath.Dir(path)))
}

// flight is what the recorders of a run share. Its methods may be called from any goroutine.
type flight struct {
	evidence *evidence // nil: failures are not kept
	record   string    // folder into which all is recorded too, or ""
	good     bool      // good recordings are kept: real sites are asked
	spool    *cassette.Spool
	robots   robotsNotes
	log      zerolog.Logger
	warned   atomic.Bool
}

// newFlight returns what a run's recorders need.
func newFlight(v *evidence, n *network, log zerolog.Logger) *flight {
	f := &flight{evidence: v, record: n.record, good: n.live(), log: log}
	switch {
	case n.record != "": // was asked for whole
		f.spool = cassette.NewSpool(existing(n.record), 0)
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
	line.Str("authority", e.Label).Err(problem).Msg("there may be no recording of it")
}

// landed writes the recording of an authority whose scraper has returned, and returns the folder to play it from if its verdict
// is bad.
func (f *flight) landed(e authorities.Entry, recorder *cassette.Recorder, failure error) (folder string) {
	v := f.evidence
	switch {
	case v == nil:
		return ""
	case failure == nil && f.record != "": // it is there, without limits
		return f.record
	}
	if scraperutils.ClassOf(failure) == scraperutils.ClassRobots {
		recorder.Add(f.robots.of(e.URL)...)
	}
	var problem error
	if failure == nil {
		problem = v.write(unjudgedFolder, e, recorder)
	} else if problem = v.write(v.run, e, recorder); problem == nil {
		problem = v.trim(e) // a run that is killed settles nothing
	}
	f.tell(e, problem)
	if problem != nil && !exists(v.path(v.run, e)) {
		return ""
	}
	return filepath.Join(v.folder, v.run)
}

// settle puts an authority's recording in its place, by its final verdict.
func (f *flight) settle(e authorities.Entry, verdict runlog.Verdict) {
	if f.evidence != nil {
		f.tell(e, f.evidence.settle(e, verdict, f.good))
	}
}
