package crawlcmd

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// urlLine is a URL in JSON.
type urlLine struct {
	URL      string `json:"url"`
	ID       string `json:"id"`
	State    string `json:"state"`
	Reason   string `json:"reason,omitempty"`
	Status   int    `json:"status,omitempty"`
	Attempts int    `json:"attempts"`
	Visits   int    `json:"visits"`
	Due      string `json:"due,omitempty"`
	At       string `json:"at,omitempty"`
	Took     int64  `json:"took_ms,omitempty"`
	Bytes    int    `json:"bytes,omitempty"`
	Priority int    `json:"priority"`
	Depth    int    `json:"depth"` // links from what was added
	Via      string `json:"via,omitempty"`
	Digest   string `json:"digest,omitempty"`
	Added    string `json:"added"`
}

func lineOf(u crawl.URLStatus) urlLine {
	return urlLine{
		URL: u.URL, ID: u.ID, State: string(u.State), Reason: u.Reason, Status: u.Status, Attempts: u.Attempts, Visits: u.Visits, Due: stamp(u.Due), At: stamp(u.At),
		Took: u.Took.Milliseconds(), Bytes: u.Bytes, Priority: u.Priority, Depth: u.Depth, Via: u.Via, Digest: u.Digest, Added: stamp(u.Added),
	}
}

func printURL(w io.Writer, asJSON bool, u crawl.URLStatus) error {
	if asJSON {
		return json.NewEncoder(w).Encode(lineOf(u))
	}
	s := fmt.Sprintf("%s  %s", u.URL, u.State)
	if u.Status != 0 {
		s += fmt.Sprintf(" %d", u.Status)
	}
	if u.Reason != "" {
		s += fmt.Sprintf(" (%s)", u.Reason)
	}
	if u.Attempts > 0 {
		s += fmt.Sprintf(", tried %d×", u.Attempts)
	}
	if !u.Due.IsZero() {
		s += ", due " + clock(u.Due)
	}
	if !u.At.IsZero() {
		s += ", last answer " + clock(u.At)
	}
	_, err := fmt.Fprintln(w, strings.ReplaceAll(s, "\n", " "))
	return err
}

// urlCommand shows one URL.
type urlCommand struct {
	frontierFlag
	URL  string `arg:"" name:"url" help:"The URL, in any spelling."`
	JSON bool   `name:"json" help:"Print a JSON object."`
}

// Run implements cli.Command.
func (u *urlCommand) Run(ctx context.Context, c cli.Console) (int, error) {
	s, err := readSettings(c)
	if err != nil {
		return cli.ExitUsage, err
	}
	canonical, err := s.rules.Form.Parse(u.URL)
	if err != nil {
		return cli.ExitUsage, err
	}
	return look(ctx, c, func(_ settings, f crawl.Frontier) error {
		all, err := f.URLs(ctx, crawl.URLFilter{URL: canonical.String()})
		if err != nil {
			return err
		}
		if len(all) == 0 {
			return fmt.Errorf("%s is not known; crawl add has it fetched", canonical)
		}
		if err := printURL(c.Stdout, u.JSON, all[0]); err != nil || u.JSON {
			return err
		}
		hosts, err := f.Hosts(ctx, crawl.HostFilter{Name: all[0].Host.Name + ":" + all[0].Host.Port})
		if err != nil || len(hosts) == 0 {
			return err
		}
		return printHost(c.Stdout, false, slowHost{HostStatus: hosts[0]})
	})
}
