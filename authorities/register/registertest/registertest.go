// Package registertest is what the tests of all platforms need: a visit whose results are kept in memory, to a recording or to
// pages that the test makes.
package registertest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/site/dates"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
	"github.com/multiscraper/multiscraper/scraperutils/web/cassette"
	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
)

// Memory keeps records as the database would: by reference, the later of two wins, blank ones rejected.
type Memory struct {
	ByReference map[string]map[string]string // fields that are NULL are left out
	Rejected    []string                     // "reference: why"
	Skipped     []string
}

// Save keeps a record.
func (m *Memory) Save(ctx context.Context, r scraperutils.Record) error {
	row := map[string]string{}
	for _, f := range r {
		if text, ok := f.Value.(string); ok {
			row[f.Name] = text
		} else if f.Value != nil {
			return fmt.Errorf("%s is %T", f.Name, f.Value)
		}
	}
	for _, needed := range []string{"council_reference", "address", "description", "info_url"} {
		if scraperutils.Blank(row[needed]) {
			return m.Reject(ctx, row["council_reference"], errors.New(needed+" is blank"))
		}
	}
	m.ByReference[row["council_reference"]] = row
	return nil
}

// Reject keeps what can't be a record.
func (m *Memory) Reject(_ context.Context, reference string, why error) error {
	m.Rejected = append(m.Rejected, strings.TrimSpace(reference+": "+why.Error()))
	return nil
}

// Skip keeps what was left out.
func (m *Memory) Skip(_ context.Context, reference, why string) {
	m.Skipped = append(m.Skipped, reference+": "+why)
}

// Rows returns the records sorted by reference.
func (m *Memory) Rows() []map[string]string {
	var rows []map[string]string
	for _, row := range m.ByReference {
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b map[string]string) int { return cmp.Compare(a["council_reference"], b["council_reference"]) })
	return rows
}

// Scrape runs a scraper over a transport, on a day written as YYYY-MM-DD.
func Scrape(t testing.TB, s site.Scraper, transport http.RoundTripper, day string) (*Memory, error) {
	t.Helper()
	asOf, err := time.Parse(time.DateOnly, day)
	require.NoError(t, err)
	m := &Memory{ByReference: map[string]map[string]string{}}
	visit := &site.Visit{
		Agent:  agent.New(agent.Config{Fetch: fetch.Config{Transport: transport}}),
		Clock:  site.Clock{Now: asOf, AsOf: asOf, Zone: register.Zone()},
		Search: site.Search{Plan: dates.DefaultPlan()},
		Sink:   m,
	}
	return m, s.Scrape(t.Context(), visit)
}

// Replay scrapes a recording.
func Replay(t testing.TB, s site.Scraper, path, day string) (*Memory, error) {
	t.Helper()
	tape, err := cassette.Load(path)
	require.NoError(t, err)
	return Scrape(t, s, tape.Player(), day)
}

// Serve starts a server for the length of a test and returns its URL and a transport that reaches it and nothing else.
func Serve(t testing.TB, handler http.HandlerFunc) (string, http.RoundTripper) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL, only{strings.TrimPrefix(server.URL, "http://"), server.Client().Transport}
}

// only keeps a test from the network, wherever a page leads.
type only struct {
	host string
	next http.RoundTripper
}

func (o only) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host != o.host {
		return nil, fmt.Errorf("%s is not the test's own server", r.URL.Host)
	}
	return o.next.RoundTrip(r)
}
