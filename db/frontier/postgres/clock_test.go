package postgres_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db/frontier/postgres"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

func entries(host string, n int) (all []crawl.Entry) {
	for i := range n {
		all = append(all, crawl.Entry{Host: scraperutils.Host{Name: host, Port: "443"}, URL: "https://" + host + "/" + string(rune('a'+i))})
	}
	return all
}

// Whatever the clocks of two machines say, they agree on when a lease ends and when a host may be asked, and none asks earlier.
func TestClocksThatDiffer(t *testing.T) {
	t.Parallel()
	url := server.Schema(t)
	ahead, behind := open(t, url, postgres.Options{}), open(t, url, postgres.Options{})
	postgres.Shift(ahead, time.Hour)
	postgres.Shift(behind, -time.Hour)
	now := func(f *postgres.Frontier) time.Time { return postgres.Now(f) }
	claim := func(f *postgres.Frontier, lease time.Duration) []crawl.Lease {
		leases, err := f.Claim(t.Context(), now(f), crawl.Claim{Worker: "w", Hosts: 9, URLs: 1, Until: now(f).Add(lease)})
		require.NoError(t, err)
		return leases
	}
	const second = 1500 * time.Millisecond

	all := entries("h", 3)
	all[2].Due = now(behind).Add(time.Minute)
	_, err := behind.Add(t.Context(), now(behind), all)
	require.NoError(t, err)
	until := now(ahead).Add(second)
	first := claim(ahead, second)
	require.Len(t, first, 1, "what is due is due for all")
	assert.WithinDuration(t, now(ahead), first[0].URLs[0].Added, 20*time.Second)
	assert.Empty(t, claim(behind, second), "it is leased")
	due, err := behind.Due(t.Context())
	require.NoError(t, err)
	assert.False(t, due.Before(until.Add(-2*time.Hour-100*time.Millisecond)), "the end of the lease, in the time of who asks")

	next := now(ahead).Add(second)
	receipts, err := ahead.Complete(t.Context(), now(ahead), []crawl.Report{{Held: first[0].Held, NotBefore: next,
		Results: []crawl.Result{{Key: first[0].URLs[0].Key, State: crawl.StateDone, At: now(ahead)}}}})
	require.NoError(t, err)
	assert.True(t, receipts[0].Released)
	assert.Empty(t, claim(behind, second), "it rests")
	var leases []crawl.Lease
	for len(leases) == 0 {
		time.Sleep(20 * time.Millisecond)
		leases = claim(behind, time.Minute)
	}
	assert.False(t, now(ahead).Before(next), "nobody asks the host earlier")
	assert.False(t, leases[0].NotBefore.Add(2*time.Hour).Before(next))
	assert.WithinDuration(t, next, leases[0].NotBefore.Add(2*time.Hour), 10*time.Second)

	hosts, err := behind.Hosts(t.Context(), crawl.HostFilter{})
	require.NoError(t, err)
	assert.WithinDuration(t, now(behind).Add(time.Minute), hosts[0].Until, 20*time.Second)
	urls, err := behind.URLs(t.Context(), crawl.URLFilter{URL: first[0].URLs[0].URL})
	require.NoError(t, err)
	assert.WithinDuration(t, now(behind), urls[0].At, 20*time.Second)
	_, err = ahead.Announce(t.Context(), now(ahead), crawl.WorkerStatus{Name: "ahead", Since: now(ahead)})
	require.NoError(t, err)
	workers, err := behind.Workers(t.Context(), now(behind))
	require.NoError(t, err)
	require.Len(t, workers, 1)
	assert.WithinDuration(t, now(behind), workers[0].Seen, 20*time.Second)
	assert.WithinDuration(t, now(behind), workers[0].Since, 20*time.Second)
}
