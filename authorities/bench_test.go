package authorities_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities"
	"github.com/multiscraper/multiscraper/authorities/register/registertest"
	"github.com/multiscraper/multiscraper/fixtures"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
	"github.com/multiscraper/multiscraper/scraperutils/web/cassette"
	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
)

// pageSize is how many applications the lists have on a page.
const pageSize = 10

// BenchmarkReplay reads a council of each platform as --replay does: from its file to its records, and without the file.
func BenchmarkReplay(b *testing.B) {
	const day = "2019-05-15"
	known, err := authorities.Load()
	require.NoError(b, err)
	for _, platform := range authorities.Platforms().Names() {
		entries, err := known.Select([]string{platform + "/*"})
		require.NoError(b, err)
		e := entries[0]
		file := record(b, e, day)
		b.Run(platform+"/file", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, err := registertest.Replay(b, e.Scraper, file, day)
				require.NoError(b, err)
			}
		})
		b.Run(platform+"/pages", func(b *testing.B) {
			tape, err := cassette.Load(file)
			require.NoError(b, err)
			b.ReportAllocs()
			records := 0
			for b.Loop() {
				m, err := registertest.Scrape(b, e.Scraper, tape.Player(), day)
				require.NoError(b, err)
				records += len(m.ByReference)
			}
			took := float64(b.Elapsed().Nanoseconds())
			b.ReportMetric(took/float64(b.N*len(tape.Interactions)), "ns/page")
			b.ReportMetric(took/float64(records), "ns/record")
		})
	}
}

// record makes a recording of a built-in site of a council.
func record(b *testing.B, e registry.Entry, day string) (path string) {
	b.Helper()
	today, err := time.Parse(time.DateOnly, day)
	require.NoError(b, err)
	council := fixtures.Site{Label: e.Label, Platform: e.Platform, URL: e.URL, TLSInsecure: e.TLSInsecure, Options: e.Options}
	server, err := fixtures.Start(fixtures.Config{Today: today, Pages: 3, PageSize: pageSize, Latency: -1}, []fixtures.Site{council})
	require.NoError(b, err)
	defer server.Close()
	transport := fetch.NewTransport(fetch.TransportConfig{TLSInsecure: e.TLSInsecure, RootCAs: server.RootCAs(), Dial: server.Dial})
	defer transport.CloseIdleConnections()
	recorder := cassette.NewRecorder(transport, cassette.Options{})
	_, err = registertest.Scrape(b, e.Scraper, recorder, day)
	require.NoError(b, err)
	path = filepath.Join(b.TempDir(), e.Label+".yml")
	require.NoError(b, recorder.Write(path))
	return path
}
