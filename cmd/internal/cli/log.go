package cli

import (
	"io"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

// NewLog returns the log of a run, in a format that is text or json.
func NewLog(w io.Writer, format string, verbose bool) zerolog.Logger {
	level := zerolog.InfoLevel
	if verbose {
		level = zerolog.DebugLevel
	}
	if format == "text" {
		w = zerolog.ConsoleWriter{Out: w, NoColor: true, TimeFormat: time.TimeOnly, FormatMessage: message}
	}
	return zerolog.New(w).Level(level).With().Timestamp().Logger()
}

// message writes the text of a line so that nobody's text can begin a line of the log.
func message(value any) string {
	text, _ := value.(string)
	return strings.ReplaceAll(text, "\n", `\n`)
}

// Troubles knows what was told lately: what fails for hours is tried again every few seconds.
type Troubles struct {
	mu   sync.Mutex // guards the rest
	told map[string]time.Time
}

// How often the same is told, and of how much that is known.
const (
	tellAgain = time.Minute
	mostKnown = 100
)

// News reports whether a text is to be told. It may be called from any goroutine.
func (t *Troubles) News(text string, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at, ok := t.told[text]; ok && now.Sub(at) < tellAgain {
		return false
	}
	if t.told == nil || len(t.told) == mostKnown {
		t.told = map[string]time.Time{}
	}
	t.told[text] = now
	return true
}
