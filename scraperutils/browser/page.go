package browser

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	chromium "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/target"

	"github.com/multiscraper/multiscraper/scraperutils/browser/cdp"
)

// page is one visit at work. Its loop owns what is not said to be another's; goroutines that wait for the browser give it their results
// as functions.
type page struct {
	visit   Visit
	options Options // with defaults
	process *process
	began   time.Time

	gate    *gate
	context chromium.BrowserContextID
	inbox   *cdp.Inbox
	ctx     context.Context // over when the page is, with why as its cause
	end     context.CancelCauseFunc
	results chan func()    // for the loop to run
	helpers sync.WaitGroup // the goroutines that wait for the browser

	main     *attached
	sessions map[target.SessionID]*attached
	frames   map[chromium.FrameID]*frame
	numbered int // frames so far
	acting   acting
	windows  int             // opened so far
	scripts  map[string]bool // of service workers, and whether they have been told of
	tracker  *tracker
	rest     *rest
	document document
	loadedAt time.Time
	ready    bool                     // the document is there, if not all that it needs
	asked    map[fetch.RequestID]bool // for which a password was given
	bodies   int                      // of requests, that the browser was asked for
	missed   int                      // pings in a row that nobody answered
	result   Result

	status status
}

// document is what the main frame shows.
type document struct {
	loader chromium.LoaderID
	url    string
	status int
	header http.Header

	redirects int // that led to it
}

// open opens a page in a browser process and returns what has come of it.
func (b *Browser) open(ctx context.Context, p *process, v Visit) (*Result, error) {
	g := &page{
		visit: v, options: b.options, process: p, began: time.Now(), results: make(chan func()),
		sessions: map[target.SessionID]*attached{}, frames: map[chromium.FrameID]*frame{}, asked: map[fetch.RequestID]bool{}, scripts: map[string]bool{},
	}
	g.rest = newRest(g.began)
	g.tracker = newTracker(g.tell)
	g.status.set(func(s *PageStatus) { *s = PageStatus{URL: v.URL, Phase: PhaseOpening, Since: g.began, Began: g.began} })
	b.watch(&g.status)
	defer b.unwatch(&g.status)
	limit := g.options.Limits.Page
	within, cancel := context.WithTimeoutCause(ctx, limit, &PageError{KindLoad, v.URL, fmt.Errorf("not done within %s", limit)})
	defer cancel()
	g.ctx, g.end = context.WithCancelCause(within)
	defer g.end(nil)
	var err error
	if g.acting.behavior, err = g.options.Behaviors.For(v.URL, v.Parameters); err != nil {
		return nil, &PageError{KindRefused, v.URL, err}
	}
	g.acting.counts = make([]int, len(g.acting.behavior.Actions))
	if err = g.start(); err == nil {
		err = g.loop()
	}
	err = g.finish(err)
	g.result.Took = time.Since(g.began)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, g.blame(err)
	}
	return &g.result, nil
}

// start makes the page's context, its way to the network, and its window.
func (g *page) start() error {
	var err error
	if g.gate, err = openGate(dialer(g.options)); err != nil {
		return err
	}
	within, cancel := context.WithTimeoutCause(g.ctx, 2*g.options.Limits.Unresponsive, errDeaf)
	defer cancel()
	browser := g.process.conn.Browser()
	made, err := cdp.Call(within, browser, target.CreateBrowserContext, target.CreateBrowserContextParams{ProxyServer: g.gate.address(), ProxyBypassList: "<-loopback>"})
	if err != nil {
		return err
	}
	g.context = made.BrowserContextID
	g.inbox = g.process.conn.Route(g.context)
	if err := g.denyDownloads(within); err != nil {
		return err
	}
	_, err = cdp.Call(within, browser, target.CreateTarget, target.CreateTargetParams{URL: "about:blank", BrowserContextID: g.context})
	return err
}

// errDeaf is a browser that does not answer: it is replaced.
var errDeaf = errors.New("the browser does not answer")

// loop takes what the browser tells and what goroutines have found, until the page is done or has failed.
func (g *page) loop() error {
	load := time.NewTimer(g.options.Limits.Load)
	defer load.Stop()
	look := time.NewTimer(time.Hour)
	defer look.Stop()
	for {
		select {
		case <-g.inbox.Ready():
			if err := g.take(); err != nil {
				return err
			}
		case f := <-g.results:
			f()
		case <-load.C:
			if err := g.late(); err != nil {
				return err
			}
		case <-look.C:
		case <-g.ctx.Done():
			return context.Cause(g.ctx)
		}
		now := time.Now()
		done, again := g.options.rule(g.rest, now)
		done = done && g.bodies == 0
		if over := g.loadedAt.Add(g.options.Limits.Behaviors); g.rest.loaded {
			done = done || !now.Before(over) // what it does then, it would do forever
			if again.IsZero() || again.After(over) {
				again = over
			}
		}
		if done {
			return nil
		}
		if !again.IsZero() {
			look.Reset(max(time.Until(again), time.Millisecond))
		}
	}
}

// late ends the time to load. A page whose document is there is taken as loaded: something that it needs does not come.
func (g *page) late() error {
	switch {
	case g.rest.loaded:
		return nil
	case g.missed > 0 && !g.unanswered():
		return &PageError{KindHang, g.visit.URL, errHangs}
	case !g.ready:
		return &PageError{KindLoad, g.visit.URL, fmt.Errorf("no document within %s", g.options.Limits.Load)}
	}
	g.loaded()
	return nil
}

// loaded begins what comes after the load event.
func (g *page) loaded() {
	now := time.Now()
	if g.rest.loaded {
		return
	}
	g.loadedAt = now
	g.rest.load(now)
	g.status.phase(PhaseBehaviors, now)
	g.rest.busy = !g.visit.WithoutBehaviors
	g.act(0)
}

// take takes what has come from the browser.
func (g *page) take() error {
	events, more := g.inbox.Take()
	for _, e := range events {
		if err := g.handle(e); err != nil {
			return err
		}
	}
	switch {
	case more:
		return nil
	case g.inbox.Overflow():
		return &PageError{KindMemory, g.visit.URL, errors.New("the page makes more requests than can be told of")}
	default:
		return cdp.ErrClosed
	}
}

// finish cuts the page off from the network, tells of the requests that have not been told of, and disposes of the page. It returns err, or
// what fails in it where there is none.
func (g *page) finish(err error) error {
	if err == nil {
		err = g.read()
	}
	g.status.phase(PhaseClosing, time.Now())
	g.end(err)
	if g.gate != nil {
		g.gate.Close() // what a page sends as it closes does not go out
	}
	g.helpers.Wait()
	if g.inbox == nil {
		return err
	}
	g.flush()
	g.tracker.finish()
	for script, told := range g.scripts {
		if !told {
			g.tell(Request{URL: script, Method: "GET", Header: map[string]string{"Service-Worker": "script"}})
		}
	}
	g.result.Requests = g.status.get().Requests
	g.dispose()
	return err
}

// flush takes what the browser has told so far.
func (g *page) flush() {
	within, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, _ = cdp.Call(within, g.process.conn.Browser(), target.GetTargets, target.GetTargetsParams{}) // one that does not answer has no more to tell
	events, _ := g.inbox.Take()
	for _, e := range events {
		_ = g.observe(e) // of requests alone: the page is over
	}
}

// dispose closes the page's windows and forgets what they kept. A browser that can't is not used again.
func (g *page) dispose() {
	defer g.process.conn.Forget(g.context)
	within, cancel := context.WithTimeout(context.Background(), 2*g.options.Limits.Unresponsive)
	defer cancel()
	if _, err := cdp.Call(within, g.process.conn.Browser(), target.DisposeBrowserContext, target.DisposeBrowserContextParams{BrowserContextID: g.context}); err != nil {
		g.process.fail(fmt.Errorf("a page could not be closed: %w", err))
	}
}

// go has a function wait for the browser. What it returns is run by the loop, unless the page is over.
func (g *page) async(f func(ctx context.Context) func()) {
	g.helpers.Go(func() {
		if result := f(g.ctx); result != nil {
			select {
			case g.results <- result:
			case <-g.ctx.Done():
			}
		}
	})
}

// tell passes a request on.
func (g *page) tell(r Request) {
	g.status.set(func(s *PageStatus) { s.Requests++ })
	if _, ok := g.scripts[r.URL]; ok {
		g.scripts[r.URL] = true
	}
	if g.visit.OnRequest != nil {
		g.visit.OnRequest(r)
	}
}

// blame makes a *PageError of what has ended the page.
func (g *page) blame(err error) error {
	var known *PageError
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, cdp.ErrClosed):
		return &PageError{KindGone, g.visit.URL, g.process.reason()}
	case errors.Is(err, errDeaf):
		g.process.fail(err)
		return &PageError{KindGone, g.visit.URL, err}
	default:
		return &PageError{KindCrash, g.visit.URL, err}
	}
}
