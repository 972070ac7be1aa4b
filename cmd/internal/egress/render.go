package egress

import (
	"errors"
	"net/http"

	"github.com/multiscraper/multiscraper/scraperutils/browser/render"
)

// rendering is a way to the network by which pages can be had as they are after their scripts. A browser goes its own way there: where that would be
// another one, it is not taken.
func (n *Network) rendering(w way) http.RoundTripper {
	t := &render.Transport{Renderer: n.renderer, Next: n.transports[w]}
	if w.proxied || w.insecure || n.config.Loopback != nil {
		t.Refusal = errPlain
	}
	return t
}

var errPlain = errors.New("a page that is to be rendered is asked for directly and with its certificate checked: " +
	"not through a proxy, not with tls_insecure, not of built-in sites")
