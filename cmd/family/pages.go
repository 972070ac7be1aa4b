package family

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/cmd/internal/egress"
	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils/run/exhibit"
	"github.com/multiscraper/multiscraper/scraperutils/run/history"
	"github.com/multiscraper/multiscraper/scraperutils/run/report"
)

// isFolder reports whether a path names a folder: by its last character, or because there is one.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return strings.HasSuffix(path, string(filepath.Separator)) || err == nil && info.IsDir()
}

// writeFolder writes a page for each authority into a folder, those of the runs before, and then the index, so that whoever follows a link of
// it finds a page.
func (f *Family) writeFolder(ctx context.Context, folder string, o *report.Overview, sites map[string]report.Site) error {
	if err := os.MkdirAll(filepath.Join(folder, report.AuthorityFolder), 0o755); err != nil {
		return fmt.Errorf("write the report's pages: %w", err)
	}
	two, err := compareRuns(ctx, o.Database, sites, history.Question{})
	if err != nil && !errors.Is(err, history.ErrOneRun) {
		return err
	}
	if err := f.writeAuthorities(ctx, folder, o, report.Filed("../", two != nil)); err != nil {
		return err
	}
	cover := f.cover(o.Database)
	cover.Links = report.Filed("", two != nil)
	if two != nil {
		if err := replace(filepath.Join(folder, cover.Links.Compare), func(w io.Writer) error { return report.WriteComparison(w, cover, two) }); err != nil {
			return err
		}
	}
	h, err := readHistory(ctx, o.Database, sites)
	if err != nil {
		return err
	}
	if err := replace(filepath.Join(folder, cover.Links.History), func(w io.Writer) error { return report.WriteHistory(w, cover, h) }); err != nil {
		return err
	}
	return replace(filepath.Join(folder, cover.Links.Index), func(w io.Writer) error { return report.WriteIndex(w, o, cover.Links) })
}

// writeAuthorities writes a page for each authority.
func (f *Family) writeAuthorities(ctx context.Context, folder string, o *report.Overview, l report.Links) error {
	reader, err := db.OpenReader(ctx, o.Database)
	if err != nil {
		return err
	}
	defer reader.Close()
	for i := range o.Authorities {
		a := &o.Authorities[i]
		past, err := history.ReadPast(ctx, reader, a.Label)
		if err != nil {
			return err
		}
		path := filepath.Join(folder, report.AuthorityFolder, report.PageName(a.Label))
		if err := replace(path, func(w io.Writer) error { return report.WriteAuthority(w, o, a, recordingsOf(a), past, l) }); err != nil {
			return err
		}
	}
	return nil
}

// replace writes a file as a whole, in the place of the one that may be there.
func replace(path string, write func(io.Writer) error) error {
	out, err := cli.Replace(path)
	if err != nil {
		return err
	}
	return out.Finish(write(cli.NewPrinter(out)))
}

// recordingsOf finds what is kept of an authority. What is not there, or can't be read, is left out: a page says so.
func recordingsOf(a *report.Authority) (kept report.Recordings) {
	run := a.LastEvidence()
	if run == nil || a.Platform == "" {
		return kept
	}
	site := egress.Site{Label: a.Label, Platform: a.Platform}
	if shown, err := exhibit.Load(egress.TapePath(run.Evidence, site)); err == nil {
		kept.Failure = shown
	}
	if good, ok := egress.LastGood(filepath.Dir(run.Evidence), site); ok {
		kept.Good = good
		if worked, err := exhibit.Load(good); err == nil {
			kept.Worked = worked
		}
	}
	return kept
}
