package family

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/registry"
	"github.com/multiscraper/multiscraper/scraperutils/runlog"
)

// progress is the screen of a run: on a terminal a bar that follows it, with the log above; else the log alone. It is the
// log's writer, and may be written to from any goroutine; nobody waits for who reads it.
//
//	log ─▶ text ─┐
//	       bar ──┴▶ frame ─▶ out
type progress struct {
	terminal bool
	usual    map[string]time.Duration // what each authority took last time
	out      *cli.Backlog

	mu    sync.Mutex               // guards the rest
	frame bytes.Buffer             // what comes next, as the screen takes it
	text  *cli.Printer             // lines of the log, into the frame
	bar   *progressbar.ProgressBar // into the frame; nil while no attempt is followed, and where there is no terminal
}

func newProgress(out io.Writer, entries []registry.Entry, history *runlog.Log) *progress {
	p := &progress{terminal: cli.IsTerminal(out), usual: map[string]time.Duration{}}
	p.out, p.text = cli.NewBacklog(cli.Unprinted(out)), cli.NewPrinter(&p.frame) // the bar moves the cursor
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
	if p.bar != nil {
		_ = p.bar.Clear() // into memory, as the others
	}
	_, _ = p.text.Write(b)
	if p.bar != nil {
		_ = p.bar.RenderBlank()
	}
	p.draw()
	return len(b), nil
}

// draw puts the frame on the screen, as a whole: a piece of it would leave half a bar.
func (p *progress) draw() {
	_, _ = p.out.Write(p.frame.Bytes())
	p.frame.Reset()
}

// close waits until all is on the screen. What is written from then on is there at once. It returns how many lines are not there
// because nobody read them in time.
func (p *progress) close() (missing int) { return p.out.Close() }

// follow shows what a scheduler is doing with so many operations, twice a second, until the function that it returns is called.
func (p *progress) follow(s *scheduler.Scheduler, total int) (stop func()) {
	if !p.terminal {
		return func() {}
	}
	p.setBar(total)
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
		p.setBar(0)
	}
}

// setBar takes the bar off the screen and puts one for so many operations in its place; 0 is none.
func (p *progress) setBar(total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Clear()
		p.bar = nil
	}
	if total > 0 {
		p.bar = newBar(&p.frame, total)
	}
	p.draw()
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
	p.bar.Describe(fmt.Sprintf("%d running, %d waiting; %s, %s%s", len(all)-done-waiting, waiting, scraperutils.Count(requests, "request"), scraperutils.Count(records, "record"), eta))
	_ = p.bar.Set(done)
	p.draw()
}

// left is how long it goes on at least: what each authority took last time, and the rest that its host is known to need.
func (p *progress) left(all []scheduler.OperationStatus, since time.Duration) (most time.Duration) {
	for _, o := range all {
		if o.State != scheduler.StateEnded && o.State != scheduler.StateLeft {
			most = max(most, p.usual[o.Label]-since, time.Until(o.Wait.Until))
		}
	}
	return most
}
