package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/browser"
	chromium "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/fetch"
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
	away   bool      // it is a window too many: its requests wait until it is closed
}

// maxWindows is how many windows a page may have opened. Others are turned away.
const maxWindows = 10

// maxPostData is how large a body the browser may tell of beside its request, in bytes. It is asked for all, but the page may be gone then.
const maxPostData = 1 << 20

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
	case target.TargetCrashed.Method:
		var gone target.EventTargetCrashed
		if e.Read(&gone) == nil {
			return g.crashed(&gone)
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
		if s := g.sessions[e.Session]; e.Read(&paused) == nil && (s == nil || !s.away) {
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
			g.turnAway(s)
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

// turnAway closes a window, once it runs: the page that opened it waits for that, and would wait forever if the window were closed before.
func (g *page) turnAway(s *attached) {
	s.away = true
	cdp.Start(s.Session, fetch.Enable, fetch.EnableParams{})
	run := cdp.Start(s.Session, runtime.RunIfWaitingForDebugger, chromium.Empty{})
	g.async(func(ctx context.Context) func() {
		_, _ = run.Wait(ctx) // or it is gone
		return func() {
			cdp.Start(g.process.conn.Browser(), target.CloseTarget, target.CloseTargetParams{TargetID: s.target})
		}
	})
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

// denyDownloads has files not be saved.
func (g *page) denyDownloads(ctx context.Context) error {
	_, err := cdp.Call(ctx, g.process.conn.Browser(), browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorDeny, BrowserContextID: g.context})
	return err
}
