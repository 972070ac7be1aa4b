package app

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/schollz/progressbar/v3"

	"github.com/multiscraper/multiscraper/authorities"
	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils/runlog"
)

// progress is the screen of a run: on a terminal a bar that follows it, with the log above; else the log alone. It is the
// log's writer, and may be written to from any goroutine.
type progress struct {
	terminal bool
	usual    map[string]time.Duration // what each authority took last time

	mu  sync.Mutex // guards the rest
	out io.Writer
	bar *progressbar.ProgressBar // of the attempt that is followed; nil without one, and where there is no terminal
}

func terminal(fd uintptr) bool { return isatty.IsTerminal(fd) }

func newProgress(out io.Writer, entries []authorities.Entry, history *runlog.Log) *progress {
	p := &progress{terminal: isTerminal(out), usual: map[string]time.Duration{}, out: out}
	for _, e := range entries {
		p.usual[e.Label] = history.History(e.Label).LastTook
	}
	return p
}

func newBar(out io.Writer, total int) *progressbar.ProgressBar {
	return progressbar.NewOptions(total,
		progressbar.OptionSetWriter(out),
		progressbar.OptionSetWidth(20),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionShowCount(),
		progressbar.OptionSetRenderBlankState(true),
	)
}

// Write puts lines of the log above the bar.
func (p *progress) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar == nil {
		return p.out.Write(b)
	}
	if err := p.bar.Clear(); err != nil {
		return 0, err
	}
	n, err := p.out.Write(b)
	if err == nil {
		err = p.bar.RenderBlank()
	}
	return n, err
}

// follow shows what a scheduler is doing with so many operations, twice a second, until the function that it returns is called.
func (p *progress) follow(s *scheduler.Scheduler, total int) (stop func()) {
	if !p.terminal {
		return func() {}
	}
	p.setBar(newBar(p.out, total))
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(500 * time.Millisecond)
		defer ticker.Stop()
		began := time.Now()
		for {
			select {
			case <-ticker.C:
				p.show(s.Snapshot(), time.Since(began))
			case <-done:
				return
			}
		}
	}()
	return func() {
		close(done)
		<-ended
		p.setBar(nil)
	}
}

// setBar takes the bar off the screen and puts another in its place.
func (p *progress) setBar(bar *progressbar.ProgressBar) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Clear()
	}
	p.bar = bar
}

// show draws the bar.
func (p *progress) show(all []scheduler.OperationStatus, since time.Duration) {
	var done, waiting, requests, records int
	for _, o := range all {
		requests += o.Pages
		records += o.Records
		switch o.State {
		case scheduler.StateEnded, scheduler.StateLeft:
			done++
		case scheduler.StateRegistered:
			waiting++
		}
	}
	eta := ""
	if left := p.left(all, since); left >= time.Second {
		eta = ", about " + left.Round(time.Second).String() + " to go"
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bar.Describe(fmt.Sprintf("%d running, %d waiting; %d requests, %d records%s", len(all)-done-waiting, waiting, requests, records, eta))
	_ = p.bar.Set(done)
}

// left is how long it goes on at least: what each authority took last time, and the rest that its host is known to need.
func (p *progress) left(all []scheduler.OperationStatus, since time.Duration) (most time.Duration) {
	for _, o := range all {
		if o.State != scheduler.StateEnded && o.State != scheduler.StateLeft {
			most = max(most, p.usual[o.Authority]-since, time.Until(o.Wait.Until))
		}
	}
	return most
}

// withoutWide replaces characters of four bytes, which some platforms that keep logs can't store.
func withoutWide(b []byte) []byte {
	for i, c := range b {
		if c >= 0xf0 {
			out := append([]byte(nil), b[:i]...)
			for _, r := range string(b[i:]) {
				if r > 0xffff {
					r = '\ufffd'
				}
				out = append(out, string(r)...)
			}
			return out
		}
	}
	return b
}
