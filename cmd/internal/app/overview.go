package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/report"
	"github.com/multiscraper/multiscraper/scraperutils/runlog"
)

// reportCommand is scrape report.
type reportCommand struct {
	Only string `name:"run" help:"Show this run alone: when it began, as in 2026-11-21T01:17:00, or the beginning of that." placeholder:"ID"`
	DB   string `name:"db" help:"The database that runs have written (${default})." default:"data.sqlite" type:"path" placeholder:"FILE"`
	JSON bool   `name:"json" help:"As JSON." xor:"format"`
	HTML bool   `name:"html" help:"As one HTML page that needs nothing else." xor:"format"`
	Out  string `short:"o" help:"Write there instead of to standard output." type:"path" placeholder:"FILE"`
}

func (r *reportCommand) Run(ctx context.Context, c cli.Console) (int, error) {
	reader, err := db.OpenReader(ctx, r.DB)
	if err != nil {
		return cli.ExitUsage, err
	}
	defer reader.Close()
	overview, err := report.Read(ctx, reader, report.View{Database: r.DB, Now: time.Now(), Run: r.Only, Process: db.Holder(r.DB)})
	var unknown *report.UnknownRunError
	switch {
	case errors.As(err, &unknown):
		return cli.ExitUsage, &scraperutils.ConfigError{Name: "--run", Value: r.Only, Accepted: "one of " + strings.Join(unknown.Known, ", ")}
	case err != nil:
		return cli.ExitUnexpected, err
	}
	origin, err := runlog.Origin(ctx, reader, dataTable)
	if err != nil {
		return cli.ExitUnexpected, err
	}
	if origin == runlog.FromFixtures && !r.JSON && !r.HTML && r.Out == "" {
		fmt.Fprintln(c.Stdout, madeUp)
	}
	if r.Out == "" {
		return cli.ExitOK, r.write(c.Stdout, overview)
	}
	out, err := cli.Replace(r.Out)
	if err != nil {
		return cli.ExitUsage, err
	}
	return cli.ExitOK, out.Finish(r.write(cli.NewPrinter(out), overview))
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
