package browsecmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/browser/umbra"
)

// opening is the flags of how pages are opened.
type opening struct {
	Fixtures bool `help:"Open built-in pages on loopback instead of the network."`
	NoDelay  bool `help:"Do not rest between pages of a host; only for your own test sites."`

	Browser            string `placeholder:"PATH" help:"${browser}"`
	Browsers           string `placeholder:"N" help:"${browsers}"`
	UserAgent          string `placeholder:"TEXT" help:"${user_agent}"`
	Behaviors          string `placeholder:"FILE" help:"${behaviors}"`
	AllowPrivate       bool   `help:"${allow_private}"`
	IgnoreCertificates bool   `help:"${ignore_certificates}"`
	Outlinks           bool   `help:"${outlinks}"`
	Robots             bool   `help:"${robots}"`
	PerHost            string `placeholder:"N" help:"${per_host}"`
	MaxLoad            string `placeholder:"PERCENT" help:"${max_load}"`
	MinInterval        string `placeholder:"TIME" help:"${min_interval}"`
}

// pagesCommand opens the pages of its arguments.
type pagesCommand struct {
	opening
	URLs []string `arg:"" optional:"" name:"url" help:"Pages to open."`
}

// Run implements cli.Command.
func (r *pagesCommand) Run(ctx context.Context, c cli.Console) (int, error) {
	s, err := readSettings(c)
	if err != nil {
		return cli.ExitUsage, err
	}
	if len(r.URLs) == 0 && !r.Fixtures {
		return cli.ExitUsage, &startError{errors.New("expected URLs, or --fixtures; browse --help shows what there is")}
	}
	s.browser.Pages = min(s.browser.Pages, max(len(r.URLs), 1))
	o, err := openOpener(ctx, s, r.Fixtures, r.NoDelay, func(err error) { c.Complain(c.Name + ": " + err.Error()) })
	if err != nil {
		return cli.ExitUsage, err
	}
	if len(r.URLs) == 0 {
		r.URLs = []string{o.sites.URL("http", "static")}
	}
	p := &printing{out: c.Stdout, opener: o, outlinks: s.outlinks}
	if !cli.IsTerminal(c.Stdout) {
		p.out = cli.Unguarded(c.Stdout)
	}
	failed := p.pages(ctx, r.URLs)
	for _, err := range failed {
		if ctx.Err() == nil {
			c.Complain(c.Name + ": " + err.Error())
		}
	}
	err = errors.Join(context.Cause(ctx), p.failed, p.gone, o.close())
	return cli.ExitUnexpected * min(len(failed), 1), err
}

// printing prints what pages ask for.
type printing struct {
	opener   *opener
	outlinks bool

	mu     sync.Mutex // guards the rest
	out    io.Writer
	failed error // of requests that could not be encoded
	gone   error // why nothing more is printed: nobody reads it
}

// pages opens all pages and returns what failed.
func (p *printing) pages(ctx context.Context, urls []string) (failed []error) {
	errs := make([]error, len(urls))
	var all sync.WaitGroup
	for i, url := range urls {
		all.Go(func() {
			if err := p.page(ctx, url); err != nil {
				errs[i] = fmt.Errorf("%s: %w", scraperutils.WithoutUser(url), err)
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			failed = append(failed, err)
		}
	}
	return failed
}

func (p *printing) page(ctx context.Context, url string) error {
	m := umbra.Message{URL: url}
	outlinks, err := p.opener.Browse(ctx, umbra.Page{
		URL: url, Outlinks: p.outlinks, Begin: func() error { return nil },
		OnRequest: func(r umbra.Request) { p.print(m, r) },
	})
	for _, r := range umbra.Links(outlinks) {
		p.print(m, r)
	}
	return err
}

func (p *printing) print(m umbra.Message, r umbra.Request) {
	if !umbra.Sent(r) {
		return
	}
	line, err := m.Encode(r)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case err != nil:
		p.failed = errors.Join(p.failed, err)
	case p.gone == nil:
		_, p.gone = p.out.Write(append(line, '\n'))
	}
}
