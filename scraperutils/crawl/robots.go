package crawl

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
)

// guarded is a client that reads a host's robots.txt before its pages, and can do so apart. Then the host rests after that too.
type guarded interface {
	KnowsRobots(u *url.URL) bool
	ReadRobots(ctx context.Context, u *url.URL) (*scraperutils.Response, error)
}

// readRobots reads the robots.txt of the host where that is not known. It reports whether pages may be asked for now; where they may not,
// what has happened is what became of the visit.
func (h *hostRun) readRobots(ctx context.Context, page *scraperutils.Request) (response *scraperutils.Response, ready bool, err error) {
	g, ok := h.round.worker.Client.(guarded)
	if !ok || g.KnowsRobots(page.URL) {
		return nil, true, nil
	}
	request := &scraperutils.Request{Method: http.MethodGet, URL: &url.URL{Scheme: page.URL.Scheme, Host: page.URL.Host, Path: "/robots.txt"}}
	client := h.once(func(ctx context.Context, r *scraperutils.Request) (*scraperutils.Response, error) {
		return g.ReadRobots(ctx, r.URL)
	})
	defer client.letGo()
	response, err = h.round.worker.Scheduler.Execute(ctx, client, request)
	var down *pace.DownError
	later := response != nil && response.Status != 0
	return response, err == nil || client.sent && !later && ctx.Err() == nil && !errors.As(err, &down), err
}
