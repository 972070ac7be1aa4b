package family

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils/run/metrics"
	"github.com/multiscraper/multiscraper/scraperutils/run/news"
	"github.com/multiscraper/multiscraper/scraperutils/run/notify"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
	"github.com/multiscraper/multiscraper/scraperutils/run/trace"
)

// hearers is who is told of the end of a run, beside those whom the settings name.
type hearers struct {
	database string // as it is named to them
	metrics  string // file for Prometheus, or ""
	always   bool   // not only of changes
}

// news is what the run has come to, for those who are told of it.
func (j *job) news(this runlog.Run) *news.Run {
	n := &news.Run{
		ID: this.ID(), Began: this.At, Took: this.Took, Source: this.Source, Database: j.hearers.database,
		ExitCode: this.ExitCode, Cause: this.Cause, Waits: map[string]time.Duration{},
	}
	usual := j.books.log.Usual()
	for _, e := range j.entries {
		o, ran := j.result.outcomes[e.Label]
		if !ran {
			o = runlog.Outcome{Authority: e.Label, Unfinished: true}
		}
		n.Authorities = append(n.Authorities, news.Authority{
			Outcome: o, Platform: e.Platform, URL: e.URL, ExpectedBad: slices.Contains(j.settings.expectBad, e.Label),
			Before: j.books.log.Before(e.Label), Usual: usual[e.Label], Effort: j.result.efforts[e.Label],
		})
		if line := j.books.timeline.Line(e.Label); line != nil {
			for total, d := range line.Totals {
				if rule, ok := trace.PoliteRule(total); ok {
					n.Waits[rule] += d
				}
			}
		}
	}
	return n
}

// announce tells programs of the run, before its report. What goes wrong with that is a warning: it says nothing about the run.
func (j *job) announce(ctx context.Context, n *news.Run) {
	if j.hearers.metrics != "" {
		if err := j.writeMetrics(ctx, n); err != nil {
			j.screen.log.Warn().Err(err).Msg("the metrics are not whole")
		}
	}
	var signal *cli.SignalError
	if errors.As(context.Cause(ctx), &signal) || !j.hearers.always && !n.Changed() {
		return // who stops a run knows of it
	}
	if ctx.Err() != nil { // the database is broken; a second signal still ends the process
		ctx = context.WithoutCancel(ctx)
	}
	j.notify(ctx, n)
}

func (j *job) writeMetrics(ctx context.Context, n *news.Run) error {
	runs, problem := runlog.ReadRuns(context.WithoutCancel(ctx), j.books.database) // the others are written without them
	file, err := cli.Replace(j.hearers.metrics)
	if err != nil {
		return err
	}
	return errors.Join(file.Finish(metrics.Write(file, n, runs)), problem)
}

// notify tells those whom the settings name.
func (j *job) notify(ctx context.Context, n *news.Run) {
	var senders []notify.Sender
	if j.settings.notify.Line != "" {
		senders = append(senders, j.settings.notify)
	}
	if j.settings.webhook != nil {
		senders = append(senders, notify.NewWebhook(j.settings.webhook, nil))
	}
	if len(senders) == 0 {
		return
	}
	message, err := messageOf(n)
	if err != nil {
		j.screen.log.Warn().Err(err).Msg("nobody was notified")
		return
	}
	for _, s := range senders {
		if err := notify.Deliver(ctx, s, message); err != nil {
			j.screen.log.Warn().Err(err).Msg("nobody was notified")
		}
	}
}

// messageOf is what is said of a run. Its text may end on a screen, so it passes a Printer.
func messageOf(n *news.Run) (notify.Message, error) {
	var text bytes.Buffer
	_, _ = cli.NewPrinter(&text).Write([]byte(n.Text())) // into memory
	object, err := json.Marshal(n)
	return notify.Message{Text: text.String(), JSON: object}, err
}
