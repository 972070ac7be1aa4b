package scheduler

import (
	"container/heap"
	"container/list"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// host is one server: the requests that wait for it, and how many it is answering.
type host struct {
	name      scraperutils.Host
	pace      scraperutils.Pace
	waiting   fifo[ticket]
	void      int               // tickets among them whose call was withdrawn
	inFlight  int               // requests
	next      scraperutils.Wait // of the first that waits, while in the heap
	index     int               // in the heap; -1 outside
	released  time.Time         // when nobody asked it any more
	element   *list.Element     // in the order of release
	forgotten bool              // there may be another of that name
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
		h.void--
	}
	return nil
}

// withdraw makes a waiting ticket void. Once most tickets are void, they are dropped: a host may be held for longer than callers wait.
func (h *host) withdraw() {
	if h.void++; h.void > 16 && h.void > h.waiting.len()/2 {
		for range h.waiting.len() {
			if t := h.waiting.pop(); t.valid() {
				h.waiting.push(t)
			}
		}
		h.void = 0
	}
}

// hosts finds hosts by name, those that wait for their time by that time, and those that nobody has asked for longest. It belongs to the scheduler, and
// to its loop while there is one.
type hosts struct {
	config Config
	byName map[scraperutils.Host]*host
	due    hostHeap   // may take a request and something waits, earliest first
	used   *list.List // of all, the one that was released first in front
}

func newHosts(c Config) *hosts {
	return &hosts{config: c, byName: map[scraperutils.Host]*host{}, used: list.New()}
}

func (hs *hosts) get(name scraperutils.Host, now time.Time) *host {
	h := hs.byName[name]
	if h == nil {
		h = &host{name: name, pace: hs.config.Pacer.Pace(name), released: now, index: -1}
		h.element = hs.used.PushBack(h)
		hs.byName[name] = h
	}
	return h
}

// full reports whether a host may not have another request in flight.
func (hs *hosts) full(h *host) bool { return h.inFlight >= hs.config.MaxPerHost }

// idle reports whether a host has no request, waiting or in flight.
func (h *host) idle() bool { return h.inFlight == 0 && h.waiting.len() == 0 && h.index < 0 }

// release notes that a host may have become idle.
func (hs *hosts) release(h *host, now time.Time) {
	h.released = now
	hs.used.MoveToBack(h.element)
}

// forgets returns when to look for hosts to forget; zero: never.
func (hs *hosts) forgets() time.Time {
	first := hs.used.Front()
	if first == nil || hs.config.ForgetAfter <= 0 {
		return time.Time{}
	}
	return first.Value.(*host).released.Add(hs.config.ForgetAfter)
}

// forget drops the hosts that have been idle for long enough, except those that are still to be left alone.
func (hs *hosts) forget(now time.Time) {
	for t := hs.forgets(); !t.IsZero() && !t.After(now); t = hs.forgets() {
		h := hs.used.Front().Value.(*host)
		if !h.idle() || h.pace.Earliest().Until.After(now) {
			hs.release(h, now)
			continue
		}
		h.forgotten = true
		hs.used.Remove(h.element)
		delete(hs.byName, h.name)
	}
}

// clear drops what a loop has left: requests that wait, or were in flight when it ended.
func (hs *hosts) clear(now time.Time) {
	hs.due = nil
	for _, h := range hs.byName {
		h.waiting, h.void, h.inFlight, h.index = fifo[ticket]{}, 0, 0, -1
		hs.release(h, now)
	}
}

// revive lets hosts that were down be asked again.
func (hs *hosts) revive() {
	for _, h := range hs.byName {
		h.pace.Revive()
	}
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
