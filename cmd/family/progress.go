package family

import (
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/cmd/internal/panel"
	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils/run/news"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
)

// progress is the screen of a run: on a terminal a board that follows it, with the log above; else the log alone. It is the
// log's writer, and may be written to from any goroutine; nobody waits for who reads it.
type progress struct {
	*cli.Screen
	out      io.Writer
	usual    map[string]time.Duration // what each site took last time
	problems bool                     // above the board stand problems alone, a line each
}

func newProgress(c cli.Console, entries []registry.Entry, history *runlog.Log) *progress {
	p := &progress{Screen: cli.NewScreen(c.Stdout), out: c.Stdout, usual: map[string]time.Duration{}}
	p.Terminal = p.Terminal && !c.Plain()
	for _, e := range entries {
		p.usual[e.Label] = history.History(e.Label).LastTook
	}
	return p
}

// redraw is how often the board is drawn.
const redraw = 500 * time.Millisecond

// follow shows what a scheduler is doing in an attempt until the function that it returns is called.
func (p *progress) follow(s *scheduler.Scheduler, attempt int) (stop func()) {
	if !p.Terminal {
		return func() {}
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(redraw)
		defer ticker.Stop()
		for began := time.Now(); ; {
			columns, rows := cli.Size(p.out) // it may be made larger or smaller
			p.Show(panel.Lines(s.Snapshot(), panel.Run{Now: time.Now(), Began: began, Attempt: attempt, Usual: p.usual, Columns: columns, Rows: rows}))
			select {
			case <-ticker.C:
			case <-done:
				return
			}
		}
	}()
	return func() {
		close(done)
		<-ended
		p.Show(nil)
	}
}

// problem puts an outcome that is bad above the board. Its log line would take several lines of the screen.
func (p *progress) problem(now time.Time, o runlog.Outcome) {
	a := news.Authority{Outcome: o}
	line := fmt.Sprintf("%s %s %s", now.Format(time.TimeOnly), o.Authority, o.Verdict)
	if o.Class != "" {
		line += fmt.Sprintf(" (%s)", o.Class)
	}
	line += ": " + a.Brief()
	if columns, _ := cli.Size(p.out); columns > 0 && utf8.RuneCountInString(line) > columns {
		line = string([]rune(line)[:columns-1]) + "…"
	}
	fmt.Fprintln(p, line)
}
