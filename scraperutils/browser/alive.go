package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/multiscraper/multiscraper/scraperutils/browser/cdp"
)

// crashed says why a renderer died, where it was one of the page's: its window's, or that of a frame or another window. What these would
// have asked for is missing.
func (g *page) crashed(gone *target.EventTargetCrashed) error {
	for _, s := range g.sessions {
		switch {
		case s.target != gone.TargetID || s.kind != "page" && s.kind != "iframe":
			continue
		case gone.Status == wasKilled && g.process.overfed():
			return &PageError{KindMemory, g.visit.URL, errMemory(g.options.Limits.Memory)}
		case s != g.main:
			return &PageError{KindCrash, g.visit.URL, fmt.Errorf("the renderer of a %s in it died (%s)", words[s.kind], gone.Status)}
		}
		return &PageError{KindCrash, g.visit.URL, fmt.Errorf("its renderer died (%s)", gone.Status)}
	}
	return nil
}

// wasKilled is how the browser calls the end of a renderer that another process killed.
const wasKilled = "killed"

// words are what people call targets.
var words = map[string]string{"page": "window", "iframe": "frame"}

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
		if !missed || g.unanswered() {
			g.missed = 0
		} else if g.missed++; g.missed == 2 {
			g.end(&PageError{KindHang, g.visit.URL, fmt.Errorf("%w, twice for %s", errHangs, limit)})
		}
		g.async(g.ping)
	}
}

// unanswered reports whether the page waits for an answer of its server. The browser holds back what a renderer is asked until it has come.
func (g *page) unanswered() bool { return g.document.status == 0 }

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
