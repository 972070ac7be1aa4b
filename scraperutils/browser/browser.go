package browser

import "context"

// Programs are the names under which a browser is looked for, the best first.
var Programs = []string{"chromium-headless-shell", "chrome-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}

// Browser opens pages in one Chromium process at a time. Its methods may be called from any goroutine.
type Browser struct{}

// Open starts a browser. The error names the programs that are accepted where there is none. Ctx bounds the start alone.
func Open(ctx context.Context, o Options) (*Browser, error) {
	return &Browser{}, nil
}

// Close ends all pages and waits for them and the process: none is left.
func (b *Browser) Close() error { return nil }
