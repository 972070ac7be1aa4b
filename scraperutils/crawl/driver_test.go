package crawl_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// Anybody can work a visit's ID out.
func TestVisitID(t *testing.T) {
	assert.Equal(t, "527dda32-a0de-5105-a042-cb475b5f7d11", crawl.VisitID("https://example.org/", 1))
	assert.Equal(t, "1bc7e690-1a78-5a58-ac75-521602afc8c1", crawl.VisitID("https://example.org/", 2))
}

func TestHash(t *testing.T) {
	assert.Equal(t, int64(4669222213717919769), crawl.Hash("https://example.org/"), "it never changes: frontiers keep it")
	assert.Equal(t, int64(2), crawl.NextHash(1))
	assert.Equal(t, int64(1), crawl.NextHash(math.MaxInt64))
}

func TestMillis(t *testing.T) {
	for _, c := range []struct {
		t        time.Time
		down, up int64
	}{
		{time.Unix(1, 0), 1000, 1000},
		{time.Unix(1, 1), 1000, 1001},
		{time.Unix(-1, 1), -1000, -999},
		{time.Unix(math.MaxInt64, 0), 1 << 60, 1 << 60},
		{time.Unix(math.MinInt64/2, 0), -1 << 60, -1 << 60},
	} {
		assert.Equal(t, c.down, crawl.Millis(c.t), c.t)
		assert.Equal(t, c.up, crawl.MillisUp(c.t), c.t)
	}
	for d, want := range map[time.Duration]int64{0: 0, -1: 0, 1: 1, time.Millisecond: 1, time.Millisecond + 1: 2, math.MaxInt64: math.MaxInt64 / 1_000_000} {
		assert.Equal(t, want, crawl.IntervalMillis(d), d)
	}
}

func TestReasonWord(t *testing.T) {
	for reason, want := range map[string]string{"": "", "robots": "robots", "not-text: image/png": "not-text", "dns no such host": "dns"} {
		assert.Equal(t, want, crawl.ReasonWord(reason))
	}
}

// FuzzHostsNamed: a host is found by each of its names.
func FuzzHostsNamed(f *testing.F) {
	for _, name := range []string{"example.org", "::1", "", "a:b", "[x]"} {
		for _, port := range []string{"80", "443", "8080", ""} {
			f.Add(name, port)
		}
	}
	f.Fuzz(func(t *testing.T, name, port string) {
		h := scraperutils.Host{Name: name, Port: port}
		for _, n := range []string{h.String(), h.Name + ":" + h.Port, crawl.HostText(h)} {
			hosts := crawl.HostsNamed(n)
			assert.NotEmpty(t, hosts, n)
			if !strings.ContainsAny(name, "[]") && !strings.ContainsAny(port, "[]:") { // which no host's name and port contain
				assert.Contains(t, hosts, h, n)
			}
		}
	})
}
