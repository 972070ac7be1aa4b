package scheduler

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// loop is one run: the state of all its operations and the goroutine that changes it.
type loop struct {
	config Config
	ctx    context.Context // ends at the deadline or when the caller says so

	inbox    chan message
	done     chan struct{}   // closed by Run when the loop no longer listens
	settling context.Context // for the last saves of operations: outlives ctx, ends with the loop

	// Owned by the goroutine in run.
	now        time.Time // of this step
	timer      *time.Timer
	wake       time.Time     // what the timer is set to; zero: it is stopped
	operations []*operation  // in order of registration
	queued     []*operation  // not started yet, the next one last
	alive      int           // started and not ended
	inFlight   int           // requests
	held       *atomic.Int64 // further ones that count as in flight; the scheduler's
	callers    int           // of Execute that wait for an answer
	serving    bool          // the loop ends when it is told to, not when all operations have ended
	hosts      *hosts
	ready      fifo[*operation] // in order of readiness
	turns      turns
	unwinding  bool      // ctx has ended
	graceEnds  time.Time // while unwinding
	steps      int       // taken so far; without work there are none
	totals     Totals
}

func newLoop(ctx context.Context, config Config, hosts *hosts, held *atomic.Int64, operations []*operation) *loop {
	l := &loop{
		config:     config,
		ctx:        ctx,
		inbox:      make(chan message, inboxSize),
		done:       make(chan struct{}),
		operations: operations,
		held:       held,
		queued:     slices.Clone(operations),
		hosts:      hosts,
		turns:      turns{limit: config.TurnLimit},
		totals:     Totals{Registrations: len(operations)},
	}
	// The next one to start stands last. A stable sort of the reverse keeps the order of registration among equals.
	slices.Reverse(l.queued)
	slices.SortStableFunc(l.queued, func(a, b *operation) int { return cmp.Compare(a.lastTook, b.lastTook) })
	return l
}

// run is the schedule loop: do all that can be done now, sleep until something happens, take it in.
func (l *loop) run() {
	var cancel context.CancelFunc
	l.settling, cancel = context.WithCancel(context.WithoutCancel(l.ctx))
	defer cancel()
	defer context.AfterFunc(l.ctx, l.nudge)()
	l.now = time.Now()
	l.timer = time.AfterFunc(time.Hour, l.nudge)
	l.timer.Stop()
	defer l.timer.Stop()
	l.hosts.clear(l.now)
	if l.ctx.Err() != nil {
		l.unwind()
	}
	for {
		l.startQueued()
		l.resumeReady()
		l.sendDue() // last, for what is woken last runs first: a request is on its way before a scraper reads
		if l.over() {
			return
		}
		if l.unwinding && !l.now.Before(l.graceEnds) {
			l.leaveBehind()
			return
		}
		l.hosts.forget(l.now)
		l.setTimer()
		l.next()
	}
}

// over reports whether nothing is left to do.
func (l *loop) over() bool {
	return l.alive == 0 && len(l.queued) == 0 && (!l.serving || l.unwinding && l.callers == 0)
}

// next waits for the one thing that happens next.
func (l *loop) next() {
	m := <-l.inbox
	l.now = time.Now()
	l.steps++
	l.take(&m)
	l.passOver()
	if !l.unwinding && l.ctx.Err() != nil {
		l.unwind()
	}
}

func (l *loop) take(m *message) {
	switch op := m.op; m.kind {
	case messageCall:
		l.called(op)
	case messageWithdrawal:
		l.withdrawn(op)
	case messageEnd:
		l.turns.end(op)
		l.finish(op, m.err)
	case messageAnswer:
		l.answered(m)
		if m.settled {
			l.settled(m)
		}
	case messageSettled:
		l.settled(m)
	case messageRetired:
		l.end(op, m.err)
	case messageCommand:
		m.command()
	case messageWake:
		l.wake = time.Time{}
	}
}

// setTimer sets the timer to the next thing that only time brings.
func (l *loop) setTimer() {
	next := l.turns.check
	sooner := func(t time.Time) {
		if next.IsZero() || t.Before(next) {
			next = t
		}
	}
	if h := l.hosts.first(); h != nil && l.room() {
		sooner(h.next.Until)
	}
	if forgets := l.hosts.forgets(); !forgets.IsZero() {
		sooner(forgets)
	}
	if l.unwinding {
		sooner(l.graceEnds)
	}
	switch {
	case next.Equal(l.wake):
	case next.IsZero():
		l.timer.Stop()
	default:
		l.timer.Reset(next.Sub(l.now))
	}
	l.wake = next
}

// startQueued lines up operations that have not started: all of them, or MaxWorkers at a time.
func (l *loop) startQueued() {
	for len(l.queued) > 0 && (l.config.MaxWorkers <= 0 || l.alive < l.config.MaxWorkers) {
		last := len(l.queued) - 1
		op := l.queued[last]
		l.queued = l.queued[:last]
		l.alive++
		l.makeReady(op, answer{})
	}
}

// makeReady lines an operation up for a turn, in which it will find the answer.
func (l *loop) makeReady(op *operation, a answer) {
	if op.caller {
		l.served(op, a)
		return
	}
	op.state, op.answer = StateReady, a
	l.ready.push(op)
}

// resumeReady gives turns to operations in the order in which they became ready.
func (l *loop) resumeReady() {
	for l.ready.len() > 0 && l.turns.count() < l.config.MaxRunning {
		op := l.ready.pop()
		if op.state != StateReady {
			continue // it has ended meanwhile
		}
		op.state = StateRunning
		l.turns.begin(op, l.now)
		if op.result.Started.IsZero() {
			op.result.Started = l.now
			l.tell(op, scraperutils.Event{Kind: scraperutils.EventStarted})
			op.start(l)
			continue
		}
		l.totals.Calls++
		l.tell(op, scraperutils.Event{Kind: scraperutils.EventResumed})
		op.answers <- op.answer // there is room: one call, one answer
		op.answer = answer{}
	}
}

// passOver lets others go on where a scraper has held its turn for too long.
func (l *loop) passOver() {
	overdue := l.turns.overdue(l.now)
	if len(overdue) == 0 || l.unwinding { // the grace has its own end
		return
	}
	profile := goroutines()
	for _, op := range overdue {
		op.result.Overdue = true
		l.tell(op, scraperutils.Event{Kind: scraperutils.EventOverdue, Stack: profile.of(op.label)})
	}
}

func (l *loop) tell(op *operation, e scraperutils.Event) {
	e.Time, e.Label = l.now, op.label
	for _, told := range l.config.OnEvent {
		told(e)
	}
}
