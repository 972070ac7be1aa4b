package browser

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	chromium "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/browser/cdp"
)

// world is the name of the part of a page that its own scripts can't reach, in which ours run.
const world = "browser"

// read reads what the page has become.
func (g *page) read() error {
	g.status.phase(PhaseReading, time.Now())
	g.result.URL, g.result.Status, g.result.Header = g.document.url, g.document.status, g.document.header
	if g.document.status == http.StatusUnauthorized && g.document.header.Get("WWW-Authenticate") != "" {
		return &PageError{KindPassword, g.visit.URL, errPassword(g.asked)}
	}
	if !g.ready { // a download, or an answer without a document
		return nil
	}
	within, cancel := context.WithTimeoutCause(g.ctx, g.options.Limits.Unresponsive, &PageError{KindHang, g.visit.URL, errHangs})
	defer cancel()
	if err := g.evaluate(within, g.main, chromium.FrameID(g.main.target), documentScript, &g.result.HTML); err != nil {
		return fmt.Errorf("read the document: %w", err)
	}
	return nil
}

// documentScript returns the document as text.
const documentScript = `(document.doctype ? new XMLSerializer().serializeToString(document.doctype) + "\n" : "") + (document.documentElement ? document.documentElement.outerHTML : "")`

// evaluate runs a script in a frame, out of reach of the page's own, and reads what it comes to.
func (g *page) evaluate(ctx context.Context, s *attached, f chromium.FrameID, script string, into *string) error {
	made, err := cdp.Call(ctx, s.Session, cdppage.CreateIsolatedWorld, cdppage.CreateIsolatedWorldParams{FrameID: f, WorldName: world})
	if err != nil {
		return err
	}
	byValue := true
	value, err := cdp.Call(ctx, s.Session, runtime.Evaluate, runtime.EvaluateParams{Expression: script, ContextID: made.ExecutionContextID, ReturnByValue: &byValue})
	if err != nil {
		return err
	}
	if value.ExceptionDetails != nil {
		return fmt.Errorf("a script fails: %s", value.ExceptionDetails.Text)
	}
	return cdp.Unmarshal(value.Result.Value, into)
}

type errPassword bool // one was given

func (e errPassword) Error() string {
	if e {
		return "the password is wrong"
	}
	return "a password is asked for, and none was given"
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
	case asAddressError(err, &refused):
		return &PageError{KindRefused, g.visit.URL, err}
	default:
		return &PageError{KindNet, g.visit.URL, err}
	}
}

// httpHeader are headers as the standard library has them.
func httpHeader(all network.Headers) http.Header {
	own := http.Header{}
	for name, value := range headers(all) {
		for line := range strings.SplitSeq(value, "\n") {
			own.Add(name, line)
		}
	}
	return own
}
