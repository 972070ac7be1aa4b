package app

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/multiscraper/multiscraper/authorities"
	"github.com/multiscraper/multiscraper/scraperutils/cassette"
)

// Limits of the flight recorder.
const (
	evidenceBytes = 20 << 20 // of bodies, an authority
	evidenceKept  = 3        // recordings an authority
)

// evidence is the folder where the recordings of failures are kept: EVIDENCE/RUN/PLATFORM/AUTHORITY.yml, so that EVIDENCE/RUN can
// be played by --replay.
type evidence struct {
	folder string
	run    string
}

func newEvidence(folder string, at time.Time) *evidence {
	return &evidence{folder: folder, run: at.Format("2006-01-02T15-04-05")}
}

// keep writes the recording of an authority's failure, drops its oldest ones, and returns the folder to play it from.
func (v *evidence) keep(e authorities.Entry, recorder *cassette.Recorder) (string, error) {
	folder := filepath.Join(v.folder, v.run)
	if err := recorder.Write(tapePath(folder, e)); err != nil {
		return "", fmt.Errorf("keep the evidence: %w", err)
	}
	old, err := filepath.Glob(tapePath(filepath.Join(v.folder, "????-??-??T??-??-??"), e))
	if err != nil {
		return folder, err
	}
	slices.Sort(old)
	for _, path := range old[:max(len(old)-evidenceKept, 0)] {
		if err := os.Remove(path); err != nil {
			return folder, fmt.Errorf("drop old evidence: %w", err)
		}
		// Folders go with their last file.
		_ = os.Remove(filepath.Dir(path))
		_ = os.Remove(filepath.Dir(filepath.Dir(path)))
	}
	return folder, nil
}
