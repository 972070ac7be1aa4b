package pace

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// The rules that make a request wait, as logs and snapshots name them.
const (
	RuleMaxLoad    = "max_load"    // the host rests in proportion to what its answers took
	RuleCrawlDelay = "crawl-delay" // its robots.txt asks for it
	RuleRandom     = "random delay"
	RuleRetryAfter = "Retry-After" // it asked for it with a 429 or 503
	RuleBackOff    = "back-off"    // it said that it is overloaded, not for how long
	RuleRetry      = "retry"       // before another try
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
	NoDelay     bool          // neither of these two: for replays, test sites of one's own and benchmarks
	NoRetry     bool          // for replays

	Random func() float64 // from 0 to 1; nil is math/rand
}

// Limiter remembers each host's pace. It and they belong to one goroutine.
type Limiter struct {
	config   Config
	adaptive Adaptive
	hosts    map[scraperutils.Host]*host
}

// host is what is known of one host. There is one for each that somebody wants to ask.
type host struct {
	limiter  *Limiter
	name     scraperutils.Host
	answered bool
	delay    time.Duration // the running average of rests
	crawl    time.Duration // its robots.txt's
	overload int           // how many steps of back-off it is away from good
	next     scraperutils.Wait
	unreach  int   // failures to reach it, in a row
	down     error // why it is not asked any more
}

// New returns a Limiter that knows no hosts.
func New(c Config) *Limiter {
	if c.MaxLoad == 0 {
		c.MaxLoad = DefaultMaxLoad
	}
	if c.Random == nil {
		c.Random = rand.Float64
	}
	return &Limiter{config: c, adaptive: Adaptive{Load: c.MaxLoad}, hosts: map[scraperutils.Host]*host{}}
}

// Pace returns a host's pace, the same each time.
func (l *Limiter) Pace(name scraperutils.Host) scraperutils.Pace {
	h := l.hosts[name]
	if h == nil {
		h = &host{limiter: l, name: name}
		l.hosts[name] = h
	}
	return h
}

// Earliest tells when the next request to the host may go out. Where it is down, it says so.
func (h *host) Earliest() scraperutils.Wait {
	if h.down != nil {
		return scraperutils.Wait{Err: &DownError{Host: h.name, Err: h.down}}
	}
	return h.next
}

// DownError says that a host is not asked any more in this attempt, and why.
type DownError struct {
	Host scraperutils.Host
	Err  error
}

func (e *DownError) Error() string { return fmt.Sprintf("%s is down: %v", e.Host, e.Err) }

func (e *DownError) Unwrap() error { return e.Err }

// Observe takes what came of a request and tells whether to send it again. Waits count from the end of the answer.
func (h *host) Observe(o scraperutils.Outcome) (again bool) {
	if o.Status() == 0 && scraperutils.ClassOf(o.Err) == scraperutils.ClassRobots {
		return false // the host was not asked
	}
	h.rest(o)
	kind := kindOf(o)
	switch kind {
	case unreached:
		if h.unreach++; h.unreach >= BrokenTries {
			h.down = o.Err
		}
		again = o.Try < BrokenTries
	case overloaded:
		h.unreach = 0
		h.holdOverloaded(o)
		again = o.Try < OverloadTries
	case broken:
		h.unreach = 0
		again = o.Try < BrokenTries && o.Request.Idempotent()
	case fine:
		h.unreach, h.overload = 0, max(h.overload-1, 0)
	case useless:
		if o.Status() != 0 {
			h.unreach = 0
		}
	}
	if kind != overloaded {
		h.backOff(o) // what failed otherwise does not tell that the load is gone
	}
	if again = again && !h.limiter.config.NoRetry; again {
		h.hold(o.Ended.Add(RetryPause), RuleRetry)
	}
	return again
}

// rest sets when the host may be asked next if all is well.
func (h *host) rest(o scraperutils.Outcome) {
	h.next = scraperutils.Wait{Until: o.Ended}
	if o.Response != nil {
		h.crawl = o.Response.CrawlDelay
	}
	if !h.limiter.config.NoDelay {
		h.sample(h.limiter.adaptive, o)
		h.hold(o.Ended.Add(h.delay), RuleMaxLoad)
	}
	if h.crawl > 0 {
		h.hold(o.Ended.Add(h.crawl), RuleCrawlDelay)
	}
	if r := h.limiter.random(); r > 0 {
		h.hold(h.next.Until.Add(r), RuleRandom)
	}
}

// sample takes an answer's time into the average. One that never came is as long as it was waited for.
func (h *host) sample(a Adaptive, o scraperutils.Outcome) {
	timedOut := scraperutils.ClassOf(o.Err) == scraperutils.ClassTimeout
	switch {
	case o.Status() == 0 && !timedOut:
	case h.answered:
		h.delay = a.Next(h.delay, o.Took())
	default:
		h.answered, h.delay = true, a.First(o.Took())
	}
}

// hold keeps the host from being asked before a time.
func (h *host) hold(until time.Time, rule string) {
	if until.After(h.next.Until) {
		h.next = scraperutils.Wait{Until: until, Rule: rule}
	}
}

// holdOverloaded keeps an overloaded host from being asked, for as long as it wants or for the next step of the back-off.
func (h *host) holdOverloaded(o scraperutils.Outcome) {
	if wanted, ok := RetryAfter(o.Response.Header.Get("Retry-After"), o.Ended); ok {
		h.hold(o.Ended.Add(min(wanted, MaxRetryAfter)), RuleRetryAfter)
		return
	}
	h.overload++
	h.backOff(o)
}

// backOff holds the host for the step it is on: 2 × the answer's time + 5 s, doubled with each step.
func (h *host) backOff(o scraperutils.Outcome) {
	if h.overload == 0 {
		return
	}
	hold := 2*o.Took() + 5*time.Second
	for step := 1; step < h.overload && hold < MaxBackOff; step++ {
		hold *= 2
	}
	h.hold(o.Ended.Add(min(hold, MaxBackOff)), RuleBackOff)
}

// Reset forgets which hosts are down. How quick and how patient they are stays known.
func (l *Limiter) Reset() {
	for _, h := range l.hosts {
		h.down, h.unreach = nil, 0
	}
}

// kind is what an outcome means for the host.
type kind int

const (
	fine       kind = iota // a page, or where it is
	useless                // the host may be well, but this is no sign of it: 4xx, a body nobody can read, a request given up
	overloaded             // 429 and 503, whatever their pages say
	broken
	unreached
)

func kindOf(o scraperutils.Outcome) kind {
	class := scraperutils.ClassOf(o.Err)
	switch status := o.Status(); {
	case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable:
		return overloaded
	case status >= 500:
		return broken
	case scraperutils.Unreached(o.Err):
		return unreached
	case class == scraperutils.ClassTimeout || class == scraperutils.ClassConnect: // with a status: in the middle of the body
		return broken
	case o.Err != nil || status >= 400:
		return useless
	default:
		return fine
	}
}
