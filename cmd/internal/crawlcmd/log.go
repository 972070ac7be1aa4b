package crawlcmd

import (
	"errors"
	"time"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

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
