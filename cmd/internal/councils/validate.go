package councils

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/multiscraper/multiscraper/authorities/validate"
	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// validateCommand is scrape validate. Flags that are not given leave what the file of settings says.
type validateCommand struct {
	DB string `arg:"" name:"db" optional:"" help:"The database to check (default: data.sqlite, or what the settings say)."`

	Config                string `short:"c" help:"Read settings from this file (default: .scraper_validation.yml in the current folder)." placeholder:"FILE"`
	GeocodablePercentage  string `help:"Require N of 100 addresses to be different ones that a map finds (default: 50)." placeholder:"N"`
	GeocodableVariation   string `help:"Accept up to N less (default: 3)." placeholder:"N"`
	DescriptionPercentage string `help:"Require N of 100 descriptions to be different ones that say something (default: 50)." placeholder:"N"`
	DescriptionVariation  string `help:"Accept up to N less (default: 3)." placeholder:"N"`
	InfoURLPercentage     string `name:"info-url-percentage" help:"Require N of 100 pages to exist and say what the record says (default: 75)." placeholder:"N"`
	InfoURLVariation      string `name:"info-url-variation" help:"Accept up to N less (default: 3)." placeholder:"N"`
	GlobalInfoURL         string `name:"global-info-url" help:"Expect all records to name this one page." placeholder:"URL"`
	BotCheckExpected      bool   `help:"Do not count pages that keep programs out as failures."`
	IgnoreCase            bool   `help:"Recognize street types and states in any case of letters."`
	KnownSuburbs          string `help:"Recognize these suburbs in addresses without capitals." placeholder:"A,B"`
}

func (v *validateCommand) Run(ctx context.Context, c cli.Console) (int, error) {
	limits, from, err := validate.ReadSettings(".", v.Config)
	if err != nil {
		return cli.ExitUsage, err
	}
	if from != "" {
		fmt.Fprintln(c.Stdout, "Loaded config from "+from)
	}
	if err := v.override(&limits); err != nil {
		return cli.ExitUsage, err
	}
	if _, err := os.Stat(limits.Database); err != nil {
		fmt.Fprintf(c.Stdout, "Error: Database file '%s' not found\n", limits.Database)
		return cli.ExitUnexpected, nil
	}
	caller, err := Family().Caller(c)
	if err != nil {
		return cli.ExitUsage, err
	}
	records, err := readRecords(ctx, limits.Database)
	if cause := cli.CauseOf(ctx, err); cli.CutShort(cause) {
		return cli.ExitUnexpected, err
	}
	if err != nil {
		fmt.Fprintln(c.Stdout, "Error reading database: "+err.Error())
		return cli.ExitUnexpected, nil
	}
	err = caller.Call(ctx, "validate", func(ctx context.Context, a *agent.Agent) error {
		return check(ctx, c, limits, records, a)
	})
	if errors.Is(err, validate.ErrNoData) {
		fmt.Fprintln(c.Stdout, err)
		return cli.ExitUnexpected, nil
	}
	return cli.ExitOK, err
}

// override puts flags over the settings of a file.
func (v *validateCommand) override(s *validate.Settings) error {
	flags := map[string]string{
		"database":               v.DB,
		"geocodable_percentage":  v.GeocodablePercentage,
		"geocodable_variation":   v.GeocodableVariation,
		"description_percentage": v.DescriptionPercentage,
		"description_variation":  v.DescriptionVariation,
		"info_url_percentage":    v.InfoURLPercentage,
		"info_url_variation":     v.InfoURLVariation,
		"global_info_url":        v.GlobalInfoURL,
		"known_suburbs":          v.KnownSuburbs,
	}
	if v.BotCheckExpected {
		flags["bot_check_expected"] = "true"
	}
	if v.IgnoreCase {
		flags["ignore_case"] = "true"
	}
	for key, value := range flags {
		if err := s.Set(key, value); err != nil {
			var bad *scraperutils.ConfigError
			if errors.As(err, &bad) {
				bad.Name = "--" + strings.ReplaceAll(key, "_", "-")
			}
			return err
		}
	}
	return nil
}

// readRecords reads the table data.
func readRecords(ctx context.Context, path string) ([]scraperutils.Record, error) {
	reader, err := db.OpenReader(ctx, path)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	var records []scraperutils.Record
	for r, err := range reader.Query(ctx, "SELECT * FROM data") {
		if ctx.Err() != nil {
			return nil, err
		}
		if err != nil {
			return nil, errors.Unwrap(err) // the file is named already
		}
		records = append(records, r)
	}
	return records, nil
}

// check fetches pages by an agent.
func check(ctx context.Context, c cli.Console, limits validate.Settings, records []scraperutils.Record, a *agent.Agent) error {
	checker := &validate.Checker{Settings: limits, Out: c.Stdout, Fetch: func(ctx context.Context, url string) (validate.Page, error) {
		return fetchPage(ctx, a, url)
	}}
	return checker.Check(ctx, records)
}

// fetchPage returns a page, whatever its status.
func fetchPage(ctx context.Context, a *agent.Agent, url string) (validate.Page, error) {
	p, err := a.Get(ctx, url)
	var (
		status  *scraperutils.StatusError
		blocked *agent.BlockedError
	)
	switch {
	case err == nil:
		return validate.Page{Status: p.Status, Body: p.Text}, nil
	case errors.As(err, &status):
		return validate.Page{Status: status.Status}, nil
	case errors.As(err, &blocked):
		return validate.Page{Status: blocked.Status}, nil
	}
	return validate.Page{}, err
}
