package crawlcmd

import (
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// newLog returns the log of a run.
func newLog(w io.Writer, format string, verbose bool) zerolog.Logger {
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

// summary is the last line of a run.
func (j *job) summary(took time.Duration, err error) {
	s := j.tally.now()
	line := j.log.Info()
	if err != nil && !cli.CutShort(err) && !errors.Is(err, crawl.ErrStopped) {
		line = j.log.Error().Err(err)
	}
	line = line.Int("pages", s.pages).Int("requests", s.requests).Int("retries", s.retries).Int("failed", s.failures()).Int64("bytes", s.bytes)
	if seconds := took.Seconds(); seconds >= 1 {
		line = line.Float64("pages_a_second", round(float64(s.pages)/seconds))
	}
	var signal *cli.SignalError
	what := "nothing is left"
	switch {
	case errors.As(err, &signal), errors.Is(err, crawl.ErrStopped):
		what = "stopped: what is left waits for the next run"
	case err != nil:
		what = "ended"
	}
	line.Str("took", took.Round(time.Millisecond).String()).Msg(what)
}

// troubles knows what was told lately: what fails for hours is tried again every few seconds.
type troubles struct {
	mu   sync.Mutex // guards the rest
	told map[string]time.Time
}

// How often the same is told, and of how much that is known.
const (
	tellAgain = time.Minute
	mostKnown = 100
)

// news reports whether a text is to be told.
func (t *troubles) news(text string, now time.Time) bool {
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

// round leaves one decimal.
func round(n float64) float64 { return float64(int(n*10+0.5)) / 10 }

// seconds is a time as people read it.
func shortTime(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// bytesOf is a size as people read it.
func bytesOf(n int64) string {
	switch {
	case n >= 10<<30:
		return scraperutils.Digits(int(n>>30)) + " GiB"
	case n >= 10<<20:
		return scraperutils.Digits(int(n>>20)) + " MiB"
	}
	return scraperutils.Digits(int(n>>10)) + " KiB"
}
