package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	chromium "github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/multiscraper/multiscraper/scraperutils/browser/cdp"
)

// world is the name of the part of a page that its own scripts can't reach, in which ours run.
const world = "browser"

// read reads what the page has become.
func (g *page) read() error {
	g.status.phase(PhaseReading, time.Now())
	g.result.URL, g.result.Status, g.result.Header, g.result.Redirects = g.document.url, g.document.status, g.document.header, g.document.redirects
	if g.document.status == http.StatusUnauthorized && g.document.header.Get("WWW-Authenticate") != "" {
		return &PageError{KindPassword, g.visit.URL, errPassword(len(g.asked) > 0)}
	}
	if !g.ready { // a download, or an answer without a document
		return nil
	}
	within, cancel := context.WithTimeoutCause(g.ctx, g.options.Limits.Unresponsive, &PageError{KindHang, g.visit.URL, errHangs})
	defer cancel()
	if err := g.evaluate(within, g.main, chromium.FrameID(g.main.target), documentScript, &g.result.HTML); err != nil {
		return fmt.Errorf("read the document: %w", err)
	}
	if g.visit.Outlinks {
		g.result.Outlinks = g.outlinks(within)
	}
	return nil
}

// linksScript returns the links of a document as JSON.
const linksScript = `JSON.stringify(Array.from(document.querySelectorAll("a[href], area[href]"), a => a.href).filter(l => typeof l === "string"))`

// outlinks returns where the links of all frames lead, and those that behaviors have seen. A frame that does not answer has none.
func (g *page) outlinks(ctx context.Context) []string {
	all := g.acting.links
	for _, f := range g.places() {
		var text string
		var links []string
		if g.evaluate(ctx, f.of, f.id, linksScript, &text) == nil && json.Unmarshal([]byte(text), &links) == nil {
			all = append(all, links...)
		}
	}
	known := map[string]bool{}
	distinct := []string{}
	for _, link := range all {
		link, _, _ = strings.Cut(link, "#")
		if onNetwork(link) && !known[link] {
			known[link] = true
			distinct = append(distinct, link)
		}
	}
	return distinct
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
