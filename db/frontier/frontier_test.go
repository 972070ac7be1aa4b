package frontier_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/multiscraper/multiscraper/db/frontier"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/frontiertest"
)

func TestMain(m *testing.M) {
	frontiertest.Main(m, func(name string, now time.Time) (crawl.Frontier, error) {
		return frontier.Open(context.Background(), name, now, frontier.Options{})
	})
}

// sqlite is the driver of this package.
var sqlite = frontiertest.Driver{Alone: true, New: func(t testing.TB, hash func(string) int64) frontiertest.Place {
	path := newPath(t)
	return frontiertest.Place{Name: path, Open: func(now time.Time) (crawl.Frontier, error) {
		f, err := frontier.Open(t.Context(), path, now, frontier.Options{Hash: hash})
		if err != nil {
			return nil, err
		}
		return f, nil
	}}
}}

func newPath(t testing.TB) string { return filepath.Join(t.TempDir(), "frontier.sqlite") }

func TestContract(t *testing.T) { frontiertest.Run(t, sqlite) }

func BenchmarkFrontier(b *testing.B) { frontiertest.Benchmarks(b, sqlite) }
