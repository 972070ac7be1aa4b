package cassette

import (
	"net/http"
	"slices"
)

// The first exchanges of a session (its front page, terms that are agreed to, robots.txt) stay whatever comes, within their share.
const (
	startExchanges = 5
	startShare     = 4 // a quarter of what may be kept
)

// exchangeSize is about what an exchange costs beside its URL and the values of its headers.
const exchangeSize = 500

// kept is an interaction or a failure, and what it takes.
type kept struct {
	Interaction
	failure *Failure // instead of an interaction
	number  int      // counted over all that were ever kept
	size    size
}

// size is what is kept, in bytes.
type size struct{ bodies, heads int64 }

func (s size) plus(o size) size  { return size{s.bodies + o.bodies, s.heads + o.heads} }
func (s size) minus(o size) size { return size{s.bodies - o.bodies, s.heads - o.heads} }

// room drops exchanges until n bytes more are within a limit, and reports whether they are. The mutex is held.
func (r *Recorder) room(n, limit int64, used *int64) bool {
	for limit > 0 && *used+n > limit {
		if !r.drop() {
			return false
		}
	}
	return true
}

// within reports whether what is kept is within a share of the limits. The mutex is held.
func (r *Recorder) within(share int64) bool {
	fits := func(n, limit int64) bool { return limit == 0 || n <= limit/share }
	return fits(r.size.bodies, r.options.MaxBytes) && fits(r.size.heads, r.options.MaxHeadBytes)
}

// drop forgets the oldest exchange behind the first ones, if there is one. The mutex is held.
func (r *Recorder) drop() bool {
	if len(r.kept) <= r.start {
		return false
	}
	k := r.kept[r.start]
	r.kept = slices.Delete(r.kept, r.start, r.start+1)
	r.size = r.size.minus(k.size)
	r.forget(k)
	return true
}

func (r *Recorder) forget(k kept) {
	k.release()
	r.truncated = true
	r.missing++
}

func (k kept) release() {
	k.Request.Body.spooled.release()
	k.Response.Body.spooled.release()
}

func headerSize(h http.Header) (n int64) {
	for name, values := range h {
		n += int64(len(name))
		for _, v := range values {
			n += int64(len(v))
		}
	}
	return n
}
