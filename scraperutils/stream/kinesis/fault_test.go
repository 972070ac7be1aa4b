package kinesis_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/stream"
	"github.com/multiscraper/multiscraper/scraperutils/stream/streamtest"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// Reads are throttled, iterators expire, connections are cut, servers fail and answer nonsense, all of it at once: each record is
// handled once, and those of a key in order.
func TestFaults(t *testing.T) {
	each(t, func(t *testing.T, endpoint string) {
		total, batch := testsize.Of(200, 400), 10
		if full {
			total, batch = 12_000, 100
		}
		const keys = 20
		s := streamtest.NewStream(t, endpoint, 4)
		s.Put(t, entries(0, total, keys)...)
		proxy := streamtest.NewProxy(t, endpoint, 14, streamtest.Faults{Throttled: 0.1, Expired: 0.1, Cut: 0.1, Broken: 0.03, Nonsense: 0.03})
		var l ledger
		c := consumer(t, s, proxy.URL, "one", filepath.Join(t.TempDir(), "stream.sqlite"), stream.Each(l.each))
		c.Batch = batch
		require.ErrorIs(t, runUntil(t, c, func() bool { return l.count() >= total }), context.Canceled)
		l.check(t, keys, total)
		counts := proxy.Counts()
		for _, what := range []string{"throttled", "expired", "cut"} {
			assert.Positive(t, counts[what], what)
		}
		t.Log(fmt.Sprint(counts))
	})
}
