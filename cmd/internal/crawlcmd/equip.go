package crawlcmd

import (
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/browser/render"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
	"github.com/multiscraper/multiscraper/scraperutils/web/robots"
)

// What is kept of hosts.
const (
	namesFor   = time.Minute      // their addresses
	idleFor    = 30 * time.Second // connections to them that nobody uses
	forgetHost = time.Hour        // their pace
	robotsOf   = 20_000           // their robots.txt
)

// urlsOfHost is how many URLs of a host are taken at a time. When they are done the host waits for a commit, which is time that one
// without delays does not get back.
const urlsOfHost = 64

// pagesInMemory is how many pages are in memory at once, whatever their number in flight.
const pagesInMemory = 256

// equip gives the worker a scheduler and a client.
func (j *job) equip() error {
	s, w := j.settings, j.worker
	p := s.pace
	p.NoRetry, p.DownFor = true, s.rules.Down
	if p.DownFor == 0 {
		p.DownFor = 10 * time.Minute
	}
	w.Name, w.URLs = cli.ProcessName(), urlsOfHost
	w.Rules, w.PerHost, w.Lease = s.rules, p.PerHost, s.lease
	w.Pages = pagesInMemory
	w.Scope, w.NoSitemaps, w.MaxPages = s.scope, !s.sitemaps, s.maxPages
	w.Extractors = []crawl.Extractor{crawl.Pages(s.links), crawl.Feeds}
	w.Scheduler = scheduler.New(scheduler.Config{Pacer: pace.New(p), MaxPerHost: p.PerHost, MaxRequests: s.requests, ForgetAfter: forgetHost})
	out := fetch.TransportConfig{
		Proxy: s.proxy, RememberNames: namesFor, Timeout: s.timeout, MaxIdlePerHost: max(p.PerHost, 2), IdleTimeout: idleFor,
	}
	if j.sites != nil {
		out.Dial = j.sites.Dial
	}
	way := fetch.NewDirect(out)
	bodies := new(fetch.Bodies)
	w.Free = bodies.Free
	if j.renderer != nil {
		way = &render.Transport{Renderer: j.renderer, Next: way}
	}
	client := fetch.New(fetch.Config{
		Transport: way,
		Timeout:   s.timeout,
		UserAgent: s.agent,
		Robots:    robots.NewCache(robots.Config{MaxHosts: robotsOf}),
		MaxBody:   s.maxBody,
		Bodies:    bodies,
		Room:      w.Room,
		Accept:    s.rules.Wants,
	})
	w.Client = client
	if j.renderer != nil {
		w.Client = rendered{client}
	}
	w.Wake, w.Filled = j.wake, j.filled
	w.OnVisit = j.visited
	w.OnTrouble = j.trouble
	return nil
}

// visited takes in what became of a fetch.
func (j *job) visited(v crawl.Visit) {
	j.tally.visited(v)
	line := j.log.Debug()
	if !line.Enabled() {
		return
	}
	line = line.Str("url", v.Item.URL).Str("state", string(v.Result.State)).Int("status", v.Result.Status)
	if v.Result.Reason != "" {
		line = line.Str("reason", v.Result.Reason)
	}
	if !v.Result.Due.IsZero() {
		line = line.Str("due", v.Result.Due.Local().Format(time.DateTime))
	}
	line.Str("took", v.Result.Took.Round(time.Millisecond).String()).Msg("fetched")
}

// trouble logs what is tried again.
func (j *job) trouble(err error) {
	if errors.Is(err, context.Canceled) || !j.troubles.News(err.Error(), time.Now()) {
		return
	}
	j.log.Warn().Err(err).Msg("tried again")
}

// rendered has pages be asked for as they are after their scripts. What is wanted whatever its type, such as a sitemap, is no page.
type rendered struct{ client *fetch.Client }

// Do implements scheduler.Client.
func (c rendered) Do(ctx context.Context, r *scraperutils.Request) (*scraperutils.Response, error) {
	if !r.AnyType {
		page := *r
		page.Rendered = true
		r = &page
	}
	return c.client.Do(ctx, r)
}

// KnowsRobots is the client's own.
func (c rendered) KnowsRobots(u *url.URL) bool { return c.client.KnowsRobots(u) }

// ReadRobots is the client's own.
func (c rendered) ReadRobots(ctx context.Context, u *url.URL) (*scraperutils.Response, error) {
	return c.client.ReadRobots(ctx, u)
}
