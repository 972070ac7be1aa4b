package family

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/cmd/internal/egress"
	"github.com/multiscraper/multiscraper/cmd/internal/viewer"
	"github.com/multiscraper/multiscraper/scraperutils/run/look"
	"github.com/multiscraper/multiscraper/scraperutils/run/report"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
	"github.com/multiscraper/multiscraper/scraperutils/web/cassette"
	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
)

// pageCommand is scrape page.
type pageCommand struct {
	family *Family

	What      string   `arg:"" help:"A label of ${name} list, or the URL of any page."`
	Good      bool     `help:"Show the last good recording instead of the last failure." xor:"source"`
	Live      bool     `help:"Ask the site now, politely, up to its first records." xor:"source"`
	Replay    string   `help:"Show the recording in this folder (DIR/PLATFORM/${SITE}.yml)." type:"path" placeholder:"DIR" xor:"source"`
	Number    *int     `name:"page" short:"p" help:"Show only page N of the list." placeholder:"N"`
	Select    string   `help:"Show what a CSS selector finds on the pages." placeholder:"CSS" xor:"do"`
	XPath     string   `name:"xpath" help:"Show what an XPath expression finds." placeholder:"EXPRESSION" xor:"do"`
	HTML      bool     `name:"html" help:"Show the whole elements that are found, as HTML."`
	Diff      bool     `help:"Name the first page that differs from the last good recording in its tables, columns, forms, fields, or headings." xor:"do"`
	With      string   `help:"With --diff: compare with the recording in this folder instead." type:"path" placeholder:"DIR"`
	Out       string   `short:"o" help:"Write the page to this file, as the scraper reads it, in UTF-8." type:"path" placeholder:"FILE" xor:"do"`
	Open      bool     `help:"Show the page in a browser, without scripts and further requests." xor:"do"`
	Shell     bool     `help:"Keep a prompt open on the pages: select, click, fill in forms, save as a recording." xor:"do"`
	DB        string   `name:"db" help:"Look for evidence beside this database (default: ${default})." default:"data.sqlite" type:"path" placeholder:"FILE"`
	Evidence  string   `help:"Look for evidence in this folder instead." type:"path" placeholder:"DIR"`
	Rows      []string `help:"Read more ${sites} from these files." type:"path" placeholder:"FILE"`
	Fixtures  bool     `help:"With --live: ask the built-in site."`
	Misbehave []string `help:"Make built-in sites fail: LABEL=HOW." placeholder:"LABEL=HOW"`
	AsOf      string   `help:"With --live: search as if it were this day." placeholder:"2019-05-15"`
}

// subject is the site whose pages are shown.
type subject struct {
	entry registry.Entry // without a scraper for a URL of any site
	site  egress.Site
}

func (p *pageCommand) Run(ctx context.Context, c cli.Console) (int, error) {
	s, err := p.subject()
	if err != nil {
		return cli.ExitUsage, err
	}
	if p.Live || s.entry.Label == "" {
		return p.fromSite(ctx, c, s)
	}
	path, about, err := p.recording(s)
	if err != nil {
		return cli.ExitUsage, err
	}
	recorded, err := cassette.Load(path)
	if err != nil {
		return cli.ExitUsage, err
	}
	fmt.Fprintln(c.Stdout, about)
	if why := p.reason(ctx, path); why != "" {
		fmt.Fprintln(c.Stdout, "  "+why)
	}
	played := agent.New(agent.Config{Fetch: fetch.Config{Transport: again{recorded}}})
	defer played.Close()
	return p.show(ctx, c, s, recorded, played, func(to string) error { return recorded.Write(to) })
}

// show does what the flags say with what was exchanged. keep writes that into a file.
func (p *pageCommand) show(ctx context.Context, c cli.Console, s subject, recorded *cassette.Cassette, a *agent.Agent, keep func(path string) error) (int, error) {
	v := viewer.View{Out: c.Stdout, Tape: look.NewTape(ctx, recorded, a), HTML: p.HTML}
	switch {
	case p.Shell:
		return cli.ExitOK, p.shell(ctx, c, s, v, a, keep)
	case p.Diff:
		good, err := p.goodTape(ctx, s, a)
		if err != nil {
			return cli.ExitUsage, err
		}
		d := v.Differ(good)
		if d == nil {
			return cli.ExitOK, nil
		}
		p.next(c, fmt.Sprintf(" -p %d%s", d.Page.Number, report.Flag("select", d.Selector())))
		return cli.ExitUnexpected, nil
	case p.Select != "" || p.XPath != "":
		on, err := p.shown(v.Tape)
		if err != nil {
			return cli.ExitUsage, err
		}
		found, err := v.Find(look.Selector{CSS: p.Select, XPath: p.XPath}, on...)
		return map[bool]int{false: cli.ExitUnexpected}[found], err
	}
	return p.showPage(c, v)
}

// showPage writes or opens one page, or describes it.
func (p *pageCommand) showPage(c cli.Console, v viewer.View) (int, error) {
	last, any := v.Tape.Last()
	if p.Number != nil {
		var err error
		if last, err = v.Tape.Number(*p.Number); err != nil {
			return cli.ExitUsage, err
		}
	} else if !any && (p.Out != "" || p.Open) {
		return cli.ExitUnexpected, errors.New("no page came: only what --page names can be written or shown")
	}
	if p.Out == "" && !p.Open {
		if p.Number == nil {
			v.List()
		}
		if !any && p.Number == nil {
			return cli.ExitOK, nil
		}
		selector, err := v.Outline(last)
		if err != nil {
			return cli.ExitUnexpected, err
		}
		p.next(c, fmt.Sprintf(" -p %d%s", last.Number, report.Flag("select", selector)), " --diff", " --open", " --shell")
		return cli.ExitOK, nil
	}
	page, err := last.Page()
	if err != nil {
		return cli.ExitUnexpected, err
	}
	if p.Open {
		return cli.ExitOK, openPage(c, page)
	}
	return cli.ExitOK, writePage(p.Out, page)
}

// shown returns the pages that a selector is looked for on: the one that is named, or all.
func (p *pageCommand) shown(t *look.Tape) (on []look.Exchange, err error) {
	if p.Number != nil {
		e, err := t.Number(*p.Number)
		return []look.Exchange{e}, err
	}
	for _, e := range t.Exchanges() {
		if e.IsPage() && !e.Superseded {
			on = append(on, e)
		}
	}
	return on, nil
}

// next names commands that go on from here.
func (p *pageCommand) next(c cli.Console, flags ...string) {
	command := c.Name + " page " + report.Word(p.What)
	for _, f := range []struct {
		text  string
		given bool
	}{
		{" --good", p.Good}, {" --live", p.Live}, {" --fixtures", p.Fixtures}, {report.Flag("replay", p.Replay), p.Replay != ""},
		{report.Flag("evidence", p.Evidence), p.Evidence != ""}, {report.Flag("db", p.DB), filepath.Dir(p.DB) != here()},
	} {
		if f.given {
			command += f.text
		}
	}
	fmt.Fprintln(c.Stdout)
	for _, flag := range flags {
		fmt.Fprintf(c.Stdout, "  %s%s\n", command, flag)
	}
}

// here is the current folder, where the evidence is looked for by itself; "" if there is none.
func here() string {
	folder, err := os.Getwd()
	if err != nil {
		return ""
	}
	return folder
}

// shell keeps a prompt open.
func (p *pageCommand) shell(ctx context.Context, c cli.Console, s subject, v viewer.View, a *agent.Agent, keep func(string) error) error {
	shell := &viewer.Shell{
		View: v, Agent: a, Keep: keep, Write: writePage,
		Good: func() (*look.Tape, error) { return p.goodTape(ctx, s, a) },
		Open: func(page *agent.Page) error { return openPage(c, page) },
	}
	v.List()
	return shell.Run(ctx, viewer.NewLines(os.Stdin, cli.Unprinted(c.Stdout), s.site.Label+"> ", shell.Complete))
}

// pageTime is how long a site may be asked, without a prompt.
const pageTime = 30 * time.Minute
