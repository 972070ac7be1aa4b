package egress

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/web/cassette"
)

// evidenceKept is how many recordings of failures a site has.
const evidenceKept = 3

// Folders beside those of runs.
const (
	GoodFolder     = "good"          // of each site, what gave its records last: to compare a failure with
	builtInFolder  = "good-fixtures" // the same of built-in sites
	unjudgedFolder = "unjudged"      // what went well in the run that is going on, until it has its verdict
)

// evidence is the folder where recordings are kept: those of failures as EVIDENCE/RUN/PLATFORM/SITE.yml, so that EVIDENCE/RUN
// can be played by --replay, and the last good one of each site as EVIDENCE/good/PLATFORM/SITE.yml.
//
// While a run goes on, a failure is written by its own goroutine, and so is what went well, as nobody knows yet whether that is
// silence. When all verdicts are final, settle puts each recording in its place by renaming it.
type evidence struct {
	folder string
	run    string
	good   string // the folder of good recordings
}

// evidenceLayout is how runs are named in the folder.
const evidenceLayout = "2006-01-02T15-04-05"

func newEvidence(folder string, at time.Time, good string) *evidence {
	return &evidence{folder: folder, run: at.Format(evidenceLayout), good: good}
}

// path is where a site's recording stands in one of the folders.
func (v *evidence) path(folder string, s Site) string {
	return TapePath(filepath.Join(v.folder, folder), s)
}

// write writes a site's recording into one of the folders.
func (v *evidence) write(folder string, s Site, recorder *cassette.Recorder) error {
	if err := recorder.Write(v.path(folder, s)); err != nil {
		return fmt.Errorf("keep the evidence: %w", err)
	}
	return nil
}

// settle puts a site's recording in its place: one of a failure, or a good one, or neither.
func (v *evidence) settle(s Site, failed, good bool) error {
	unjudged, failure := v.path(unjudgedFolder, s), v.path(v.run, s)
	switch {
	case failed:
		return errors.Join(moveTape(unjudged, failure), v.trim(s)) // where it failed there is none to move
	case good:
		return errors.Join(dropTape(failure), moveTape(unjudged, v.path(v.good, s)))
	default:
		return errors.Join(dropTape(failure), dropTape(unjudged))
	}
}

// trim drops the oldest recordings of a site's failures.
func (v *evidence) trim(s Site) error {
	runs, err := os.ReadDir(v.folder) // in order
	if err != nil {
		return fmt.Errorf("drop old evidence: %w", err)
	}
	var all []string
	for _, run := range runs {
		if _, err := time.Parse(evidenceLayout, run.Name()); err != nil {
			continue // not ours
		}
		if path := v.path(run.Name(), s); Exists(path) {
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

// Exists reports whether there is a file.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// moveTape puts a recording in the place of another, if it is there.
func moveTape(from, to string) error {
	if !Exists(from) {
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
