package crawl

import (
	"crypto/sha256"
	"sync"

	"github.com/multiscraper/multiscraper/scraperutils/crawl/urls"
)

// knownLinks remembers URLs that the frontier knows, so that it need not be asked: what is known never becomes unknown. It forgets those
// that were not met for long. Its methods may be called from any goroutine.
type knownLinks struct {
	mu    sync.Mutex // guards the rest
	young map[digestOf]struct{}
	old   map[digestOf]struct{} // was young before; what is met here becomes young again
}

// digestOf is half of the SHA-256 of a URL: no two have ever been found that share it.
type digestOf [16]byte

// generation is how many URLs of one age are remembered: 4 MB each, at most.
const generation = 1 << 17

func newKnownLinks() *knownLinks { return &knownLinks{young: map[digestOf]struct{}{}} }

func digestOfURL(url string) digestOf {
	sum := sha256.Sum256([]byte(url))
	return digestOf(sum[:16])
}

// has reports whether a URL is remembered.
func (k *knownLinks) has(u urls.URL) bool {
	d := digestOfURL(u.String())
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, ok := k.young[d]; ok {
		return true
	}
	_, ok := k.old[d]
	if ok {
		k.add(d)
	}
	return ok
}

// remember takes in what the frontier knows now.
func (k *knownLinks) remember(url string) {
	d := digestOfURL(url)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.add(d)
}

// add makes a URL a young one. The mutex is held.
func (k *knownLinks) add(d digestOf) {
	if len(k.young) >= generation {
		k.old, k.young = k.young, make(map[digestOf]struct{}, generation/4)
	}
	k.young[d] = struct{}{}
}
