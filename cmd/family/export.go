package family

import (
	"bufio"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
)

// exportCommand is the command's export.
type exportCommand struct {
	family *Family

	Labels []string `arg:"" optional:"" help:"Only of these: labels with commas or spaces between them; ${pattern}, platform/*."`
	Rows   []string `help:"Files of further ${sites}." type:"path" placeholder:"FILE"`
	Format string   `help:"csv, with a line of names first, or jsonl, an object a line (${default})." default:"csv" enum:"csv,jsonl" placeholder:"FORMAT"`
	Since  string   `help:"Only what was scraped on that day or later." placeholder:"2019-05-15"`
	DB     string   `name:"db" help:"The database that runs have written (${default})." default:"data.sqlite" type:"path" placeholder:"FILE"`
	Out    string   `short:"o" help:"Write there instead of to standard output." type:"path" placeholder:"FILE"`
}

func (e *exportCommand) Run(ctx context.Context, c cli.Console) (int, error) {
	q, err := e.rows()
	if err != nil {
		return cli.ExitUsage, err
	}
	reader, err := db.OpenReader(ctx, e.DB)
	if err != nil {
		return cli.ExitUsage, err
	}
	defer reader.Close()
	columns, err := reader.Columns(ctx, q.Table)
	if err != nil {
		return cli.ExitUnexpected, err
	}
	if len(columns) == 0 {
		return cli.ExitUsage, &scraperutils.ConfigError{Name: "--db", Value: e.DB, Accepted: "a database with a table " + q.Table + ", which the first record makes"}
	}
	write := func(w io.Writer) error { return e.write(w, columns, reader.Rows(ctx, q, columns)) }
	if e.Out == "" {
		return cli.ExitOK, write(stdout(c))
	}
	out, err := cli.Replace(e.Out)
	if err != nil {
		return cli.ExitUsage, err
	}
	return cli.ExitOK, out.Finish(write(out))
}

// stdout is where data goes: as it is, but for a terminal, where nothing of it may act.
func stdout(c cli.Console) io.Writer {
	if cli.IsTerminal(c.Stdout) {
		return c.Stdout
	}
	return cli.Unprinted(c.Stdout)
}

// rows says which rows are wanted.
func (e *exportCommand) rows() (db.Rows, error) {
	t := e.family.Table
	q := db.Rows{Table: t.Name, Order: t.keys(), Column: t.Label}
	if e.Since != "" {
		if _, err := time.Parse(time.DateOnly, e.Since); err != nil {
			return q, &scraperutils.ConfigError{Name: "--since", Value: e.Since, Accepted: "a day like 2019-05-15"}
		}
		q.From, q.Least = t.Day, e.Since
	}
	known, err := registry.Load(e.family.Registry, e.Rows...)
	if err != nil || len(e.Labels) == 0 {
		return q, err
	}
	list := strings.Join(e.Labels, ",")
	labels, err := registry.Labels(list)
	if err != nil {
		return q, &scraperutils.ConfigError{Name: "labels", Value: list, Accepted: someLabels}
	}
	q.Values, err = expand(known, "export", labels)
	return q, err
}

// write writes rows in a format, as they come.
func (e *exportCommand) write(w io.Writer, columns []string, rows iter.Seq2[scraperutils.Record, error]) error {
	out := bufio.NewWriterSize(w, 64<<10)
	if e.Format == "jsonl" {
		lines := json.NewEncoder(out)
		lines.SetEscapeHTML(false)
		return cmp.Or(each(rows, func(r scraperutils.Record) error { return lines.Encode(r) }), out.Flush())
	}
	table := csv.NewWriter(out)
	if err := table.Write(columns); err != nil {
		return err
	}
	if err := each(rows, func(r scraperutils.Record) error { return table.Write(cells(r)) }); err != nil {
		return err
	}
	table.Flush()
	return cmp.Or(table.Error(), out.Flush())
}

// each has every row written.
func each(rows iter.Seq2[scraperutils.Record, error], write func(scraperutils.Record) error) error {
	for r, err := range rows {
		if err == nil {
			err = write(r)
		}
		if err != nil {
			return fmt.Errorf("export: %w", err)
		}
	}
	return nil
}

// cells returns what a record holds as it is: NULL as nothing, bytes in base64. A value that a spreadsheet would take for a formula is
// no exception: what was changed would not be what the site has published.
func cells(r scraperutils.Record) []string {
	all := make([]string, len(r))
	for i, f := range r {
		switch v := f.Value.(type) {
		case []byte:
			all[i] = base64.StdEncoding.EncodeToString(v)
		case float64:
			all[i] = strconv.FormatFloat(v, 'f', -1, 64)
		default:
			all[i] = r[i : i+1].Text(f.Name)
		}
	}
	return all
}
