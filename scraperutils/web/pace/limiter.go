package pace

import (
	"math/rand/v2"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// These are the rules that make a request wait, as logs and snapshots name them.
const (
	RuleMaxLoad     = "max_load"     // the host rests in proportion to the time that its answers took
	RuleMinInterval = "min interval" // two requests are at least this far apart
	RuleAverage     = "average time" // the average answer time, divided by the requests that the host may have in flight
	RuleCrawlDelay  = "crawl-delay"  // its robots.txt asks for it
	RuleRandom      = "random delay"
	RuleRetryAfter  = "Retry-After" // it asked for it with a 429 or 503
	RuleBackOff     = "back-off"    // it said that it is overloaded, but not for how long
	RuleRetry       = "retry"       // before another try
	RuleDown        = "down"        // it could not be reached
)

// How often to try a request, and how long to wait.
const (
	OverloadTries = 4 // tries of a request that a host is too busy for: the first and three more
	BrokenTries   = 2 // tries of an idempotent request that failed otherwise, and of one that never reached the host
	MaxRetryAfter = 10 * time.Minute
	MaxBackOff    = 120 * time.Second
	RetryPause    = time.Second // the shortest wait before another try
)

// Config configures politeness. The zero value makes a host rest as long as its answers take.
type Config struct {
	MaxLoad     float64       // percent of a server's time, clamped to 1 to 80; 0 is 50
	RandomDelay time.Duration // the average of a random delay that is added to the others; 0 is none
	MinInterval time.Duration // the shortest time between two requests to a host; 0 is none
	NoDelay     bool          // turns these three off, for replays, your own test sites, and benchmarks
	NoRetry     bool          // turns retries off, for replays, and for callers that keep track of retries themselves
	DownFor     time.Duration // how long an unreachable host is left alone; 0 means until it is revived

	// PerHost is how many requests a host may have in flight; the scheduler must allow as many. If it is more than one, requests keep
	// their distance from start to start, and MaxLoad has no effect. 0 is 1.
	PerHost int

	Random func() float64 // returns a number from 0 to 1; nil is math/rand
}

// Limiter makes the pace of each host by the same rules. It remembers no pace: its caller does.
type Limiter struct {
	config   Config
	adaptive Adaptive
}

// New returns a Limiter with these rules.
func New(c Config) *Limiter {
	if c.MaxLoad == 0 {
		c.MaxLoad = DefaultMaxLoad
	}
	if c.Random == nil {
		c.Random = rand.Float64
	}
	if c.PerHost > 1 {
		c.MaxLoad = 50 // makes the delay the average of what answers take
	}
	return &Limiter{config: c, adaptive: Adaptive{Load: c.MaxLoad}}
}

// Pace returns the pace of a host that nobody has asked yet.
func (l *Limiter) Pace(name scraperutils.Host) scraperutils.Pace {
	return &host{limiter: l, name: name}
}
