package family

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/cmd/internal/egress"
	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/look"
	"github.com/multiscraper/multiscraper/scraperutils/run/report"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
	"github.com/multiscraper/multiscraper/scraperutils/web/cassette"
	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
)

// subject finds the site that the command line names.
func (p *pageCommand) subject() (subject, error) {
	if strings.Contains(p.What, "://") {
		u, err := fetch.ParseURL(p.What)
		if err != nil || u.Host == "" || p.Good || p.Replay != "" {
			return subject{}, &scraperutils.ConfigError{Name: "page", Value: scraperutils.ShownLink(p.What), Accepted: "a label of " + p.family.Name + " list, or a URL such as https://host/path, which is always asked live"}
		}
		return subject{site: egress.Site{Label: u.Hostname(), Platform: "url", URL: p.What}}, nil
	}
	known, err := registry.Load(p.family.Registry, p.Rows...)
	if err != nil {
		return subject{}, err
	}
	entries, err := known.Select([]string{p.What})
	if recorded := p.recordedHere(); err != nil && recorded != nil {
		return *recorded, nil
	}
	if err != nil {
		return subject{}, err
	}
	if len(entries) != 1 {
		return subject{}, &scraperutils.ConfigError{Name: "page", Value: p.What, Accepted: "one label"}
	}
	return subject{entries[0], targetOf(entries[0])}, nil
}

// recordedHere returns the site of a recording in the folder of --replay whose label the registry does not know, or nil.
func (p *pageCommand) recordedHere() *subject {
	if p.Replay == "" || strings.ContainsAny(p.What, `*?[\`) {
		return nil
	}
	paths, err := filepath.Glob(filepath.Join(p.Replay, "*", filepath.Base(p.What)+".yml"))
	if err != nil || len(paths) != 1 {
		return nil
	}
	var e registry.Entry
	e.Label, e.Platform = filepath.Base(p.What), filepath.Base(filepath.Dir(paths[0]))
	return &subject{e, targetOf(e)}
}

func (p *pageCommand) evidence() string {
	if p.Evidence != "" {
		return p.Evidence
	}
	return filepath.Join(filepath.Dir(p.DB), "evidence")
}

// noRecordingError says that a recording is missing, and which command shows pages instead.
type noRecordingError struct{ what, instead string }

func (e *noRecordingError) Error() string { return e.what + "; " + e.instead }

// recording finds the file that is to be shown, and says in a line which one it is.
func (p *pageCommand) recording(s subject) (path, about string, err error) {
	name := s.entry.Platform + "/" + s.entry.Label
	if p.Replay != "" {
		path := egress.TapePath(p.Replay, s.site)
		return path, name + ": the recording " + path, nil
	}
	if p.Good {
		path, err := p.good(s)
		return path, name + ": the last good recording, " + path, err
	}
	path, began, ok := egress.LastFailure(p.evidence(), s.site)
	if !ok {
		return "", "", &noRecordingError{"no failure of " + name + " is kept in " + p.evidence(), "--good shows the last good recording, --live asks the site now"}
	}
	return path, fmt.Sprintf("%s: its failure in the run of %s, %s", name, began.Format("2 Jan 2006 15:04"), path), nil
}

// reason is why a failure was one, as far as the database knows, or "".
func (p *pageCommand) reason(ctx context.Context, path string) string {
	if p.Good || p.Replay != "" || !egress.Exists(p.DB) {
		return ""
	}
	reader, err := db.OpenReader(ctx, p.DB)
	if err != nil {
		return "" // the pages are there without it
	}
	defer reader.Close()
	overview, err := report.Read(ctx, reader, report.View{Now: time.Now(), Terms: p.family.terms()})
	if err != nil {
		return ""
	}
	for _, a := range overview.Authorities {
		if a.Evidence != "" && strings.HasPrefix(path, a.Evidence+string(filepath.Separator)) && a.Label == p.What {
			return strings.TrimSuffix(fmt.Sprintf("%s (%s): %s", a.Verdict, a.Class, cmp.Or(a.Error, a.Remark)), ": ")
		}
	}
	return ""
}

// good finds the last good recording.
func (p *pageCommand) good(s subject) (string, error) {
	if p.With != "" {
		return egress.TapePath(p.With, s.site), nil
	}
	path, ok := egress.LastGood(p.evidence(), s.site)
	if !ok {
		return "", &noRecordingError{"no good recording of " + s.entry.Label + " is kept in " + p.evidence(), "each run in which it gives records keeps one, and --with DIR names a folder of --record"}
	}
	return path, nil
}

// goodTape reads the last good recording.
func (p *pageCommand) goodTape(ctx context.Context, s subject, a *agent.Agent) (*look.Tape, error) {
	path, err := p.good(s)
	if err != nil {
		return nil, err
	}
	good, err := cassette.Load(path)
	if err != nil {
		return nil, err
	}
	return look.NewTape(ctx, good, a), nil
}
