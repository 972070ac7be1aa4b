package cli

import (
	"io"
	"strings"
	"time"

	"github.com/rs/zerolog"
)

// NewLog returns the log of a run, in a format of text or json; verbose has debug lines too.
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
