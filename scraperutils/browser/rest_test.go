package browser

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/stretchr/testify/assert"
)

// moment is something that happens to a page, so long after it was opened.
type moment struct {
	after time.Duration
	what  func(*rest, time.Time)
}

func at(after time.Duration, what func(*rest, time.Time)) moment { return moment{after, what} }

func load(r *rest, now time.Time) { r.load(now) }
func act(r *rest, now time.Time)  { r.act(now); r.idle() }

func begin(id int, what string, kind network.ResourceType) func(*rest, time.Time) {
	return func(r *rest, now time.Time) { r.begin(network.RequestID(fmt.Sprint(id)), what, kind, now) }
}

func ends(id int) func(*rest, time.Time) {
	return func(r *rest, now time.Time) { r.end(network.RequestID(fmt.Sprint(id)), now) }
}

func hears(id int, n int64) func(*rest, time.Time) {
	return func(r *rest, now time.Time) { r.hear(network.RequestID(fmt.Sprint(id)), n, now) }
}

func answers(id int, length int64) func(*rest, time.Time) {
	return func(r *rest, now time.Time) { r.answer(network.RequestID(fmt.Sprint(id)), length, now) }
}

// every repeats something.
func every(pause, until time.Duration, what func(i int) func(*rest, time.Time)) []moment {
	var all []moment
	for i := 0; time.Duration(i)*pause < until; i++ {
		all = append(all, at(time.Duration(i)*pause, what(i)))
	}
	return all
}

// doneAfter plays moments and returns when the page was done, -1 if it was not within a minute. It asks when the rule says to ask.
func doneAfter(moments []moment) time.Duration {
	start := time.Unix(1_800_000_000, 0)
	r := newRest(start)
	for now := time.Duration(0); now <= time.Minute; now += 50 * time.Millisecond {
		for len(moments) > 0 && moments[0].after <= now {
			moments[0].what(r, start.Add(now))
			moments = moments[1:]
		}
		if done, again := r.done(start.Add(now)); done {
			return now
		} else if !again.IsZero() && !again.After(start.Add(now)) {
			panic("it says to look again at once")
		}
	}
	return -1
}

// A page is done 2.5 s after the last thing that counts.
func TestRest(t *testing.T) {
	const script, ping, media, events = network.ResourceTypeFetch, network.ResourceTypePing, network.ResourceTypeMedia, network.ResourceTypeEventSource
	for name, c := range map[string]struct {
		moments []moment
		want    time.Duration
	}{
		"nothing after the load event":   {[]moment{at(0, load)}, 2500 * time.Millisecond},
		"no load event":                  {nil, -1},
		"a late request":                 {[]moment{at(0, load), at(2*time.Second, begin(1, "GET /a", script)), at(3*time.Second, ends(1))}, 5500 * time.Millisecond},
		"a request that was open before": {[]moment{at(0, begin(1, "GET /a", script)), at(time.Second, load), at(4*time.Second, ends(1))}, 6500 * time.Millisecond},
		"one that is silent for ever":    {[]moment{at(0, load), at(time.Second, begin(1, "GET /a", script))}, 6 * time.Second},
		"one that speaks now and then": {[]moment{
			at(0, load), at(0, begin(1, "GET /a", script)), at(4*time.Second, hears(1, 10)), at(8*time.Second, hears(1, 10)),
		}, 13 * time.Second},
		"one whose body is there though nobody reads it": {[]moment{
			at(0, load), at(0, begin(1, "GET /a", script)), at(time.Second, answers(1, 10)), at(time.Second, hears(1, 10)),
		}, 3500 * time.Millisecond},
		"one without a body":  {[]moment{at(0, load), at(0, begin(1, "GET /a", script)), at(time.Second, answers(1, 0))}, 3500 * time.Millisecond},
		"one of no known end": {[]moment{at(0, load), at(0, begin(1, "GET /a", script)), at(time.Second, answers(1, -1)), at(time.Second, hears(1, 10))}, 6 * time.Second},
		"polling for ever": {append([]moment{at(0, load)}, every(time.Second, time.Minute, func(i int) func(*rest, time.Time) {
			return begin(i, "GET /poll", script)
		})...), 7 * time.Second},
		"polling with answers": {append([]moment{at(0, load)}, every(500*time.Millisecond, time.Minute, func(i int) func(*rest, time.Time) {
			return func(r *rest, now time.Time) { begin(i, "GET /poll", script)(r, now); ends(i)(r, now) }
		})...), 3500 * time.Millisecond},
		"new requests for ever": {append([]moment{at(0, load)}, every(time.Second, 2*time.Minute, func(i int) func(*rest, time.Time) {
			return begin(i, fmt.Sprint("GET /", i), script)
		})...), -1},
		"what never counts": {append([]moment{at(0, load)}, every(time.Second, time.Minute, func(i int) func(*rest, time.Time) {
			return begin(i, fmt.Sprint("GET /", i), []network.ResourceType{ping, media, events, network.ResourceTypeWebSocket}[i%4])
		})...), 2500 * time.Millisecond},
		"actions": {[]moment{at(0, load), at(2*time.Second, act), at(4*time.Second, act)}, 6500 * time.Millisecond},
		"a known request after an action counts": {[]moment{
			at(0, load), at(0, begin(1, "GET /a", script)), at(0, begin(2, "GET /a", script)), at(0, begin(3, "GET /a", script)),
			at(0, ends(1)), at(0, ends(2)), at(0, ends(3)), at(time.Second, act),
			at(1900*time.Millisecond, begin(4, "GET /a", script)), at(4*time.Second, ends(4)),
		}, 6500 * time.Millisecond},
		"a known request on its own does not": {[]moment{
			at(0, load), at(0, begin(1, "GET /a", script)), at(0, begin(2, "GET /a", script)), at(0, begin(3, "GET /a", script)),
			at(0, ends(1)), at(0, ends(2)), at(0, ends(3)), at(2*time.Second, begin(4, "GET /a", script)),
		}, 2500 * time.Millisecond},
		"a behavior that has not looked yet": {[]moment{
			at(0, func(r *rest, now time.Time) { r.load(now); r.busy = true }), at(5*time.Second, func(r *rest, _ time.Time) { r.idle() }),
		}, 5 * time.Second},
		"an end of nothing": {[]moment{at(0, load), at(time.Second, ends(7)), at(time.Second, hears(7, 1)), at(time.Second, answers(7, 1))}, 2500 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, doneAfter(c.moments)) })
	}
}

// What is remembered of requests has an end.
func TestRestDoesNotGrow(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	r := newRest(now)
	for i := range 2 * maxKinds {
		begin(i, fmt.Sprint("GET /", i), network.ResourceTypeFetch)(r, now)
		ends(i)(r, now)
	}
	assert.Len(t, r.came, maxKinds)
	assert.Empty(t, r.open)
}
