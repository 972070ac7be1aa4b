package browser

import (
	"encoding/base64"
	"net/url"
	"strings"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"

	"github.com/multiscraper/multiscraper/scraperutils/browser/cdp"
)

// identity is what the page's requests say of the browser. One that was given stands alone; the browser's own goes with the names that
// Chromium has for itself, less the one that says it has no window.
func (g *page) identity() emulation.SetUserAgentOverrideParams {
	if g.visit.UserAgent != "" || !g.options.ownAgent {
		agent := g.visit.UserAgent
		if agent == "" {
			agent = g.options.UserAgent
		}
		return emulation.SetUserAgentOverrideParams{UserAgent: agent}
	}
	major := version.FindStringSubmatch(g.options.version)[1]
	full := g.options.version
	return emulation.SetUserAgentOverrideParams{UserAgent: g.options.UserAgent, UserAgentMetadata: &emulation.UserAgentMetadata{
		Brands:          []*emulation.UserAgentBrandVersion{{Brand: "Not:A-Brand", Version: "8"}, {Brand: "Chromium", Version: major}},
		FullVersionList: []*emulation.UserAgentBrandVersion{{Brand: "Not:A-Brand", Version: "8.0.0.0"}, {Brand: "Chromium", Version: full}},
		Platform:        "Linux",
	}}
}

// intercepts reports whether requests of the page have to wait for us: it costs time, so only where something is to be added to them.
func (g *page) intercepts() bool { return g.visit.Username != "" || len(g.visit.Header) > 0 }

// interception has documents wait where headers are to be added. A question for a password comes up only for what waits, so where one may be
// asked for, everything does.
func (g *page) interception() fetch.EnableParams {
	questions := g.visit.Username != ""
	pattern := &fetch.RequestPattern{URLPattern: "*"}
	if !questions {
		pattern.ResourceType = network.ResourceTypeDocument
	}
	return fetch.EnableParams{Patterns: []*fetch.RequestPattern{pattern}, HandleAuthRequests: &questions}
}

// resume lets a document's request go on, with the visit's headers where it is the page's own and goes to the host of the visit.
func (g *page) resume(s *cdp.Session, e *fetch.EventRequestPaused) {
	to := fetch.ContinueRequestParams{RequestID: e.RequestID}
	if g.main != nil && string(e.FrameID) == string(g.main.target) && g.document.status == 0 && g.sameHost(e.Request.URL) {
		for name, value := range headers(e.Request.Headers) {
			if _, replaced := lookup(g.visit.Header, name); !replaced {
				to.Headers = append(to.Headers, &fetch.HeaderEntry{Name: name, Value: value})
			}
		}
		for name, value := range g.visit.Header {
			to.Headers = append(to.Headers, &fetch.HeaderEntry{Name: name, Value: value})
		}
	}
	cdp.Start(s, fetch.ContinueRequest, to)
}

func lookup(header map[string]string, name string) (string, bool) {
	for other, value := range header {
		if strings.EqualFold(other, name) {
			return value, true
		}
	}
	return "", false
}

// authenticate gives the visit's password once to the host of the visit, for each address that asks. Where it is not taken, and to others,
// it is not given: the answer is then what the server has for strangers.
func (g *page) authenticate(s *cdp.Session, e *fetch.EventAuthRequired) {
	answer := &fetch.AuthChallengeResponse{Response: fetch.AuthChallengeResponseResponseCancelAuth}
	if g.visit.Username != "" && !g.asked[e.RequestID] && e.AuthChallenge != nil && e.AuthChallenge.Source != fetch.AuthChallengeSourceProxy && g.sameHost(e.AuthChallenge.Origin) {
		g.asked[e.RequestID] = true
		if strings.EqualFold(e.AuthChallenge.Scheme, "basic") {
			g.tracker.repeated(e.Request.URL, "Basic "+base64.StdEncoding.EncodeToString([]byte(g.visit.Username+":"+g.visit.Password)))
		}
		answer = &fetch.AuthChallengeResponse{Response: fetch.AuthChallengeResponseResponseProvideCredentials, Username: g.visit.Username, Password: g.visit.Password}
	}
	cdp.Start(s, fetch.ContinueWithAuth, fetch.ContinueWithAuthParams{RequestID: e.RequestID, AuthChallengeResponse: answer})
}

// sameHost reports whether a URL is of the scheme, host and port of the visit's.
func (g *page) sameHost(raw string) bool {
	a, err := url.Parse(raw)
	b, err2 := url.Parse(g.visit.URL)
	return err == nil && err2 == nil && a.Scheme == b.Scheme && strings.EqualFold(a.Host, b.Host)
}

// download notes a file that the page wanted to save. Where the browser told of no request for it, as for links that say download, it is told
// of here: it went out.
func (g *page) download(url string) {
	g.result.Downloads = append(g.result.Downloads, url)
	if onNetwork(url) && !g.tracker.knows(url) {
		g.tell(Request{URL: url, Method: "GET", Header: map[string]string{}})
	}
}
