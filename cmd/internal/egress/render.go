package egress

import (
	"errors"
	"net/http"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/render"
)

// rendering is a way to the network by which pages can be had as they are after their scripts. A browser goes its own way there: where that would be
// another one, it is not taken.
func (n *Network) rendering(w way) http.RoundTripper {
	if w.proxied || w.insecure || n.config.Loopback != nil {
		return plain{n.transports[w]}
	}
	return &render.Transport{Renderer: n.renderer, Next: n.transports[w]}
}

var errPlain = errors.New("a page that is to be rendered is asked for directly and with its certificate checked: " +
	"not through a proxy, not with tls_insecure, not of built-in sites")

// plain is a way to the network on which nothing is rendered.
type plain struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (p plain) RoundTrip(r *http.Request) (*http.Response, error) {
	if scraperutils.WantsRendered(r.Context()) {
		return nil, errPlain
	}
	return p.next.RoundTrip(r)
}
