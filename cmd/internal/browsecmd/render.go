package browsecmd

import (
	"context"
	"os"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils/browser"
	"github.com/multiscraper/multiscraper/scraperutils/browser/render"
)

// renderCommand gets documents for another program, which keeps the pace of hosts and reads their robots.txt.
type renderCommand struct {
	Browser            string `placeholder:"PATH" help:"${browser}"`
	Browsers           string `placeholder:"N" help:"${browsers}"`
	AllowPrivate       bool   `help:"${allow_private}"`
	IgnoreCertificates bool   `help:"${ignore_certificates}"`
}

// Run implements cli.Command.
func (r *renderCommand) Run(ctx context.Context, c cli.Console) (int, error) {
	s, err := readSettings(c)
	if err != nil {
		return cli.ExitUsage, err
	}
	s.browser.OnTrouble = func(err error) { c.Complain(c.Name + ": " + err.Error()) }
	b, err := browser.Open(ctx, s.browser)
	if err != nil {
		return cli.ExitUsage, &startError{err}
	}
	err = render.Serve(ctx, os.Stdin, cli.Unguarded(c.Stdout), func(ctx context.Context, a render.Ask) (*render.Document, error) {
		result, err := b.Visit(ctx, browser.Visit{URL: a.URL, UserAgent: a.UserAgent, Header: a.Header, WithoutBehaviors: true})
		if err != nil {
			return nil, err
		}
		return &render.Document{URL: result.URL, Status: result.Status, Header: result.Header, HTML: result.HTML}, nil
	})
	if e := b.Close(); err == nil {
		err = e
	}
	return cli.ExitOK, err
}
