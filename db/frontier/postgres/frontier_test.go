package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db/frontier/postgres"
	"github.com/multiscraper/multiscraper/db/frontier/postgres/postgrestest"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/frontiertest"
)

// server is for tests that do not end it.
var server postgrestest.Server

func TestMain(m *testing.M) {
	frontiertest.Main(m, func(name string, _ time.Time) (crawl.Frontier, error) {
		return postgres.Open(context.Background(), name, postgres.Options{Clock: postgres.CallersClock})
	}, server.Close)
}

// shared is the driver of this package.
var shared = frontiertest.Driver{Remote: true, New: func(t testing.TB, hash func(string) int64) frontiertest.Place {
	url := server.Schema(t)
	return frontiertest.Place{Name: url, Open: func(time.Time) (crawl.Frontier, error) {
		f, err := postgres.Open(t.Context(), url, postgres.Options{Clock: postgres.CallersClock, Hash: hash})
		if err != nil {
			return nil, err
		}
		return f, nil
	}}
}}

func open(t testing.TB, url string, o postgres.Options) *postgres.Frontier {
	t.Helper()
	f, err := postgres.Open(t.Context(), url, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return f
}

func TestContract(t *testing.T) { frontiertest.Run(t, shared) }

func BenchmarkFrontier(b *testing.B) { frontiertest.Benchmarks(b, shared) }
