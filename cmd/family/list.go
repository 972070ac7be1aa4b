package family

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/news"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
)

// listCommand is scrape list.
type listCommand struct {
	family *Family

	Labels []string `arg:"" optional:"" help:"List only these: labels with commas or spaces between them; ${pattern}, platform/*."`
	Rows   []string `help:"Read more ${sites} from these files." type:"path" placeholder:"FILE"`
	DB     string   `name:"db" help:"Show the last verdicts in this database (default: ${default})." default:"data.sqlite" type:"path" placeholder:"FILE"`
	JSON   bool     `name:"json" help:"Print JSON, one object per ${site}."`
}

// listed is a site in a list.
type listed struct {
	Authority string `json:"authority"` // as the log of every family calls a site
	Platform  string `json:"platform"`
	Host      string `json:"host"`
	URL       string `json:"url"`
	Verdict   string `json:"last_verdict"` // "": it has never run
	Class     string `json:"last_failure_class"`
	On        string `json:"last_run_on"` // the day of that run, or ""
}

func (l *listCommand) Run(ctx context.Context, c cli.Console) (int, error) {
	known, err := registry.Load(l.family.Registry, l.Rows...)
	if err != nil {
		return cli.ExitUsage, err
	}
	list := strings.Join(l.Labels, ",")
	labels, err := registry.Labels(list)
	if err != nil {
		return cli.ExitUsage, &scraperutils.ConfigError{Name: "labels", Value: list, Accepted: someLabels}
	}
	entries, err := known.Select(labels)
	if err != nil {
		return cli.ExitUsage, err
	}
	past, origin, err := l.history(ctx)
	if err != nil {
		return cli.ExitUsage, err
	}
	if origin == runlog.FromFixtures && !l.JSON {
		fmt.Fprintln(c.Stdout, news.MadeUp)
	}
	var all []listed
	for _, e := range entries {
		u, err := url.Parse(e.URL)
		if err != nil {
			return cli.ExitUsage, err
		}
		h := past[e.Label]
		all = append(all, listed{e.Label, e.Platform, scraperutils.HostOf(u).String(), scraperutils.ShownURL(u), string(h.LastVerdict), string(h.LastClass), dayOf(h.LastRun)})
	}
	if l.JSON {
		encoder := json.NewEncoder(c.Stdout)
		encoder.SetIndent("", " ")
		encoder.SetEscapeHTML(false)
		return cli.ExitOK, encoder.Encode(all)
	}
	w := tabwriter.NewWriter(c.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.ToUpper(l.family.Registry.Site)+"\tPLATFORM\tHOST\tLAST VERDICT")
	for _, a := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", a.Authority, a.Platform, a.Host, strings.Join(strings.Fields(a.On+" "+a.Verdict+" "+a.Class), " "))
	}
	return cli.ExitOK, w.Flush()
}

func dayOf(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}

// history reads the last verdicts, where there is a database, and of which sites they are.
func (l *listCommand) history(ctx context.Context) (map[string]runlog.History, runlog.Source, error) {
	if _, err := os.Stat(l.DB); errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil
	}
	reader, err := db.OpenReader(ctx, l.DB)
	if err != nil {
		return nil, "", err
	}
	defer reader.Close()
	origin, err := runlog.Origin(ctx, reader, l.family.Table.Name)
	if err != nil {
		return nil, "", err
	}
	known, err := runlog.ReadHistory(ctx, reader)
	return known, origin, err
}
