package family

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"strings"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/history"
	"github.com/multiscraper/multiscraper/scraperutils/run/report"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
)

// reportCommand is scrape report.
type reportCommand struct {
	family *Family

	Only    string   `name:"run" help:"Show only the run that began at this time, such as 2026-11-21T01:17:00, or the beginning of it." placeholder:"ID"`
	Compare string   `help:"Compare the last run that came to its end, or that of --run, with this earlier one." placeholder:"ID"`
	DB      string   `name:"db" help:"Read the results of runs from this database (default: ${default})." default:"data.sqlite" type:"path" placeholder:"FILE"`
	JSON    bool     `name:"json" help:"Print JSON." xor:"format"`
	HTML    bool     `name:"html" help:"Write one self-contained HTML page; into a folder (-o DIR/), an index and a page for each ${site}." xor:"format"`
	Rows    []string `help:"Read more ${sites} from these files." type:"path" placeholder:"FILE"`
	Out     string   `short:"o" help:"Write to this file instead of standard output." placeholder:"FILE"`
}

func (r *reportCommand) Run(ctx context.Context, c cli.Console) (int, error) {
	known, err := registry.Load(r.family.Registry, r.Rows...)
	if err != nil {
		return cli.ExitUsage, err
	}
	sites := sitesOf(known)
	if r.Compare != "" {
		return r.compare(ctx, c, sites)
	}
	overview, err := r.family.readOverview(ctx, r.DB, r.Only, sites)
	if err != nil {
		return readFailed(err, "--run")
	}
	if r.HTML && r.Out != "" && isFolder(r.Out) {
		return cli.ExitOK, r.family.writeFolder(ctx, r.Out, overview, sites)
	}
	return r.print(c, func(w io.Writer) error { return r.write(w, overview) })
}

// readFailed is what the report ends with if it can't be read. flag is the one that names a run.
func readFailed(err error, flag string) (int, error) {
	var unknown *report.UnknownRunError
	if errors.As(err, &unknown) {
		return cli.ExitUsage, &scraperutils.ConfigError{Name: flag, Value: unknown.ID, Accepted: "one of " + strings.Join(unknown.Known, ", ")}
	}
	return cli.ExitUnexpected, err
}

// print writes to standard output, or to the file of --output as a whole.
func (r *reportCommand) print(c cli.Console, write func(io.Writer) error) (int, error) {
	if r.Out == "" {
		return cli.ExitOK, write(c.Stdout)
	}
	out, err := cli.Replace(r.Out)
	if err != nil {
		return cli.ExitUsage, err
	}
	return cli.ExitOK, out.Finish(write(cli.NewPrinter(out)))
}

// compare writes what differs between two runs.
func (r *reportCommand) compare(ctx context.Context, c cli.Console, sites map[string]report.Site) (int, error) {
	two, err := compareRuns(ctx, r.DB, sites, history.Question{Before: r.Compare, Now: r.Only})
	if err != nil {
		return readFailed(err, "--run, --compare")
	}
	return r.print(c, func(w io.Writer) error {
		switch {
		case r.HTML:
			return report.WriteComparison(w, r.family.cover(r.DB), two)
		case r.JSON:
			return writeJSON(w, two)
		}
		_, err := io.WriteString(w, report.ComparisonText(two))
		return err
	})
}

func writeJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", " ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// sitesOf is what a registry says of its authorities. Users and passwords in their addresses are left out.
func sitesOf(known *registry.Registry) map[string]report.Site {
	all := map[string]report.Site{}
	for _, e := range known.All() {
		if u, err := url.Parse(e.URL); err == nil {
			all[e.Label] = report.Site{Platform: e.Platform, URL: scraperutils.ShownURL(u), Options: e.Options}
		}
	}
	return all
}

func (r *reportCommand) write(w io.Writer, o *report.Overview) error {
	switch {
	case r.HTML:
		return report.WritePage(w, o)
	case r.JSON:
		return writeJSON(w, o)
	}
	_, err := io.WriteString(w, o.Text())
	return err
}
