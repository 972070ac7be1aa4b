package browser

import (
	"context"
	"errors"
	"net"
	"net/url"
	"strings"

	chromium "github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/browser/cdp"
)

// navigate opens the page's URL in its window, once the window tells of requests.
func (g *page) navigate(ctx context.Context, s *attached, before ...*cdp.Pending[chromium.Empty]) func() {
	for _, command := range before {
		if _, err := command.Wait(ctx); err != nil {
			return func() { g.end(err) }
		}
	}
	to, err := cdp.Call(ctx, s.Session, cdppage.Navigate, cdppage.NavigateParams{URL: g.visit.URL})
	return func() {
		switch {
		case err != nil:
			g.end(err)
		case to.ErrorText == "":
		case to.ErrorText == "net::ERR_ABORTED": // a download, an answer without a document, or a page that moves on before it is there
			if to.IsDownload || g.document.status == 204 || g.document.status == 205 {
				g.loaded()
			}
		default:
			g.end(g.unreached(to.ErrorText))
		}
	}
}

// netError is why no document came, as the browser says it.
type netError string

func (e netError) Error() string { return strings.TrimPrefix(string(e), "net::") }

// Class goes by the browser's name of the error.
func (e netError) Class() scraperutils.Class {
	switch text := e.Error(); {
	case strings.HasPrefix(text, "ERR_CERT_"), strings.HasPrefix(text, "ERR_SSL_"), strings.HasPrefix(text, "ERR_BAD_SSL_"):
		return scraperutils.ClassTLS
	case strings.Contains(text, "TIMED_OUT"):
		return scraperutils.ClassTimeout
	case text == "ERR_NAME_NOT_RESOLVED":
		return scraperutils.ClassDNS
	case text == "ERR_TOO_MANY_REDIRECTS":
		return scraperutils.ClassHTTP3xx
	case strings.HasPrefix(text, "ERR_INVALID_"), strings.HasPrefix(text, "ERR_HTTP2_"), strings.HasPrefix(text, "ERR_RESPONSE_"), strings.HasPrefix(text, "ERR_CONTENT_"):
		return scraperutils.ClassProtocol
	case strings.HasPrefix(text, "ERR_BLOCKED_"), text == "ERR_UNSAFE_REDIRECT", text == "ERR_UNSAFE_PORT", text == "ERR_UNKNOWN_URL_SCHEME":
		return scraperutils.ClassOther
	default:
		return scraperutils.ClassConnect
	}
}

// unreached says why no document came. What the browser puts down to its proxy is the gate's to explain.
func (g *page) unreached(text string) error {
	var err error = netError(text)
	at, parseErr := url.Parse(g.document.url)
	if parseErr == nil && (strings.Contains(text, "SOCKS") || strings.Contains(text, "PROXY") || strings.Contains(text, "TUNNEL")) {
		host := scraperutils.HostOf(at)
		if why := g.gate.failure(net.JoinHostPort(host.Name, host.Port)); why != nil {
			err = why
		}
	}
	var refused *AddressError
	switch {
	case errors.As(err, &refused):
		return &PageError{KindRefused, g.visit.URL, err}
	default:
		return &PageError{KindNet, g.visit.URL, err}
	}
}
