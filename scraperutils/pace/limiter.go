package pace

import (
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// The rules that make a request wait, as they are named in logs and snapshots.
const (
	RuleMaxLoad = "max_load"
)

// Config says how polite to be. The zero value rests as long as answers take.
type Config struct {
	MaxLoad float64 // percent of a server's time; 0 is 50, read as 1 to 80
	NoDelay bool    // no adaptive delay: for replays, own test sites and benchmarks
}

// Limiter remembers each host's pace. It belongs to one goroutine.
type Limiter struct {
	adaptive Adaptive
	noDelay  bool
	hosts    map[scraperutils.Host]*host
}

// host is what is known of one host. There is one for each that has answered.
type host struct {
	delay     time.Duration // the running average
	notBefore time.Time     // for the next request
}

// New returns a Limiter that knows no hosts.
func New(c Config) *Limiter {
	if c.MaxLoad == 0 {
		c.MaxLoad = DefaultMaxLoad
	}
	return &Limiter{
		adaptive: Adaptive{Load: c.MaxLoad},
		noDelay:  c.NoDelay,
		hosts:    map[scraperutils.Host]*host{},
	}
}

// Earliest tells when the next request to a host may go out.
func (l *Limiter) Earliest(name scraperutils.Host) scraperutils.Wait {
	h := l.hosts[name]
	if h == nil {
		return scraperutils.Wait{}
	}
	return scraperutils.Wait{Until: h.notBefore, Rule: RuleMaxLoad}
}

// Observe takes what came of a request. Its delay counts from the end of the answer.
func (l *Limiter) Observe(name scraperutils.Host, o scraperutils.Outcome) (again bool) {
	h := l.hosts[name]
	if h == nil {
		h = &host{delay: l.adaptive.First(o.Took())}
		l.hosts[name] = h
	} else {
		h.delay = l.adaptive.Next(h.delay, o.Took())
	}
	if !l.noDelay {
		h.notBefore = o.Ended.Add(h.delay)
	}
	return false
}

// Reset forgets which hosts are down. How quick they are stays known.
func (l *Limiter) Reset() {}
