package family

import (
	"io"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// newLog returns the log of a run: some lines a site, more with each level of debugging.
func (f *Family) newLog(w io.Writer, format string, debug int) zerolog.Logger {
	level := zerolog.InfoLevel
	switch {
	case debug == 1:
		level = zerolog.DebugLevel
	case debug > 1:
		level = zerolog.TraceLevel
	}
	if format == "text" {
		w = zerolog.ConsoleWriter{Out: w, NoColor: true, TimeFormat: time.TimeOnly, FieldsOrder: []string{f.Registry.Site, "verdict"}, FormatMessage: message}
	}
	return zerolog.New(w).Level(level).With().Timestamp().Logger()
}

// message writes the text of a line so that nobody's text can begin a line of the log.
func message(value any) string {
	text, _ := value.(string)
	return strings.ReplaceAll(text, "\n", `\n`)
}

// logEvent writes what happens in the schedule loop, for those who debug.
func (j *job) logEvent(e scraperutils.Event) {
	var line *zerolog.Event
	switch e.Kind {
	case scraperutils.EventStarted, scraperutils.EventAnswered, scraperutils.EventRetried, scraperutils.EventWaiting:
		line = j.screen.log.Debug()
	case scraperutils.EventSent, scraperutils.EventResumed:
		line = j.screen.log.Trace()
	case scraperutils.EventOverdue, scraperutils.EventLeft:
		line = j.screen.log.Warn()
	}
	if !line.Enabled() {
		return
	}
	line = line.Str(j.family.Registry.Site, e.Label)
	if e.Request != nil {
		line = line.Stringer("request", e.Request)
	}
	if e.Kind == scraperutils.EventWaiting {
		line = line.Stringer("host", e.Host).Str("rule", e.Wait.Rule)
		if !e.Wait.Until.IsZero() {
			line = line.Str("until", e.Wait.Until.Format("15:04:05.000"))
		}
	}
	if e.Status != 0 {
		line = line.Int("status", e.Status)
	}
	if e.Took > 0 {
		line = line.Str("took", e.Took.Round(time.Millisecond).String())
	}
	if e.Stack != "" {
		line = line.Str("stack", e.Stack)
	}
	line.Err(j.attempt.visits[e.Label].sink.plain(e.Err)).Msg(string(e.Kind))
}

// logOutcome is the one line that every site has.
func (j *job) logOutcome(o runlog.Outcome, s *sink) {
	if j.screen.progress.problems {
		if o.Verdict.Bad() {
			j.screen.progress.problem(time.Now(), o)
		}
		return
	}
	line := j.screen.log.Info()
	if o.Verdict.Bad() {
		line = j.screen.log.Error().Str("class", string(o.Class)).Err(o.Err)
	}
	line = line.Str(j.family.Registry.Site, o.Authority).Str("verdict", string(o.Verdict)).Int("records", o.Saved)
	if o.Unprocessable > 0 {
		line = line.Int("rejected", o.Unprocessable)
	}
	if n := s.skipped.Load(); n > 0 {
		line = line.Int64("skipped", n)
	}
	if remark := o.Remark(); remark != "" {
		line = line.Str("remark", remark)
	}
	line.Int("requests", o.Requests).Str("took", o.Took.Round(100*time.Millisecond).String()).Msg("done")
}

// commitLog tells of commits to the database, for those who debug, and ends the run once there can be no more of them. The
// database is open before there is a log.
type commitLog struct {
	log    atomic.Pointer[zerolog.Logger]
	broken func(why error) // what ends the run
}

func (c *commitLog) tell(log zerolog.Logger) { c.log.Store(&log) }

// observe is told of every commit, by the goroutine that writes.
func (c *commitLog) observe(commit db.Commit) {
	if broken := brokenDatabase(commit.Err); broken != nil {
		c.broken(broken)
	}
	log := c.log.Load()
	if log == nil || !log.Debug().Enabled() {
		return
	}
	line := log.Debug()
	for _, table := range slices.Sorted(maps.Keys(commit.Tables)) {
		line = line.Int(table, commit.Tables[table])
	}
	line.Str("took", commit.Took.Round(time.Millisecond).String()).Err(commit.Err).Msg("committed")
}
