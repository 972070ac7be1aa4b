package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/browser/behavior"
)

// Programs are the names of browsers that Open looks for, the best first.
var Programs = []string{"chromium-headless-shell", "chrome-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}

// Browser opens pages in one Chromium process at a time. Its methods may be called from any goroutine.
type Browser struct {
	options Options // with defaults
	path    string
	places  chan struct{} // holds one for each page that is open
	closing context.Context
	close   context.CancelFunc
	visits  sync.WaitGroup // pages, and processes that end

	starting chan struct{} // holds one while a process is started

	mu      sync.Mutex       // guards the rest
	closed  bool             // no page is opened any more
	current *process         // that pages are opened in; nil: the next page starts one
	watched map[*status]bool // what every page is doing
}

// Open starts a browser. If there is none, the error names the accepted programs. Ctx limits only the start.
func Open(ctx context.Context, o Options) (*Browser, error) {
	path, err := find(o.Path)
	if err != nil {
		return nil, err
	}
	o = o.withDefaults()
	b := &Browser{options: o, path: path, places: make(chan struct{}, o.Pages), starting: make(chan struct{}, 1), watched: map[*status]bool{}}
	b.closing, b.close = context.WithCancel(context.Background())
	if b.options.version, err = programVersion(ctx, path); err != nil {
		return nil, err
	}
	if b.options.UserAgent == "" {
		b.options.ownAgent, b.options.UserAgent = true, userAgent(b.options.version)
	}
	if err := b.start(ctx); err != nil {
		return nil, err
	}
	return b, nil
}

// withDefaults replaces what is zero.
func (o Options) withDefaults() Options {
	o.Pages = max(cmp.Or(o.Pages, DefaultPages), 1)
	o.PagesPerProcess = max(cmp.Or(o.PagesPerProcess, DefaultPagesPerProcess), 1)
	if o.Behaviors == nil {
		o.Behaviors = behavior.Default()
	}
	l := &o.Limits
	l.Load = cmp.Or(l.Load, 30*time.Second)
	l.Behaviors = cmp.Or(l.Behaviors, 60*time.Second)
	l.Page = cmp.Or(l.Page, 120*time.Second)
	l.Memory = cmp.Or(l.Memory, 600<<20)
	l.Unresponsive = cmp.Or(l.Unresponsive, 15*time.Second)
	if o.rule == nil {
		o.rule = (*rest).done
	}
	if o.OnTrouble == nil {
		o.OnTrouble = func(error) {}
	}
	return o
}

// find returns the path of the browser's program.
func find(path string) (string, error) {
	names := Programs
	if path != "" {
		names = []string{path}
	}
	for _, name := range names {
		if found, err := exec.LookPath(name); err == nil {
			return unwrapped(found), nil
		}
	}
	if path != "" {
		return "", fmt.Errorf("no browser: %s is no program: expected Chromium, such as Debian's package chromium-headless-shell", path)
	}
	return "", fmt.Errorf("no browser: none of %s is on the PATH: Debian's package chromium-headless-shell has one", strings.Join(Programs, ", "))
}

// Close ends all pages and the process, and waits for them.
func (b *Browser) Close() error {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.close()
	b.visits.Wait()
	b.mu.Lock()
	last := b.current
	b.current = nil
	b.mu.Unlock()
	if last != nil {
		last.end()
	}
	return nil
}

// Visit opens a page and returns when it is done. Before that, it waits until fewer than Options.Pages are open. The error is ctx's cause
// or a *PageError. Requests that went out before the error have been reported. Visit may be called from any goroutine.
func (b *Browser) Visit(ctx context.Context, v Visit) (*Result, error) {
	u, err := url.Parse(v.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, &PageError{KindRefused, v.URL, errors.New("expected an address with http or https")}
	}
	if u.User != nil { // such as http://user:password@host/
		if v.Username == "" {
			v.Username = u.User.Username()
			v.Password, _ = u.User.Password()
		}
		u.User = nil
		v.URL = u.String()
	}
	if !b.enter() {
		return nil, &PageError{KindGone, v.URL, errClosed}
	}
	defer b.visits.Done()
	open, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(b.closing, func() { cancel(&PageError{KindGone, v.URL, errClosed}) })()
	select {
	case b.places <- struct{}{}:
		defer func() { <-b.places }()
	case <-open.Done():
		return nil, context.Cause(open)
	}
	p, err := b.take(open)
	if err != nil {
		if open.Err() != nil {
			return nil, context.Cause(open)
		}
		return nil, &PageError{KindGone, v.URL, err}
	}
	defer b.give(p)
	return b.open(open, p, v)
}

// enter counts a visit, unless the browser is closed.
func (b *Browser) enter() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.visits.Add(1)
	}
	return !b.closed
}

// take returns the process in which the next page is to be opened. It starts one where there is none. Who takes it gives it back.
func (b *Browser) take(ctx context.Context) (*process, error) {
	if p := b.running(); p != nil {
		return p, nil
	}
	select { // one process at a time is started
	case b.starting <- struct{}{}:
		defer func() { <-b.starting }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if p := b.running(); p != nil {
		return p, nil
	}
	if err := b.start(ctx); err != nil {
		return nil, err
	}
	if p := b.running(); p != nil {
		return p, nil
	}
	return nil, errors.New("the browser has ended as soon as it was there")
}

// start starts a process for the next pages.
func (b *Browser) start(ctx context.Context) error {
	p, err := startProcess(ctx, b.path, b.options)
	if err != nil {
		return err
	}
	b.mu.Lock()
	last := b.current
	idle := last != nil && last.open == 0
	b.current = p
	b.mu.Unlock()
	if idle { // it ended while nobody used it; else its last page ends it
		b.options.OnTrouble(last.reason())
		last.kill()
	}
	return nil
}

// running returns the process that runs, with one page more, or nil.
func (b *Browser) running() *process {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.current
	if p == nil || p.retired || p.failed() != nil || p.gone() {
		return nil
	}
	p.pages++
	p.open++
	p.retired = p.pages >= b.options.PagesPerProcess
	return p
}

// give takes a process back from a page that is over. One that is not to be used again ends with its last page.
func (b *Browser) give(p *process) {
	b.mu.Lock()
	p.open--
	wrong := p.failed()
	if wrong == nil && p.gone() {
		wrong = p.reason()
	}
	if wrong != nil {
		p.retired = true
	}
	over := p.retired && p.open == 0
	if over && b.current == p {
		b.current = nil
	}
	b.mu.Unlock()
	if !over {
		return
	}
	if wrong != nil {
		b.options.OnTrouble(wrong)
		p.kill()
	} else {
		p.end()
	}
}
