package pace

import (
	"math/rand/v2"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// The rules that make a request wait, as logs and snapshots name them.
const (
	RuleMaxLoad     = "max_load"     // the host rests in proportion to what its answers took
	RuleMinInterval = "min interval" // no two requests are closer
	RuleAverage     = "average time" // of its answers, shared by the requests that it may have in flight
	RuleCrawlDelay  = "crawl-delay"  // its robots.txt asks for it
	RuleRandom      = "random delay"
	RuleRetryAfter  = "Retry-After" // it asked for it with a 429 or 503
	RuleBackOff     = "back-off"    // it said that it is overloaded, not for how long
	RuleRetry       = "retry"       // before another try
	RuleDown        = "down"        // it could not be reached
)

// How often and how long.
const (
	OverloadTries = 4 // of a request that a host is too busy for: the first and three more
	BrokenTries   = 2 // of an idempotent request that failed otherwise, and of one that never reached the host
	MaxRetryAfter = 10 * time.Minute
	MaxBackOff    = 120 * time.Second
	RetryPause    = time.Second // at least, before another try
)

// Config says how polite to be. The zero value rests as long as answers take.
type Config struct {
	MaxLoad     float64       // percent of a server's time; 0 is 50, read as 1 to 80
	RandomDelay time.Duration // on average, on top of the others; 0 is none
	MinInterval time.Duration // at least, between two requests to a host; 0 is none
	NoDelay     bool          // none of these three: for replays, test sites of one's own and benchmarks
	NoRetry     bool          // for replays, and for those who keep what is to be tried again themselves
	DownFor     time.Duration // how long a host that can't be reached is left alone; 0 is until it is revived

	// PerHost is how many requests a host may have in flight: as many as the scheduler lets through. Where it is more than one,
	// requests keep their distance from start to start, and MaxLoad says nothing. 0 is 1.
	PerHost int

	Random func() float64 // from 0 to 1; nil is math/rand
}

// Limiter makes the pace of each host by the same rules. It remembers none of them: that is for who asks the hosts.
type Limiter struct {
	config   Config
	adaptive Adaptive
}

// New returns a Limiter of these rules.
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
