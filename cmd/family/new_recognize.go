package family

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/PuerkitoBio/goquery"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/cmd/internal/egress"
	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
)

// check refuses flags that make no sense.
func (n *newCommand) check() error {
	u, err := url.Parse(n.URL)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https":
		return &scraperutils.ConfigError{Name: "--url", Value: scraperutils.ShownLink(n.URL), Accepted: "one that begins with http:// or https:// and a host"}
	case u.User != nil:
		return &scraperutils.ConfigError{Name: "--url", Value: scraperutils.ShownURL(u), Accepted: "one without a user and a password"}
	case n.Platform == "" && n.Replay != "":
		return &scraperutils.ConfigError{Name: "--platform", Value: "", Accepted: "the platform of the recording that --replay plays"}
	}
	return atLeastOne("--records", n.Records)
}

// settle finds out the platform and the url of the row from the address, or else from what stands there, and reports whether there is
// a platform. One that was given stays.
func (n *newCommand) settle(ctx context.Context, c cli.Console, out *egress.Network, loop *scheduler.Scheduler) (known bool, err error) {
	platform, address := n.family.New.recognize(n.URL)
	switch {
	case n.Platform == "" && platform != "":
		fmt.Fprintf(c.Stdout, "The address looks like %s.\n", platform)
	case n.Platform == "":
		return n.explore(ctx, c, out, loop)
	case n.Platform != platform && platform != "":
		return true, nil // the user knows better; the address stays as written
	}
	n.URL = address
	if platform != "" {
		n.Platform = platform
	}
	return true, nil
}

// explore fetches the address and looks for a platform in where that leads, and in what the page links to.
func (n *newCommand) explore(ctx context.Context, c cli.Console, out *egress.Network, loop *scheduler.Scheduler) (known bool, err error) {
	fmt.Fprintf(c.Stdout, "The address does not show whose software it is. Looking at %s\n", n.URL)
	var last *agent.Page
	e := registry.Entry{Site: site.Site{Label: n.Label, URL: n.URL}}
	out.ReachProxy(ctx, targetOf(e))
	session, err := out.Open(targetOf(e), func(p *agent.Page) {
		last = p
		fmt.Fprintln(c.Stdout, "  "+summary(p))
	})
	if err != nil {
		return false, err
	}
	err = loop.Register(e.Label, func(ctx context.Context) error {
		_, err := session.Agent.Get(ctx, n.URL)
		return err
	})
	if err != nil {
		return false, err
	}
	results, err := loop.Run(ctx)
	if err = cmp.Or(err, results.Err); err != nil {
		return false, err
	}
	if last != nil {
		if where, platform, address := n.lead(last); platform != "" {
			fmt.Fprintf(c.Stdout, "%s looks like %s.\n\n", where, platform)
			n.Platform, n.URL = platform, address
			return true, loop.Reset()
		}
		describe(c.Stdout, last)
	}
	if failure := results.Operations[0].Err; failure != nil {
		fmt.Fprintf(c.Stdout, "\nit ended with: %s - %v\n", scraperutils.ClassOf(failure), failure)
	}
	fmt.Fprintf(c.Stdout, "\nNothing there shows whose software it is. --platform says so: one of %s.\n", strings.Join(n.family.Registry.Platforms.Names(), ", "))
	return false, nil
}

// lead returns what shows a page's platform: its own address, or the first that it links to.
func (n *newCommand) lead(p *agent.Page) (where, platform, address string) {
	if platform, address := n.family.New.recognize(p.URL.String()); platform != "" {
		return "Where that leads, " + scraperutils.ShownURL(p.URL) + ",", platform, address
	}
	document, err := p.Document()
	if err != nil {
		return "", "", ""
	}
	document.Find("a[href], form[action], frame[src], iframe[src]").EachWithBreak(func(_ int, s *goquery.Selection) bool {
		for _, name := range []string{"href", "action", "src"} {
			u, err := p.Resolve(s.AttrOr(name, ""))
			if err != nil {
				continue
			}
			u.User = nil // a page's secrets are none of ours
			if platform, address = n.family.New.recognize(u.String()); platform != "" {
				where = "What the page links to, " + scraperutils.ShownURL(u) + ","
				return false
			}
		}
		return true
	})
	if platform == "" {
		return "", "", ""
	}
	return where, platform, address
}
