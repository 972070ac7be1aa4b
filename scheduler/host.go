package scheduler

import (
	"container/heap"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// host is one server: the requests that wait for it, and whether it is answering one.
type host struct {
	name    scraperutils.Host
	pace    scraperutils.Pace
	waiting fifo[ticket]
	busy    bool              // a request is in flight
	next    scraperutils.Wait // of the first that waits, while in the heap
	index   int               // in the heap; -1 outside
}

// ticket is a call's place in a host's queue. It is void once the operation has moved on.
type ticket struct {
	op  *operation
	seq int
}

func (t ticket) valid() bool { return t.op.state == StateWaiting && t.op.call.seq == t.seq }

// head is the first operation that waits, or nil. Void tickets before it go.
func (h *host) head() *operation {
	for h.waiting.len() > 0 {
		if first := h.waiting.peek(); first.valid() {
			return first.op
		}
		h.waiting.pop()
	}
	return nil
}

// hosts finds hosts by name, and those that wait for their time by that time.
type hosts struct {
	pacer  Pacer
	byName map[scraperutils.Host]*host
	due    hostHeap // not busy and something waits, earliest first
}

func newHosts(pacer Pacer) hosts { return hosts{pacer: pacer, byName: map[scraperutils.Host]*host{}} }

func (hs *hosts) get(name scraperutils.Host) *host {
	h := hs.byName[name]
	if h == nil {
		h = &host{name: name, pace: hs.pacer.Pace(name), index: -1}
		hs.byName[name] = h
	}
	return h
}

// first is the host whose time comes first, or nil.
func (hs *hosts) first() *host {
	if len(hs.due) == 0 {
		return nil
	}
	return hs.due[0]
}

func (hs *hosts) push(h *host)   { heap.Push(&hs.due, h) }
func (hs *hosts) remove(h *host) { heap.Remove(&hs.due, h.index) }

type hostHeap []*host

func (q hostHeap) Len() int           { return len(q) }
func (q hostHeap) Less(i, j int) bool { return q[i].next.Until.Before(q[j].next.Until) }
func (q hostHeap) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

func (q *hostHeap) Push(x any) {
	h := x.(*host)
	h.index = len(*q)
	*q = append(*q, h)
}

func (q *hostHeap) Pop() any {
	last := len(*q) - 1
	h := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	h.index = -1
	return h
}
