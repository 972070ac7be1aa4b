package crawlcmd

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils"
)

// How often a run says how far it is.
const (
	redraw   = time.Second // on a terminal
	logEvery = time.Minute // in a log
)

// screen is where a run tells of itself: on a terminal a few lines that are redrawn, with the log above; else the log alone. It is the
// log's writer, and may be written to from any goroutine; nobody waits for who reads it.
type screen struct {
	terminal bool
	out      *cli.Backlog

	mu    sync.Mutex // guards the rest
	frame bytes.Buffer
	text  *cli.Printer // into the frame: what it moves the cursor with does not pass it
	panel []string     // lines that are on the screen, below the log
}

func newScreen(out io.Writer) *screen {
	s := &screen{terminal: cli.IsTerminal(out), out: cli.NewBacklog(cli.Unprinted(out))}
	s.text = cli.NewPrinter(&s.frame)
	return s
}

// Write puts lines of the log above the panel.
func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	_, _ = s.text.Write(b) // into memory
	s.draw()
	return len(b), nil
}

// erase takes the panel off the screen.
func (s *screen) erase() {
	if len(s.panel) > 0 {
		fmt.Fprintf(&s.frame, "\x1b[%dA\r\x1b[J", len(s.panel))
	}
}

// draw puts the panel back, and the frame on the screen, as a whole.
func (s *screen) draw() {
	if len(s.panel) > 0 { // what does not fit is cut off by the terminal: a line that wraps can't be taken off again
		s.frame.WriteString(wrapOff)
		for _, line := range s.panel {
			_, _ = io.WriteString(s.text, clipped(line)+"\n")
		}
		s.frame.WriteString(wrapOn)
	}
	_, _ = s.out.Write(s.frame.Bytes())
	s.frame.Reset()
}

// What has a terminal cut lines off at its edge, and what has it wrap them.
const (
	wrapOff = "\x1b[?7l"
	wrapOn  = "\x1b[?7h"
)

// clipped is a line without breaks, no longer than screens are wide.
func clipped(line string) string {
	line = strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, line)
	if runes := []rune(line); len(runes) > 300 {
		return string(runes[:299]) + "…"
	}
	return line
}

func (s *screen) show(panel []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	s.panel = panel
	s.draw()
}

// close waits until all is on the screen.
func (s *screen) close() { s.out.Close() }

// follow shows what a job does until the function that it returns is called.
func (s *screen) follow(j *job) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var shown sync.WaitGroup
	every := logEvery
	if s.terminal {
		every = redraw
	}
	shown.Go(func() {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for before, at := j.tally.now(), time.Now(); ; {
			select {
			case <-ticker.C:
			case <-ctx.Done():
				return
			}
			now := j.tally.now()
			rate := float64(now.pages-before.pages) / time.Since(at).Seconds()
			j.report(ctx, now, rate)
			before, at = now, time.Now()
		}
	})
	return func() {
		cancel()
		shown.Wait()
		s.show(nil)
	}
}

// report says how far the job is.
func (j *job) report(ctx context.Context, now sums, rate float64) {
	counts, err := j.worker.Frontier.Counts(ctx, time.Now())
	if err != nil {
		return // it is asked again soon
	}
	slow, err := slowest(ctx, j.worker.Frontier, 3)
	if err != nil {
		return
	}
	if !j.screen.terminal {
		line := j.log.Info().Int("pages", now.pages).Float64("pages_a_second", round(rate)).Int("ready", counts.Ready).Int("waiting", counts.Waiting).
			Int("retrying", counts.Retrying).Int("done", counts.Done).Int("failed", counts.Failed).Int("hosts_leased", j.worker.Active())
		if len(slow) > 0 {
			line = line.Str("slowest", slow[0].String())
		}
		line.Msg("progress")
		return
	}
	panel := []string{
		fmt.Sprintf("%s, %.1f a second, %s; %d hosts at work", scraperutils.Count(now.pages, "page"), rate, bytesOf(now.bytes), j.worker.Active()),
		fmt.Sprintf("%s ready, %s waiting (%s to be tried again), %s done, %s failed%s", scraperutils.Digits(counts.Ready), scraperutils.Digits(counts.Waiting),
			scraperutils.Digits(counts.Retrying), scraperutils.Digits(counts.Done), scraperutils.Digits(counts.Failed), reasons(counts.FailedBy, 3)),
	}
	for _, h := range slow {
		panel = append(panel, "  "+h.String())
	}
	j.screen.show(panel)
}

// reasons lists why URLs failed, the most frequent reasons first.
func reasons(by map[string]int, most int) string {
	type reason struct {
		word string
		n    int
	}
	var all []reason
	for word, n := range by {
		if n > 0 {
			all = append(all, reason{word, n})
		}
	}
	slices.SortFunc(all, func(a, b reason) int {
		if a.n != b.n {
			return b.n - a.n
		}
		return strings.Compare(a.word, b.word)
	})
	var texts []string
	for i, r := range all {
		if i == most {
			texts = append(texts, "…")
			break
		}
		texts = append(texts, fmt.Sprintf("%s %s", scraperutils.Digits(r.n), r.word))
	}
	if len(texts) == 0 {
		return ""
	}
	return " (" + strings.Join(texts, ", ") + ")"
}
