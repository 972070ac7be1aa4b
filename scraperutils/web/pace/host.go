package pace

import (
	"fmt"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// host is what is known of one host. It belongs to one goroutine.
type host struct {
	limiter  *Limiter
	name     scraperutils.Host
	answered bool
	delay    time.Duration // the running average of rests
	crawl    time.Duration // its robots.txt's
	overload int           // how many steps of back-off it is away from good
	next     scraperutils.Wait
	unreach  int        // failures to reach it, in a row
	down     *DownError // why it is not asked any more, or not yet; nil: it is asked
}

// Earliest returns when the next request to the host may go out. Where it is down, it says so, and until when.
func (h *host) Earliest() scraperutils.Wait {
	wait := h.next
	if h.down == nil {
		return wait
	}
	wait.Err = h.down
	if h.down.Until.IsZero() || h.down.Until.After(wait.Until) {
		wait.Until, wait.Rule = h.down.Until, RuleDown
	}
	return wait
}

// Sent keeps the distance from start to start, where a host may have several requests in flight.
func (h *host) Sent(at time.Time) {
	n := h.limiter.config.PerHost
	if n <= 1 {
		return
	}
	if h.next.Until.Before(at) {
		h.next = scraperutils.Wait{Until: at}
	}
	h.distance(at, h.delay/time.Duration(n), RuleAverage)
}

// Revive has a host asked again that was down. How quick and how patient it is stays known.
func (h *host) Revive() { h.down, h.unreach = nil, 0 }

// DownError says that a host is not asked any more, or not yet, and why.
type DownError struct {
	Host  scraperutils.Host
	Err   error
	Until time.Time // zero means until the host is revived
}

func (e *DownError) Error() string { return fmt.Sprintf("%s is down: %v", e.Host, e.Err) }

func (e *DownError) Unwrap() error { return e.Err }

// Observe takes what came of a request and reports whether to send it again. Waits count from the end of the answer, unless a host
// may have several requests in flight.
func (h *host) Observe(o scraperutils.Outcome) (again bool) {
	if o.Status() == 0 && scraperutils.ClassOf(o.Err) == scraperutils.ClassRobots {
		return false // the host was not asked
	}
	h.rest(o)
	kind := kindOf(o)
	switch kind {
	case unreached:
		if h.unreach++; h.unreach >= BrokenTries {
			h.goDown(o)
		}
		again = o.Try < BrokenTries
	case overloaded:
		h.Revive()
		h.holdOverloaded(o)
		again = o.Try < OverloadTries
	case broken:
		h.Revive()
		again = o.Try < BrokenTries && o.Request.Idempotent()
	case fine:
		h.Revive()
		h.overload = max(h.overload-1, 0)
	case useless:
		if o.Status() != 0 {
			h.Revive()
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

// goDown leaves the host alone, for as long as the rules say.
func (h *host) goDown(o scraperutils.Outcome) {
	h.down = &DownError{Host: h.name, Err: o.Err}
	if d := h.limiter.config.DownFor; d > 0 {
		h.down.Until = o.Ended.Add(d)
	}
}

// rest learns from an answer and sets when the host may be asked next if all is well.
func (h *host) rest(o scraperutils.Outcome) {
	if o.Response != nil {
		h.crawl = o.Response.CrawlDelay
	}
	if !h.limiter.config.NoDelay {
		h.sample(h.limiter.adaptive, o)
	}
	if h.limiter.config.PerHost > 1 { // Sent has set it
		return
	}
	h.next = scraperutils.Wait{Until: o.Ended}
	h.distance(o.Ended, h.delay, RuleMaxLoad)
}

// distance keeps the next request away from the one before: by a delay that comes of its answers, and by what is asked for.
func (h *host) distance(from time.Time, delay time.Duration, rule string) {
	if !h.limiter.config.NoDelay {
		h.hold(from.Add(h.limiter.config.MinInterval), RuleMinInterval)
		h.hold(from.Add(delay), rule)
	}
	h.hold(from.Add(h.crawl), RuleCrawlDelay)
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
