package egress

import (
	"net/url"
	"sync"

	"github.com/multiscraper/multiscraper/scraperutils/web/cassette"
)

// robotsNotes remembers every robots.txt of a run. The first session that needs one fetches it, and it binds all sessions; but a
// recording without it does not reproduce what it forbids. Its methods may be called from any goroutine.
type robotsNotes struct {
	mu    sync.Mutex
	notes map[string]cassette.Interaction // guarded by mu; by URL, the latest
}

// note takes every exchange as it ends.
func (n *robotsNotes) note(i cassette.Interaction) {
	u, err := url.Parse(i.Request.URL)
	if err != nil || u.Path != "/robots.txt" {
		return
	}
	body, err := i.Response.Body.Bytes()
	if err != nil || i.Response.Body.Cut != cassette.Whole {
		return
	}
	i.Response.Body = cassette.NewBody(body) // it outlives its recorder
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.notes == nil {
		n.notes = map[string]cassette.Interaction{}
	}
	n.notes[i.Request.URL] = i
}

// of returns those of a site's host, whatever the port: one may redirect to the other.
func (n *robotsNotes) of(site string) (all []cassette.Interaction) {
	want, err := url.Parse(site)
	if err != nil {
		return nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, i := range n.notes {
		if u, err := url.Parse(i.Request.URL); err == nil && u.Hostname() == want.Hostname() {
			all = append(all, i)
		}
	}
	return all
}
