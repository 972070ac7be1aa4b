package crawlcmd_test

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// What hosts see of a crawl that is killed and ended again and again is one that has never ended: one request at a time, or as many as they
// may have, and no gap that is shorter than the rule. They don't notice that who asked is gone, and answer to the end.
func TestPoliteAcrossEnds(t *testing.T) {
	for name, c := range map[string]struct {
		flags  []string
		atOnce int
		gap    time.Duration
	}{
		"one at a time":  {[]string{"--min-interval", "0.15"}, 1, 150 * time.Millisecond},
		"four at a time": {[]string{"--per-host", "4", "--min-interval", "0.01"}, 4, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hosts, pages, ends := 10, 12*c.atOnce, testsize.Of(2, 4)
			if full {
				hosts, pages, ends = 100, 60, 20
			}
			web, folder := newWeb(t), t.TempDir()
			web.latency = 60 * time.Millisecond
			good(t, folder, "add", "-f", write(t, folder, "urls", list(hosts, pages)))
			args := append(c.flags, "--proxy", web.proxy(), "--jsonl", filepath.Join(folder, "pages.jsonl"))
			random := seeded(t)
			for n := range ends {
				p := start(t, folder, args...)
				enough := web.total() + 1 + random.IntN(hosts*pages/(4*ends)) // what is in flight at each end comes on top
				await(t, func() bool { return web.total() >= enough })
				if n%2 == 0 {
					p.kill(t)
					continue
				}
				require.NoError(t, p.Process.Signal(syscall.SIGTERM))
				require.Equal(t, 143, p.end(t))
			}
			good(t, folder, args...)
			assert.Len(t, pagesIn(t, folder), hosts*pages)
			assert.LessOrEqual(t, web.total(), hosts*pages+ends*hosts*c.atOnce)
			assert.LessOrEqual(t, web.mostAtOnce(), c.atOnce)
			if c.atOnce == 1 {
				assert.GreaterOrEqual(t, web.gap, c.gap)
			}
			t.Logf("%d requests beyond those that are needed, the shortest gap was %v", web.total()-hosts*pages, web.gap)
		})
	}
}
