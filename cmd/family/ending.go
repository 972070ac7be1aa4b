package family

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils/run/news"
	"github.com/multiscraper/multiscraper/scraperutils/run/report"
)

// printNews ends a run on a terminal: with what is new, instead of the table.
func (j *job) printNews(c cli.Console, n *news.Run, final *report.Report) error {
	columns, rows := cli.Size(c.Stdout)
	paint := painter(c.Colored())
	screen := news.Screen{Width: columns, Rows: rows, Paint: paint, Command: func(label string) []news.Hint { return j.hints(label) }}
	var b strings.Builder
	for _, warning := range j.settings.warnings() {
		b.WriteString(paint(news.Bad, "WARNING: "+warning) + "\n")
	}
	for _, line := range final.Reasons() {
		if strings.HasPrefix(line, "WARNING: ") { // which failures are unexpected is said below
			b.WriteString(paint(news.Plain, line) + "\n")
		}
	}
	_, err := io.WriteString(cli.Unprinted(c.Stdout), b.String()+screen.Write(n)) // painted text has passed a Printer
	return err
}

// hints is what to type after a run; label is that of a failure, or "".
func (j *job) hints(label string) []news.Hint {
	database := ""
	if name := j.hearers.database; name != filepath.Join(here(), defaultDatabase) {
		if within, err := filepath.Rel(here(), name); err == nil && filepath.IsLocal(within) {
			name = within
		}
		database = report.Flag("db", name)
	}
	overview := news.Hint{Command: j.family.Name + " report" + database, For: "all of them, and their last 30 days"}
	if label == "" {
		return []news.Hint{overview}
	}
	return []news.Hint{
		{Command: j.family.Name + " page " + report.Word(label) + database, For: "what was on its page"},
		{Command: j.family.Name + " page " + report.Word(label) + " --diff" + database, For: "what is no longer as it was"},
		overview,
	}
}

// sgr are the colors of a terminal, which its user has chosen.
var sgr = map[news.Style]string{news.Strong: "1", news.Good: "32", news.Bad: "31", news.Faint: "2"}

// painter returns what makes text safe for a terminal, and colors it.
func painter(colored bool) func(news.Style, string) string {
	return func(style news.Style, text string) string {
		var safe bytes.Buffer
		_, _ = cli.NewPrinter(&safe).Write([]byte(strings.ReplaceAll(text, "\n", " "))) // into memory
		if code := sgr[style]; colored && code != "" {
			return "\x1b[" + code + "m" + safe.String() + "\x1b[0m"
		}
		return safe.String()
	}
}
