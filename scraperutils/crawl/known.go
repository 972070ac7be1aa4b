package crawl

import (
	"crypto/sha256"
	"math"
	"sync"

	"github.com/multiscraper/multiscraper/scraperutils/crawl/urls"
)

// knownLinks remembers URLs that the frontier knows, and that they are so near at least, so that it need not be asked: what is known
// never becomes unknown, nor farther. It forgets those that were not met for long. Its methods may be called from any goroutine.
type knownLinks struct {
	mu    sync.Mutex         // guards the rest
	young map[digestOf]int32 // the depth of each
	old   map[digestOf]int32 // was young before; what is met here becomes young again
}

// digestOf is half of the SHA-256 of a URL: no two have ever been found that share it.
type digestOf [16]byte

// generation is how many URLs of one age are remembered: 5 MB each, at most.
const generation = 1 << 17

func newKnownLinks() *knownLinks { return &knownLinks{young: map[digestOf]int32{}} }

func digestOfURL(url string) digestOf {
	sum := sha256.Sum256([]byte(url))
	return digestOf(sum[:16])
}

// has reports whether a URL is remembered, at a depth or nearer.
func (k *knownLinks) has(u urls.URL, depth int) bool {
	d := digestOfURL(u.String())
	k.mu.Lock()
	defer k.mu.Unlock()
	known, ok := k.find(d)
	return ok && int(known) <= depth
}

// remember takes in what the frontier knows now.
func (k *knownLinks) remember(url string, depth int) {
	d := digestOfURL(url)
	k.mu.Lock()
	defer k.mu.Unlock()
	if known, ok := k.find(d); !ok || depth < int(known) {
		k.add(d, int32(min(depth, math.MaxInt32)))
	}
}

// find returns the depth of a URL that is remembered, and makes it a young one. The mutex is held.
func (k *knownLinks) find(d digestOf) (depth int32, ok bool) {
	if depth, ok = k.young[d]; ok {
		return depth, true
	}
	if depth, ok = k.old[d]; ok {
		k.add(d, depth)
	}
	return depth, ok
}

// add makes a URL a young one. The mutex is held.
func (k *knownLinks) add(d digestOf, depth int32) {
	if _, ok := k.young[d]; !ok && len(k.young) >= generation {
		k.old, k.young = k.young, make(map[digestOf]int32, generation/4)
	}
	k.young[d] = depth
}
