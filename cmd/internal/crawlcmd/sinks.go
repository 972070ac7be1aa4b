package crawlcmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils/amqp"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/intake"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/jsonl"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/warc"
)

// openSinks opens all sinks that the settings name, or the default one. After an error none stays open.
func openSinks(ctx context.Context, c cli.Console, s settings, plain bool) (sinks []crawl.Sink, err error) {
	defer func() {
		if err == nil {
			return
		}
		for _, sink := range sinks {
			err = errors.Join(err, sink.Close())
		}
		sinks, err = nil, &startError{err}
	}()
	add := func(sink crawl.Sink, e error) {
		if err = errors.Join(err, e); e == nil {
			sinks = append(sinks, sink)
		}
	}
	if folder := s.warcFolder(); folder != "" {
		w, err := warc.Open(folder, warc.Options{Plain: plain})
		add(w, err)
	}
	switch s.jsonl {
	case "":
	case "-":
		add(jsonl.NewStream(cli.Unguarded(c.Stdout)), nil)
	default:
		if err := makeFolder(s.jsonl); err != nil {
			add(nil, err)
			break
		}
		f, err := jsonl.Open(s.jsonl)
		add(f, err)
	}
	if s.out.given {
		a, err := amqp.OpenSink(ctx, amqp.SinkOptions{URL: s.amqp, Exchange: s.out.exchange, Key: s.out.key})
		add(a, err)
	}
	return sinks, err
}

// warcFolder is where WARC files go, or "".
func (s settings) warcFolder() string {
	switch {
	case s.warc == "off":
		return ""
	case s.warc == "" && (s.jsonl != "" || s.out.given):
		return ""
	case s.warc == "":
		return filepath.Join(s.frontier.folder(), "warc")
	}
	return s.warc
}

// source is a queue that URLs come from.
type source interface {
	Run(ctx context.Context, add func(context.Context, []crawl.Entry) error) error
	Close() error
}

func openSource(ctx context.Context, s settings, j *job) (source, error) {
	from, err := amqp.OpenSource(ctx, amqp.SourceOptions{
		URL: s.amqp, Queue: s.queue,
		Parse: func(raw string, priority int) (crawl.Entry, error) {
			u, err := s.rules.Form.Parse(raw)
			e := intake.Entry{URL: u, Priority: priority}
			return e.Crawl(), err
		},
		OnRefused: func(err error) { j.log.Warn().Err(err).Str("queue", s.queue).Msg("refused") },
		OnTrouble: j.trouble,
	})
	if err != nil {
		return nil, &startError{fmt.Errorf("take URLs from queue %s: %w", s.queue, err)}
	}
	return from, nil
}
