package egress

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/rs/zerolog"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/cassette"
)

// Limits of the flight recorder.
const (
	evidenceBytes = 20 << 20  // of bodies, a site; on disk
	evidenceHeads = 512 << 10 // of headers and URLs, a site; in memory
	spoolBytes    = 1 << 30   // of bodies, a run: the disk may be the database's too
)

// flight is the flight recorder of a run: it holds what the recorders of all sessions share. Its methods may be called from any
// goroutine; on a nil flight they do nothing.
type flight struct {
	evidence *evidence // nil: failures are not kept
	record   string    // folder into which all is recorded too, or ""
	spool    *cassette.Spool
	robots   robotsNotes
	log      zerolog.Logger
	kind     string // the log's field with a site's label
	warned   atomic.Bool
}

// newFlight returns the flight recorder of a run, or nil where nothing is to be recorded.
func newFlight(c Config) *flight {
	f := &flight{record: c.Record, log: c.Log, kind: c.Terms.Site}
	if c.Evidence != "" {
		good := GoodFolder
		if c.Loopback != nil {
			good = builtInFolder
		}
		f.evidence = newEvidence(c.Evidence, c.At, good)
	}
	switch {
	case c.Record != "": // was asked for whole
		f.spool = cassette.NewSpool(existing(c.Record), 0)
	case c.Evidence != "":
		f.spool = cassette.NewSpool(existing(c.Evidence), spoolBytes)
	default:
		return nil
	}
	return f
}

// recorder returns a recorder in front of a transport, or nil if nothing is to be kept.
func (f *flight) recorder(out http.RoundTripper, secrets []string) *cassette.Recorder {
	if f == nil {
		return nil
	}
	o := cassette.Options{Secrets: secrets, Spool: f.spool, OnExchange: f.robots.note}
	if f.record == "" { // else all of it
		o.MaxBytes, o.MaxHeadBytes = evidenceBytes, evidenceHeads
	}
	return cassette.NewRecorder(out, o)
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

// close drops what was kept for recordings.
func (f *flight) close() error {
	if f == nil {
		return nil
	}
	if err := f.spool.Close(); err != nil {
		return fmt.Errorf("close the recordings: %w", err)
	}
	return nil
}

// tell logs a problem of the recorder, which fails no site. It logs once a run, because the problem is often the same for all sites.
func (f *flight) tell(s Site, problem error) {
	if problem == nil {
		return
	}
	line := f.log.Debug()
	if f.warned.CompareAndSwap(false, true) {
		line = f.log.Warn()
	}
	line.Str(f.kind, s.Label).Err(problem).Msg("there may be no recording of it")
}

// landed writes the recording of a site whose scraper has returned: where all is recorded, and as evidence. It returns the folder to
// play the latter from if it was a failure, or becomes one by its verdict. The error is that of the former.
func (f *flight) landed(s Site, recorder *cassette.Recorder, failure error) (folder string, err error) {
	if f.record != "" {
		err = recorder.Write(TapePath(f.record, s))
	}
	v := f.evidence
	switch {
	case v == nil:
		return "", err
	case failure == nil && f.record != "": // it is there, without limits
		return f.record, err
	}
	if scraperutils.ClassOf(failure) == scraperutils.ClassRobots {
		recorder.Add(f.robots.of(s.URL)...)
	}
	var problem error
	if failure == nil {
		problem = v.write(unjudgedFolder, s, recorder)
	} else if problem = v.write(v.run, s, recorder); problem == nil {
		problem = v.trim(s) // a run that is killed settles nothing
	}
	f.tell(s, problem)
	if problem != nil && !Exists(v.path(v.run, s)) {
		return "", err
	}
	return filepath.Join(v.folder, v.run), err
}

// Settle puts the recording of a site in its place, once its verdict is final: it failed, or it was good, or it was neither.
func (n *Network) Settle(s Site, failed, good bool) {
	if f := n.flight; f != nil && f.evidence != nil {
		f.tell(s, f.evidence.settle(s, failed, good))
	}
}
