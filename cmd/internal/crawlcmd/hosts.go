package crawlcmd

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// hostsCommand lists hosts.
type hostsCommand struct {
	frontierFlag
	JSON  bool `name:"json" help:"Print one JSON object per line."`
	Slow  bool `help:"List first the hosts that will take the longest to finish."`
	Limit int  `default:"100" placeholder:"N" help:"Limit the list to N."`
}

// Run implements cli.Command.
func (h *hostsCommand) Run(ctx context.Context, c cli.Console) (int, error) {
	if h.Limit < 1 {
		return cli.ExitUsage, &scraperutils.ConfigError{Name: "--limit", Value: fmt.Sprint(h.Limit), Accepted: "a number from 1"}
	}
	return look(ctx, c, func(_ settings, f crawl.Frontier) error {
		var all []slowHost
		if h.Slow {
			var err error
			if all, err = slowest(ctx, f, h.Limit); err != nil {
				return err
			}
		} else {
			hosts, err := f.Hosts(ctx, crawl.HostFilter{Limit: h.Limit})
			if err != nil {
				return err
			}
			for _, one := range hosts {
				all = append(all, slowHost{HostStatus: one})
			}
		}
		for _, one := range all {
			if err := printHost(c.Stdout, h.JSON, one); err != nil {
				return err
			}
		}
		return nil
	})
}

// hostLine is a host in JSON.
type hostLine struct {
	Host      string `json:"host"`
	Pending   int    `json:"pending"`
	Retrying  int    `json:"retrying"`
	Done      int    `json:"done"`
	Failed    int    `json:"failed"`
	Due       string `json:"due,omitempty"`
	NotBefore string `json:"not_before,omitempty"`
	Interval  int64  `json:"interval_ms,omitempty"`
	Rule      string `json:"rule,omitempty"`
	Trouble   string `json:"trouble,omitempty"`
	Downs     int    `json:"downs,omitempty"`
	Owner     string `json:"owner,omitempty"`
}

func printHost(w io.Writer, asJSON bool, h slowHost) error {
	if asJSON {
		return json.NewEncoder(w).Encode(hostLine{
			Host: h.Host.String(), Pending: h.Pending, Retrying: h.Retrying, Done: h.Done, Failed: h.Failed, Due: stamp(h.Due), NotBefore: stamp(h.NotBefore),
			Interval: h.Interval.Milliseconds(), Rule: h.Rule, Trouble: h.Trouble, Downs: h.Downs, Owner: h.Owner,
		})
	}
	_, err := fmt.Fprintf(w, "%s; %s done, %s failed\n", h, scraperutils.Digits(h.Done), scraperutils.Digits(h.Failed))
	return err
}

// stamp is a time as JSON has it; "" where there is none.
func stamp(t time.Time) string {
	if t.Unix() <= 0 {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z07:00")
}

// hostCommand shows one host.
type hostCommand struct {
	frontierFlag
	Name string `arg:"" help:"The host, as example.org or example.org:8080."`
	JSON bool   `name:"json" help:"Print one JSON object per line: the host, then its URLs."`
	URLs int    `name:"urls" default:"20" placeholder:"N" help:"List at most N of its URLs."`
}

// Run implements cli.Command.
func (h *hostCommand) Run(ctx context.Context, c cli.Console) (int, error) {
	if h.URLs < 0 {
		return cli.ExitUsage, &scraperutils.ConfigError{Name: "--urls", Value: fmt.Sprint(h.URLs), Accepted: "a number from 0"}
	}
	return look(ctx, c, func(_ settings, f crawl.Frontier) error {
		hosts, err := f.Hosts(ctx, crawl.HostFilter{Name: h.Name})
		if err != nil {
			return err
		}
		if len(hosts) == 0 {
			return fmt.Errorf("no host %.200q is known; crawl hosts lists them", h.Name)
		}
		for _, one := range hosts {
			if err := printHost(c.Stdout, h.JSON, slowHost{HostStatus: one}); err != nil {
				return err
			}
			if h.URLs == 0 {
				continue
			}
			urls, err := f.URLs(ctx, crawl.URLFilter{HostID: one.ID, Limit: h.URLs})
			if err != nil {
				return err
			}
			for _, u := range urls {
				if err := printURL(c.Stdout, h.JSON, u); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
