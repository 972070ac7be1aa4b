package scheduler

import (
	"context"
	"runtime/pprof"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// State says what an operation is doing.
type State string

// The states are in the order in which an operation goes through them. Ready to Settling repeat with each request.
const (
	StateRegistered State = "registered" // not started yet
	StateReady      State = "ready"      // has its answer and waits for a turn
	StateRunning    State = "running"    // its scraper runs
	StateWaiting    State = "waiting"    // its request waits for the host or for a free slot
	StateRequesting State = "requesting" // its request is in flight
	StateSettling   State = "settling"   // has its answer; its saves are being committed
	StateFinishing  State = "finishing"  // its scraper has returned; its last saves are being committed
	StateEnded      State = "ended"
	StateLeft       State = "left" // ignored the end of the run
)

// operation is one scraper and its two goroutines, or a caller of Execute, whose goroutine is both. Fields that each turn needs stand
// together: among many operations none of them is in the processor's cache.
type operation struct {
	// Owned by the loop.
	state    State
	queued   bool // its call has a ticket that has not been called
	busy     bool // its I/O goroutine has a job that it has not answered, of this call or of one that was given up
	turn     turn
	since    time.Time // when the call was handed over, then when it was sent
	answer   answer    // while ready or settling
	requests int       // sent

	// Owned by the scraper from an answer to its next call and, for goroutines that it left behind, when it has returned; else by
	// the loop, but for what the loop alone sets.
	call call              // the latest; what is reported of earlier ones is stale
	to   scraperutils.Host // of the call

	// Owned by the I/O goroutine from a job to its answer, else by the loop.
	job     call
	outcome scraperutils.Outcome

	// Set before the loop starts the operation; not changed afterward.
	answers  chan answer     // loop → scraper: the turn, with what was asked for; closed when the scraper has returned or is left behind
	calling  chan struct{}   // holds a token while one of the scraper's goroutines is in ExecuteRequest
	jobs     chan struct{}   // loop → I/O goroutine; closed when the scraper has returned; nil for a caller, whose answers have them
	ctx      context.Context // the scraper's: ends with the run or when the scraper returns
	cancel   context.CancelCauseFunc
	loop     *loop
	caller   bool   // a caller of Execute, which does its requests itself and needs no turns
	ledger   Ledger // or nil
	label    string // of whom it scrapes: its name in events, results and profiles
	scrape   func(context.Context) error
	lastTook time.Duration

	// Owned by the loop.
	unsaved error // why saves are not durable, as came to light after their call was given up
	result  Result
	next    scraperutils.Wait // of a caller, which reads it once it is answered: when its host may be asked next
}

// newCaller returns an operation that is a caller of Execute.
func newCaller() *operation {
	return &operation{answers: make(chan answer, 1), caller: true, state: StateRunning}
}

func newOperation(label string, scrape func(context.Context) error) *operation {
	return &operation{
		label:   label,
		scrape:  scrape,
		calling: make(chan struct{}, 1),
		answers: make(chan answer, 1),
		jobs:    make(chan struct{}, 1),
		state:   StateRegistered,
		result:  Result{Label: label},
	}
}

// call is one ExecuteRequest.
type call struct {
	ctx     context.Context
	client  Client
	request *scraperutils.Request

	// Set by the loop.
	host *host
	seq  int // of the operation's calls
	try  int // 1 for the first
}

// answer is what ExecuteRequest returns.
type answer struct {
	response *scraperutils.Response
	err      error
	job      bool // it is none yet, but a caller's request may be sent
}

// start begins the two goroutines. The loop waits for both: the scraper's messageEnd, then the other's messageRetired.
func (op *operation) start(l *loop) {
	op.loop = l
	ctx, cancel := context.WithCancelCause(l.ctx)
	// Profiles and stack dumps tell operations apart by this label.
	ctx = pprof.WithLabels(ctx, pprof.Labels(profileLabel, op.label))
	op.ctx, op.cancel = context.WithValue(ctx, operationKey{}, op), cancel
	go op.run()
	go op.serve()
}

// run is the scraper goroutine. However the scraper ends, the loop hears of it.
func (op *operation) run() {
	pprof.SetGoroutineLabels(op.ctx)
	err := errGoexit
	defer func() {
		if v := recover(); v != nil {
			err = newPanicError(v)
		}
		op.cancel(ErrEnded)
		op.loop.post(message{op: op, kind: messageEnd, err: err})
	}()
	err = op.scrape(op.ctx)
}

// serve is the I/O goroutine. Where a client ends it, another one takes over.
func (op *operation) serve() {
	busy := false
	defer func() {
		if busy {
			op.answered(nil, errGoexit)
			go op.serve()
		}
	}()
	for range op.jobs {
		op.outcome = scraperutils.Outcome{Request: op.job.request, Started: time.Now(), Try: op.job.try}
		busy = true
		response, err := op.job.do()
		busy = false
		op.answered(response, err)
	}
	op.loop.post(message{op: op, kind: messageRetired, err: op.settle(op.loop.settling)})
}

// answered reports the outcome of a job to the loop, so that its host is free at once, and then that the saves before it are settled.
func (op *operation) answered(response *scraperutils.Response, err error) {
	op.outcome.Response, op.outcome.Err, op.outcome.Ended = response, err, time.Now()
	seq, settled := op.job.seq, op.ledger == nil || op.ledger.Settled()
	op.loop.post(message{op: op, kind: messageAnswer, seq: seq, settled: settled})
	if !settled {
		op.loop.post(message{op: op, kind: messageSettled, seq: seq, err: op.settle(op.ctx)})
	}
}

func (op *operation) settle(ctx context.Context) error {
	if op.ledger == nil {
		return nil
	}
	return op.ledger.Settle(ctx)
}

// do asks the client; its panic is an error.
func (c *call) do() (response *scraperutils.Response, err error) {
	defer func() {
		if v := recover(); v != nil {
			response, err = nil, newPanicError(v)
		}
	}()
	return c.client.Do(c.ctx, c.request)
}
