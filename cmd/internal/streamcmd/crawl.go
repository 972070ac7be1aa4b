package streamcmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/intake"
	"github.com/multiscraper/multiscraper/scraperutils/stream"
)

// feeder puts the URLs that records name into a frontier. They are durable there before the records are done.
type feeder struct {
	frontier crawl.Frontier
	options  intake.Options
}

// Handle implements stream.Handler.
func (f *feeder) Handle(ctx context.Context, b stream.Batch) (done int, err error) {
	var entries []crawl.Entry
	var bad error
	for _, r := range b.Records {
		found, err := f.read(r)
		if err != nil {
			bad = fmt.Errorf("%w: %w", stream.ErrReject, err)
			break
		}
		entries = append(entries, found...)
		done++
	}
	if len(entries) > 0 {
		if _, err := f.frontier.Add(ctx, time.Now(), entries); err != nil {
			return 0, fmt.Errorf("%w: %w", stream.ErrRestart, err) // the record is not to blame
		}
	}
	return done, bad
}

// read reads what a record names.
func (f *feeder) read(r stream.Record) (entries []crawl.Entry, err error) {
	for e, err := range intake.Read(bytes.NewReader(r.Data), f.options) {
		if err != nil {
			return nil, err
		}
		entries = append(entries, e.Crawl())
	}
	if len(entries) == 0 {
		return nil, errors.New("it names no URL")
	}
	return entries, nil
}
