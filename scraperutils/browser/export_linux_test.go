package browser

import (
	"context"
	"net"
	"strings"

	chromium "github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"github.com/multiscraper/multiscraper/scraperutils/browser/cdp"
)

// Crash has the renderer of an open page die.
func (b *Browser) Crash(ctx context.Context, url string) error {
	b.mu.Lock()
	conn := b.current.conn
	b.mu.Unlock()
	all, err := cdp.Call(ctx, conn.Browser(), target.GetTargets, target.GetTargetsParams{})
	if err != nil {
		return err
	}
	for _, t := range all.TargetInfos {
		if !strings.HasPrefix(t.URL, url) {
			continue
		}
		flat := true
		s, err := cdp.Call(ctx, conn.Browser(), target.AttachToTarget, target.AttachToTargetParams{TargetID: t.TargetID, Flatten: &flat})
		if err != nil {
			return err
		}
		cdp.Start(conn.Session(s.SessionID), cdppage.Crash, chromium.Empty{})
		return nil
	}
	return context.Canceled
}

// Process returns the browser's process.
func (b *Browser) Process() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.current.program.Process.Pid
}

// Children returns the processes below a browser's, itself included.
func Children(browser int) []int {
	all := []int{browser}
	for _, child := range children(browser) {
		all = append(all, Children(child)...)
	}
	return all
}

// Renderers returns how many renderers a browser's process has.
func Renderers(browser int) int { return len(renderers(browser)) }

// Dialer returns what connects pages with servers.
func Dialer(o Options) func(context.Context, string, string) (net.Conn, error) { return dialer(o) }
