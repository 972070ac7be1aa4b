package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// How often a run says how far it is.
const (
	redraw   = time.Second // on a terminal
	logEvery = time.Minute // in a log
)

// Screen is where a run tells of itself: on a terminal a few lines that are redrawn, with the log above; else the log alone. It is the
// log's writer, and may be written to from any goroutine; nobody waits for who reads it.
type Screen struct {
	Terminal bool // it is one; does not change
	out      *Backlog

	mu    sync.Mutex // guards the rest
	frame bytes.Buffer
	text  *Printer // into the frame: what it moves the cursor with does not pass it
	panel []string // lines that are on the screen, below the log
}

// NewScreen returns the screen of a writer.
func NewScreen(out io.Writer) *Screen {
	s := &Screen{Terminal: IsTerminal(out), out: NewBacklog(Unprinted(out))}
	s.text = NewPrinter(&s.frame)
	return s
}

// Write puts lines of the log above the panel.
func (s *Screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	_, _ = s.text.Write(b) // into memory
	s.draw()
	return len(b), nil
}

// erase takes the panel off the screen.
func (s *Screen) erase() {
	if len(s.panel) > 0 {
		fmt.Fprintf(&s.frame, "\x1b[%dA\r\x1b[J", len(s.panel))
	}
}

// draw puts the panel back, and the frame on the screen, as a whole.
func (s *Screen) draw() {
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

// Show puts these lines below the log, in place of those that were there. No lines take them off.
func (s *Screen) Show(panel []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	s.panel = panel
	s.draw()
}

// Close waits until all is on the screen. What is written from then on is there at once. It returns how many lines are not there
// because nobody read them in time.
func (s *Screen) Close() (missing int) { return s.out.Close() }

// Every is how often a run is to say how far it is.
func (s *Screen) Every() time.Duration {
	if s.Terminal {
		return redraw
	}
	return logEvery
}
