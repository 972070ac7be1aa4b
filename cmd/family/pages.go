package family

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/cmd/internal/egress"
	"github.com/multiscraper/multiscraper/scraperutils/run/exhibit"
	"github.com/multiscraper/multiscraper/scraperutils/run/report"
)

// isFolder reports whether a path names a folder: by its last character, or because there is one.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return strings.HasSuffix(path, string(filepath.Separator)) || err == nil && info.IsDir()
}

// writeFolder writes a page for each authority into a folder, and then the index, so that whoever follows a link of it finds a page.
func writeFolder(folder string, o *report.Overview) error {
	if err := os.MkdirAll(filepath.Join(folder, report.AuthorityFolder), 0o755); err != nil {
		return fmt.Errorf("write the report's pages: %w", err)
	}
	for i := range o.Authorities {
		a := &o.Authorities[i]
		path := filepath.Join(folder, report.AuthorityFolder, report.PageName(a.Label))
		if err := replace(path, func(w io.Writer) error { return report.WriteAuthority(w, o, a, recordingsOf(a)) }); err != nil {
			return err
		}
	}
	return replace(filepath.Join(folder, "index.html"), func(w io.Writer) error { return report.WriteIndex(w, o, "") })
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
	if good := egress.TapePath(filepath.Join(filepath.Dir(run.Evidence), egress.GoodFolder), site); egress.Exists(good) {
		kept.Good = good
	}
	return kept
}
