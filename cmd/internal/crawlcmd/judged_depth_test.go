package crawlcmd_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// A crawl to a depth finds what a search by levels finds, however late pages answer and though it is killed, and asks for nothing twice.
// Each level is a crawl of its own: one link from what the crawl of the level before has found, where the order does not matter.
func TestJudgedDepth(t *testing.T) {
	if os.Getenv("CRAWL_JUDGED") != "all" {
		testsize.SkipUnlessFull(t) // TestJudgedCrawls has the web, and TestDepthIsThatOfTheShortestWay of crawl depths
	}
	binary, seed, hosts, pages, most := buildSynthetic(t), 911, 8, 60, 4
	crews := map[string]int{"one process": 1}
	flags := []string{"-links", "3", "-moved", "100", "-fail", "0", "-traps=false"}
	if os.Getenv("CRAWL_JUDGED") == "all" { // pages that fail once come much later than others
		hosts, pages, most, flags = 20, 150, 5, append(flags, "-fail", "10")
		crews["three on one database"] = 3
	}
	common := []string{"--scope", "all", "--no-delay", "--sitemaps", "off", "--warc", "off", "--retry-after", "0.2s"}
	web := startSynthetic(t, binary, seed, hosts, pages, flags...)
	level := map[string]bool{"http://h000.test/": true}
	for range most {
		folder := t.TempDir()
		good(t, folder, append([]string{"add"}, slices.Sorted(maps.Keys(level))...)...)
		good(t, folder, append(common, "--depth", "1", "--proxy", web.address)...)
		level = exported(t, folder)
	}

	for name, workers := range crews {
		t.Run(name, func(t *testing.T) {
			web, folder := startSynthetic(t, binary, seed, hosts, pages, append(flags, "-slow", "50ms")...), t.TempDir()
			if workers > 1 {
				share(t, folder)
			}
			args := append([]string{"http://h000.test/", "--requests", strconv.Itoa(atOnce), "--lease", "2s", "--depth", strconv.Itoa(most), "--proxy", web.address}, common...)
			killed := start(t, folder, args...)
			await(t, func() bool { return killed.ProcessState != nil || web.total() >= len(level)/3 })
			var others []*child
			for range workers - 1 {
				others = append(others, start(t, folder, args...))
			}
			killed.kill(t)
			good(t, folder, args...)
			for _, c := range others {
				assert.Zero(t, c.end(t), c.complaints)
			}
			got := exported(t, folder)
			t.Logf("%d URLs within %d links", len(level), most)
			assert.Equal(t, slices.Sorted(maps.Keys(level)), slices.Sorted(maps.Keys(got)))
			v := web.verdict(t)
			assert.Zero(t, v.Counts.Forbidden)
			assert.LessOrEqual(t, v.Counts.Twice, workers*hosts+atOnce, v.First["twice"]) // robots.txt, and what was in flight
		})
	}
}

// exported returns all URLs of a frontier.
func exported(t *testing.T, folder string) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for line := range strings.Lines(good(t, folder, "export")) {
		var u struct{ URL string }
		require.NoError(t, json.Unmarshal([]byte(line), &u))
		all[u.URL] = true
	}
	return all
}
