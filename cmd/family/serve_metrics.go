package family

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"

	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils/run/metrics"
	"github.com/multiscraper/multiscraper/scraperutils/run/report"
	"github.com/multiscraper/multiscraper/scraperutils/run/workers"
)

// metrics answers Prometheus. others is nil where there are no workers elsewhere.
func (s *serveCommand) metrics(sites map[string]report.Site, runs *runs, others *workers.Watcher) http.Handler {
	c := metrics.Config{Now: runs.hub.Picture, Last: func(ctx context.Context, known metrics.Last) (metrics.Last, error) {
		if s.isMissing() {
			return metrics.Last{}, nil
		}
		reader, err := db.OpenReader(ctx, s.database())
		if err != nil {
			return metrics.Last{}, err
		}
		defer reader.Close()
		return metrics.ReadLast(ctx, reader, known, func(label string) string { return sites[label].Platform })
	}}
	if others != nil {
		c.Workers = others.Up
	}
	return metrics.Handler(c)
}

// isMissing reports whether there is no database yet: the first run makes it.
func (s *serveCommand) isMissing() bool {
	_, err := os.Stat(s.database())
	return errors.Is(err, fs.ErrNotExist)
}
