package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/runtime"

	"github.com/multiscraper/multiscraper/scraperutils/browser/cdp"
)

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
