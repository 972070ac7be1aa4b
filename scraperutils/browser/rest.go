package browser

import (
	"time"

	"github.com/chromedp/cdproto/network"
)

// When a page is done.
const (
	quietTime  = 2500 * time.Millisecond // without anything that counts
	silentTime = 5 * time.Second         // an open request of which nothing has come for so long does not count
	actionTime = time.Second             // a request that begins so soon after an action counts, however often it came before
	commonness = 3                       // so often may a method and path come until they are no news
	maxKinds   = 10_000                  // of request are remembered; more are no news
)

// rest finds when a page is done: the load event is past, and for 2.5 seconds there was no action of a behavior, no open request that
// counts, no request of a new kind. Times are given to it. The goroutine of the page owns it.
type rest struct {
	loaded  bool
	busy    bool                             // a behavior looks for something to do, and did something when it looked last, or never looked
	at      time.Time                        // when it was loaded
	changed time.Time                        // when something that counts happened last
	acted   time.Time                        // when a behavior did something last
	came    map[string]int                   // how often each method and path
	open    map[network.RequestID]*heardFrom // that count
}

// heardFrom is a request that is under way.
type heardFrom struct {
	at      time.Time // when something of it came last
	expects int64     // bytes of its body as they are sent; -1 is unknown
	came    int64     // of them
}

func newRest(now time.Time) *rest {
	return &rest{changed: now, came: map[string]int{}, open: map[network.RequestID]*heardFrom{}}
}

// load takes the load event.
func (r *rest) load(now time.Time) { r.loaded, r.at, r.changed = true, now, now }

// act takes an action of a behavior, which looks for another one.
func (r *rest) act(now time.Time) { r.changed, r.acted, r.busy = now, now, true }

// idle takes that a behavior has found nothing to do.
func (r *rest) idle() { r.busy = false }

// begin takes a request, by its method and path, or one more hop of it.
func (r *rest) begin(id network.RequestID, what string, kind network.ResourceType, now time.Time) {
	if r.came[what] > 0 || len(r.came) < maxKinds {
		r.came[what]++
	}
	if endless(kind) {
		return
	}
	news := r.came[what] > 0 && r.came[what] <= commonness
	if news || !r.acted.IsZero() && now.Sub(r.acted) < actionTime {
		r.open[id] = &heardFrom{at: now, expects: -1}
		r.changed = now
	}
}

// endless reports whether a request is of a kind that pages keep open, or that nothing follows from.
func endless(kind network.ResourceType) bool {
	switch kind {
	case network.ResourceTypeEventSource, network.ResourceTypeWebSocket, network.ResourceTypePing, network.ResourceTypeMedia, network.ResourceTypeCSPViolationReport:
		return true
	}
	return false
}

// answer takes the head of an answer, which may say how long its body is; -1 is that it does not.
func (r *rest) answer(id network.RequestID, expects int64, now time.Time) {
	if o := r.open[id]; o != nil {
		o.at, o.expects = now, expects
		r.whole(id, o, now)
	}
}

// hear takes so many bytes of an answer's body.
func (r *rest) hear(id network.RequestID, n int64, now time.Time) {
	if o := r.open[id]; o != nil {
		o.at, o.came = now, o.came+n
		r.whole(id, o, now)
	}
}

// whole ends a request whose body is there. The browser says so itself only if somebody reads it.
func (r *rest) whole(id network.RequestID, o *heardFrom, now time.Time) {
	if o.expects >= 0 && o.came >= o.expects {
		r.end(id, now)
	}
}

// end takes the end of a request.
func (r *rest) end(id network.RequestID, now time.Time) {
	if r.open[id] != nil {
		delete(r.open, id)
		r.changed = now
	}
}

// done reports whether the page is done, or else when to look again if nothing happens; zero: only something that happens can end it.
func (r *rest) done(now time.Time) (done bool, again time.Time) {
	if !r.loaded || r.busy {
		return false, time.Time{}
	}
	quiet := r.changed.Add(quietTime)
	for id, o := range r.open {
		silent := o.at.Add(silentTime)
		if !now.Before(silent) {
			delete(r.open, id)
			continue
		}
		if silent.After(quiet) {
			quiet = silent
		}
	}
	if len(r.open) == 0 && !now.Before(r.changed.Add(quietTime)) {
		return true, time.Time{}
	}
	return false, quiet
}
