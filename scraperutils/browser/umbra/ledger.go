package umbra

import (
	"crypto/sha256"
	"slices"
	"sync"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/amqp"
)

// What is remembered of messages that are done and whose acknowledgment may be lost.
const (
	mostDone = 4096
	doneFor  = 30 * time.Minute
)

// ledger knows messages by their bodies. Two messages with the same body are interchangeable: each stands for one page. Its methods may
// be called from any goroutine.
type ledger struct {
	mu   sync.Mutex // guards the rest, and the delivery and the phase of each page
	open []*page
	done []finished // in order of time
}

// finished is a message that is done, and that the broker may not know to be.
type finished struct {
	key [sha256.Size]byte
	at  time.Time
}

func keyOf(body []byte) [sha256.Size]byte { return sha256.Sum256(body) }

// receipt is what a message that comes is.
type receipt int

const (
	isNew  receipt = iota
	isOpen         // there is a page of it: it answers to this delivery from now on
	isDone         // its page is done
)

// receive takes in a message. Where it is new, p is open from now on.
//
// One that was delivered before may be a message whose connection is lost; it is joined with what is known of that. One that was not is another
// message, however much it looks like one of those.
func (l *ledger) receive(p *page, now time.Time) receipt {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.delivery.Redelivered {
		for _, o := range l.open {
			if o.key == p.key && o.phase != PhaseLeft && !o.delivery.Alive() {
				o.delivery = p.delivery
				return isOpen
			}
		}
		l.done = slices.DeleteFunc(l.done, func(f finished) bool { return now.Sub(f.at) > doneFor })
		if i := slices.IndexFunc(l.done, func(f finished) bool { return f.key == p.key }); i >= 0 {
			l.done = slices.Delete(l.done, i, i+1)
			return isDone
		}
	}
	l.forget(p.key)
	l.open = append(l.open, p)
	return isNew
}

// begin reports whether a page may be opened. One that is not open yet and whose connection is lost is left: its message comes again.
func (l *ledger) begin(p *page) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !p.delivery.Alive() || p.phase == PhaseLeft {
		p.phase = PhaseLeft
		return false
	}
	p.phase = PhaseOpen
	return true
}

// leave marks a page so that it does not begin any more, and reports whether it had not.
func (l *ledger) leave(p *page) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.phase != PhaseWaiting {
		return false
	}
	p.phase = PhaseLeft
	return true
}

// enter notes what a page does now.
func (l *ledger) enter(p *page, phase Phase) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p.phase = phase
}

// delivery returns what to answer to.
func (l *ledger) delivery(p *page) *amqp.Delivery {
	l.mu.Lock()
	defer l.mu.Unlock()
	return p.delivery
}

// forget forgets messages that are done, for there is another one like them, or was, that is not: it must not be taken for one of them.
func (l *ledger) forget(key [sha256.Size]byte) {
	l.done = slices.DeleteFunc(l.done, func(f finished) bool { return f.key == key })
}

// close ends a page. Where it is not done, its message comes again.
func (l *ledger) close(p *page, done bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !done {
		l.forget(p.key)
	}
	l.open = slices.DeleteFunc(l.open, func(o *page) bool { return o == p })
}

// keep ends a page whose acknowledgment by d may be lost, and remembers its message. It reports false where the message has come again
// meanwhile: then that is to be acknowledged.
func (l *ledger) keep(p *page, d *amqp.Delivery, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.delivery != d {
		return false
	}
	l.open = slices.DeleteFunc(l.open, func(o *page) bool { return o == p })
	if len(l.done) == mostDone {
		l.done = slices.Delete(l.done, 0, 1)
	}
	l.done = append(l.done, finished{p.key, now})
	return true
}

// pages returns what every page does.
func (l *ledger) pages() []PageStatus {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := make([]PageStatus, 0, len(l.open))
	for _, p := range l.open {
		all = append(all, PageStatus{URL: p.url, ClientID: p.client, Phase: p.phase, Since: p.since, Requests: int(p.requests.Load())})
	}
	return all
}

// all returns the pages that are open.
func (l *ledger) all() []*page {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.open)
}
