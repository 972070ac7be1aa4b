package browser

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/chromedp/cdproto/browser"
	chromium "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/multiscraper/multiscraper/scraperutils/browser/cdp"
)

// attached is a target of the page: a window, a frame of another process, a worker.
type attached struct {
	*cdp.Session
	kind   string // as the protocol has it: page, iframe, worker, shared_worker, service_worker
	target target.ID
	within *attached // what it belongs to; nil for windows, shared and service workers
}

// maxWindows is how many windows a page may open. Others are closed at once.
const maxWindows = 20

// maxPostData is how large a body the browser may tell of beside its request, in bytes.
const maxPostData = 64 << 20

// handle takes an event.
func (g *page) handle(e cdp.Event) error {
	switch e.Method {
	case target.AttachedToTarget.Method:
		var to target.EventAttachedToTarget
		if err := e.Read(&to); err != nil {
			return fmt.Errorf("read what the browser tells of a target: %w", err)
		}
		g.attach(e.Session, &to)
		return nil
	case target.DetachedFromTarget.Method:
		var from target.EventDetachedFromTarget
		if err := e.Read(&from); err != nil {
			return fmt.Errorf("read what the browser tells of a target: %w", err)
		}
		return g.detach(from.SessionID)
	case inspector.TargetCrashed.Method:
		if g.main != nil && e.Session == g.main.ID {
			return g.crashed()
		}
	case cdppage.LoadEventFired.Method:
		if g.main != nil && e.Session == g.main.ID && g.document.loader != "" {
			g.loaded()
		}
	case cdppage.DomContentEventFired.Method:
		if g.main != nil && e.Session == g.main.ID && g.document.loader != "" {
			g.ready = true
		}
	case cdppage.FrameAttached.Method, cdppage.FrameDetached.Method:
		g.framed(e)
	case cdppage.JavascriptDialogOpening.Method:
		cdp.Start(g.process.conn.Session(e.Session), cdppage.HandleJavaScriptDialog, cdppage.HandleJavaScriptDialogParams{Accept: true})
	case "Page.downloadWillBegin":
		var file struct {
			URL string `json:"url"`
		}
		if e.Read(&file) == nil {
			g.download(file.URL)
		}
	case fetch.RequestPaused.Method:
		var paused fetch.EventRequestPaused
		if e.Read(&paused) == nil {
			g.resume(g.process.conn.Session(e.Session), &paused)
		}
	case fetch.AuthRequired.Method:
		var required fetch.EventAuthRequired
		if e.Read(&required) == nil {
			g.authenticate(g.process.conn.Session(e.Session), &required)
		}
	default:
		return g.observe(e)
	}
	return nil
}

// attach prepares a target and lets it run. The browser takes the commands of a session in their order, so that the target's first request
// is told of. Most are not waited for: some are answered only when the target runs.
func (g *page) attach(parent target.SessionID, to *target.EventAttachedToTarget) {
	s := &attached{Session: g.process.conn.Session(to.SessionID), kind: to.TargetInfo.Type, target: to.TargetInfo.TargetID, within: g.sessions[parent]}
	g.sessions[s.ID] = s
	if s.kind == "page" {
		if g.windows++; g.windows > maxWindows {
			cdp.Start(g.process.conn.Browser(), target.CloseTarget, target.CloseTargetParams{TargetID: s.target})
			cdp.Start(s.Session, runtime.RunIfWaitingForDebugger, chromium.Empty{}) // whoever opened it waits
			return
		}
	}
	if s.kind == "service_worker" && onNetwork(to.TargetInfo.URL) && !g.tracker.knows(to.TargetInfo.URL) {
		g.scripts[to.TargetInfo.URL] = false
	}
	limit := int64(maxPostData)
	enabled := cdp.Start(s.Session, network.Enable, network.EnableParams{MaxPostDataSize: &limit})
	cdp.Start(s.Session, target.SetAutoAttach, attachment(true))
	cdp.Start(s.Session, emulation.SetUserAgentOverride, g.identity())
	if g.intercepts() {
		cdp.Start(s.Session, fetch.Enable, g.interception())
	}
	if s.kind == "page" || s.kind == "iframe" {
		g.addFrame(chromium.FrameID(s.target), s)
		cdp.Start(s.Session, inspector.Enable, chromium.Empty{})
		cdp.Start(s.Session, cdppage.Enable, cdppage.EnableParams{})
		cdp.Start(s.Session, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	}
	run := cdp.Start(s.Session, runtime.RunIfWaitingForDebugger, chromium.Empty{})
	if g.main == nil && s.kind == "page" {
		g.main = s
		g.status.phase(PhaseLoading, time.Now())
		g.async(func(ctx context.Context) func() { return g.navigate(ctx, s, enabled, run) })
		g.async(g.ping)
	}
}

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

// detach forgets a target that is gone. Without its window a page is over.
func (g *page) detach(id target.SessionID) error {
	s := g.sessions[id]
	delete(g.sessions, id)
	if s != nil {
		g.dropFrames(s)
	}
	if s != nil && s == g.main {
		return &PageError{KindCrash, g.visit.URL, errors.New("its window is gone")}
	}
	return nil
}

// crashed says why the page's renderer died.
func (g *page) crashed() error {
	if g.process.overfed() {
		return &PageError{KindMemory, g.visit.URL, errMemory(g.options.Limits.Memory)}
	}
	return &PageError{KindCrash, g.visit.URL, errors.New("its renderer died")}
}

// errHangs is a renderer that does not answer.
var errHangs = errors.New("its renderer does not answer")

// pingPause is between an answer to a ping and the next one.
const pingPause = 2 * time.Second

// ping asks the page's renderer for a sign of life, for as long as the page is open.
func (g *page) ping(ctx context.Context) func() {
	limit := g.options.Limits.Unresponsive
	if err := sleep(ctx, pingPause); err != nil {
		return nil
	}
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	_, err := cdp.Call(within, g.main.Session, runtime.Evaluate, runtime.EvaluateParams{Expression: "0"})
	missed := errors.Is(err, context.DeadlineExceeded)
	return func() {
		if !missed {
			g.missed = 0
		} else if g.missed++; g.missed == 2 {
			g.end(&PageError{KindHang, g.visit.URL, fmt.Errorf("%w, twice for %s", errHangs, limit)})
		}
		g.async(g.ping)
	}
}

// sleep waits. The error is ctx's cause.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// denyDownloads has files not be saved.
func (g *page) denyDownloads(ctx context.Context) error {
	_, err := cdp.Call(ctx, g.process.conn.Browser(), browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorDeny, BrowserContextID: g.context})
	return err
}

// lasting reports whether a session is one that tells of requests without their headers: of a shared worker.
func (g *page) lasting(id target.SessionID) bool {
	s := g.sessions[id]
	return s != nil && s.kind == "shared_worker"
}

// begin takes a request as it begins.
func (g *page) begin(from target.SessionID, e *network.EventRequestWillBeSent, now time.Time) {
	s := g.sessions[from]
	h := g.tracker.begin(from, e, g.lasting(from))
	if h == nil {
		return
	}
	path := e.Request.URL
	if u, err := url.Parse(path); err == nil {
		path = u.Host + u.Path
	}
	g.rest.begin(e.RequestID, h.Method+" "+path, e.Type, now)
	if e.Type == network.ResourceTypeDocument && g.main != nil && from == g.main.ID && string(e.FrameID) == string(g.main.target) {
		redirects := 0
		if e.LoaderID == g.document.loader {
			redirects = g.document.redirects + 1
		}
		g.document = document{loader: e.LoaderID, url: e.Request.URL, redirects: redirects}
		g.status.set(func(s *PageStatus) { s.URL = e.Request.URL })
	}
	if e.Request.HasPostData && s != nil {
		h.waits = true
		g.async(func(ctx context.Context) func() {
			body := postData(ctx, s.Session, e)
			return func() { g.tracker.body(e.RequestID, h, body) }
		})
	}
}

// bodyTime is how long a page may take to tell the body of a request.
const bodyTime = 5 * time.Second

// postData returns the body of a request. Files and blobs are only where the page is asked for it; where that is gone already, there is
// what came beside the request.
func postData(ctx context.Context, s *cdp.Session, e *network.EventRequestWillBeSent) []byte {
	within, cancel := context.WithTimeout(ctx, bodyTime)
	defer cancel()
	body, err := cdp.Call(within, s, network.GetRequestPostData, network.GetRequestPostDataParams{RequestID: e.RequestID})
	if err == nil {
		return append([]byte{}, body.PostData...)
	}
	inline := []byte{}
	for _, part := range e.Request.PostDataEntries {
		inline = append(inline, part.Bytes...)
	}
	return inline
}

// answered takes the answer that the page itself came with.
func (g *page) answered(e *network.EventResponseReceived) {
	if e.LoaderID != g.document.loader || e.Type != network.ResourceTypeDocument || network.RequestID(e.LoaderID) != e.RequestID {
		return
	}
	g.document.url, g.document.status = e.Response.URL, int(e.Response.Status)
	g.document.header = httpHeader(e.Response.Headers)
}
