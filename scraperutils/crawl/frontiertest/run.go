package frontiertest

import (
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// Driver is the driver under test.
type Driver struct {
	// New returns a place for a frontier that hashes texts with the given function: crawl.Hash, unless a test needs texts with equal
	// hashes.
	New func(t testing.TB, hash func(string) int64) Place
	// Alone says that the frontier has one worker at a time. Leases that it finds when it is opened belong to a dead worker, and are
	// freed.
	Alone bool
	// Remote says that each call takes round trips. Tests then use smaller sizes, unless Full is set.
	Remote bool
}

// Place is where a frontier is kept. Open opens it for a worker, as it was left. Name says how another process can open it; "" means that
// none can.
type Place struct {
	Open func(now time.Time) (crawl.Frontier, error)
	Name string
}

// Full reports whether tests of frontiers should use their full sizes, as in make contract.
func Full() bool { return os.Getenv("FRONTIER_CONTRACT") == "full" }

// size returns how much a case does: quick, or as much as the driver has time for where all tests are run, or all that it can.
func (d Driver) size(quick, remote, local, full int) int {
	switch {
	case Full():
		return full
	case !testsize.Full():
		return quick
	case d.Remote:
		return remote
	}
	return local
}

// start is the time at which the tests begin.
var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func at(d time.Duration) time.Time { return start.Add(d) }

// quick are the cases that a remote frontier has where not all tests are run, one of each kind: drivers in the process have all.
var quick = []string{"claims in order of due", "tokens and lost leases", "opened again", "another worker", "found nearer while it is read",
	"used by many at once", "processes that are killed lose nothing", "variants of a path up to a bound", "workers listed"}

// Run runs the suite.
func Run(t *testing.T, d Driver) {
	for name, test := range map[string]func(*testing.T, Driver){
		"claims in order of due":                   claimsByDue,
		"claims at most":                           claimsAtMost,
		"URLs by priority, then due":               urlsByPriority,
		"tokens and lost leases":                   lostLeases,
		"a lease is renewed":                       renewals,
		"a lease runs out":                         expiredLeases,
		"a late owner":                             lateOwner,
		"opened again":                             openedAgain,
		"another worker":                           anotherWorker,
		"a lease goes on":                          leaseGoesOn,
		"a host given back":                        hostGivenBack,
		"what is found comes first":                foundFirst,
		"fates":                                    fates,
		"retries hours away":                       retriesHoursAway,
		"URLs that are due hours from now":         dueHoursAway,
		"known, and again":                         again,
		"the smaller depth":                        nearest,
		"pages that are found nearer":              nearerPages,
		"found nearer while it is read":            nearerMeanwhile,
		"nearer, and next":                         nearerNext,
		"links replaced":                           linksReplaced,
		"many that are found nearer":               manyNearer,
		"doubles within a batch":                   doubles,
		"visits and their IDs":                     visits,
		"counts":                                   counts,
		"failures retried":                         failuresRetried,
		"listed page by page":                      pages,
		"hosts listed":                             hostsListed,
		"far and fine times":                       farAndFine,
		"nothing asked, nothing done":              nothing,
		"texts of any kind":                        texts,
		"a context that has ended":                 endedContext,
		"closed":                                   closed,
		"results that can't be":                    badResults,
		"used by many at once":                     manyAtOnce,
		"two hosts of one hash, two URLs of one":   collisions,
		"a large host":                             largeHost,
		"many hosts":                               manyHosts,
		"processes that are killed lose nothing":   kills,
		"URLs of a host up to a limit":             limits,
		"variants of a path up to a bound":         variants,
		"what is left out is counted":              trapsCounted,
		"series, and when a visit was":             seriesAndVisited,
		"hosts that were added":                    seeds,
		"one report a visit, before the lease end": oneByOne,
		"workers listed":                           crewListed,
		"workers told to stop":                     crewStopped,
		"workers after opening again":              crewAfterOpening,
	} {
		t.Run(name, func(t *testing.T) {
			if !slices.Contains(quick, name) {
				d.large(t)
			}
			test(t, d)
		})
	}
	t.Run("walks", func(t *testing.T) { walks(t, d) })
}

// walks holds the driver against the model.
func walks(t *testing.T, d Driver) {
	few := func(text string) int64 {
		sum := fnv.New64a()
		_, _ = sum.Write([]byte(text))
		return math.MaxInt64 - int64(sum.Sum64()%3)
	}
	steps := d.size(150, 150, 300, 300)
	for seed := range uint64(d.size(1, 3, 10, 10)) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			d.large(t) // few hashes find more
			runWalk(t, d, crawl.Hash, seed, steps)
		})
		t.Run(fmt.Sprint("few hashes, seed ", seed), func(t *testing.T) { runWalk(t, d, few, seed, steps/2) })
	}
}

func open(t testing.TB, p Place, now time.Time) crawl.Frontier {
	t.Helper()
	f, err := p.Open(now)
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() }) // a second time where the test closes it
	return f
}

// fresh returns an empty frontier.
func fresh(t testing.TB, d Driver) crawl.Frontier {
	return open(t, d.New(t, crawl.Hash), start)
}

// entry is the URL of a host that a path names.
func entry(host, path string) crawl.Entry {
	return crawl.Entry{Host: scraperutils.Host{Name: host, Port: "443"}, URL: "https://" + host + "/" + path}
}

// entries are n URLs of a host.
func entries(host string, n int) []crawl.Entry {
	all := make([]crawl.Entry, n)
	for i := range all {
		all[i] = entry(host, fmt.Sprint(i))
	}
	return all
}

func add(t testing.TB, f crawl.Frontier, now time.Time, entries ...crawl.Entry) crawl.Added {
	t.Helper()
	added, err := f.Add(t.Context(), now, entries)
	require.NoError(t, err)
	return added
}

// claim claims for a minute.
func claim(t testing.TB, f crawl.Frontier, now time.Time, hosts, urls int) []crawl.Lease {
	t.Helper()
	leases, err := f.Claim(t.Context(), now, crawl.Claim{Worker: "one", Hosts: hosts, URLs: urls, Until: now.Add(time.Minute)})
	require.NoError(t, err)
	return leases
}

// claimOne claims the one host that is due.
func claimOne(t testing.TB, f crawl.Frontier, now time.Time, urls int) crawl.Lease {
	t.Helper()
	leases := claim(t, f, now, 2, urls)
	require.Len(t, leases, 1)
	return leases[0]
}

func complete(t testing.TB, f crawl.Frontier, now time.Time, r crawl.Report) crawl.Receipt {
	t.Helper()
	receipts, err := f.Complete(t.Context(), now, []crawl.Report{r})
	require.NoError(t, err)
	require.Len(t, receipts, 1)
	return receipts[0]
}

func due(t testing.TB, f crawl.Frontier) time.Time {
	t.Helper()
	d, err := f.Due(t.Context())
	require.NoError(t, err)
	return d
}

// results says the same of each URL.
func results(items []crawl.Item, r crawl.Result) (all []crawl.Result) {
	for _, i := range items {
		r.Key = i.Key
		r.Attempts = i.Attempts + 1
		all = append(all, r)
	}
	return all
}

// names returns the hosts of leases.
func names(leases []crawl.Lease) (all []string) {
	for _, l := range leases {
		all = append(all, l.Host.Name)
	}
	return all
}

// paths returns the paths of URLs of the hosts that entry makes.
func paths(items []crawl.Item) (all []string) {
	for _, i := range items {
		for n, slashes := 0, 0; n < len(i.URL); n++ {
			if i.URL[n] == '/' {
				slashes++
			}
			if slashes == 3 {
				all = append(all, i.URL[n+1:])
				break
			}
		}
	}
	return all
}

// statusOf returns what is known of a URL.
func statusOf(t testing.TB, f crawl.Frontier, url string) crawl.URLStatus {
	t.Helper()
	all, err := f.URLs(t.Context(), crawl.URLFilter{URL: url})
	require.NoError(t, err)
	require.Len(t, all, 1, url)
	return all[0]
}
