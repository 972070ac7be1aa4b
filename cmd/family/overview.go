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
	"github.com/multiscraper/multiscraper/scraperutils/run/report"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
)

// reportCommand is scrape report.
type reportCommand struct {
	family *Family

	Only string   `name:"run" help:"Show only the run that began at this time, such as 2026-11-21T01:17:00, or the beginning of it." placeholder:"ID"`
	DB   string   `name:"db" help:"Read the results of runs from this database (default: ${default})." default:"data.sqlite" type:"path" placeholder:"FILE"`
	JSON bool     `name:"json" help:"Print JSON." xor:"format"`
	HTML bool     `name:"html" help:"Write one self-contained HTML page; into a folder (-o DIR/), an index and a page for each ${site}." xor:"format"`
	Rows []string `help:"Read more ${sites} from these files." type:"path" placeholder:"FILE"`
	Out  string   `short:"o" help:"Write to this file instead of standard output." placeholder:"FILE"`
}

func (r *reportCommand) Run(ctx context.Context, c cli.Console) (int, error) {
	known, err := registry.Load(r.family.Registry, r.Rows...)
	if err != nil {
		return cli.ExitUsage, err
	}
	overview, err := r.family.readOverview(ctx, r.DB, r.Only, sitesOf(known))
	var unknown *report.UnknownRunError
	switch {
	case errors.As(err, &unknown):
		return cli.ExitUsage, &scraperutils.ConfigError{Name: "--run", Value: r.Only, Accepted: "one of " + strings.Join(unknown.Known, ", ")}
	case err != nil:
		return cli.ExitUnexpected, err
	}
	if r.Out == "" {
		return cli.ExitOK, r.write(c.Stdout, overview)
	}
	if r.HTML && isFolder(r.Out) {
		return cli.ExitOK, writeFolder(r.Out, overview)
	}
	out, err := cli.Replace(r.Out)
	if err != nil {
		return cli.ExitUsage, err
	}
	return cli.ExitOK, out.Finish(r.write(cli.NewPrinter(out), overview))
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
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", " ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(o)
	}
	_, err := io.WriteString(w, o.Text())
	return err
}
