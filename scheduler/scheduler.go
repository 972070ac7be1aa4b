package scheduler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Client does one request and returns its response or an error of its own. The scraper gets both unchanged. If Do returns a response and
// an error, the response shows the Pacer what the host answered. Do must return soon after ctx ends. For each operation, one goroutine at
// a time calls it.
type Client interface {
	Do(ctx context.Context, r *scraperutils.Request) (*scraperutils.Response, error)
}

// Pacer makes the pace of a host at its first request. The scheduler keeps the pace, and calls the pace from one goroutine at a time.
type Pacer interface {
	Pace(host scraperutils.Host) scraperutils.Pace
}

// Ledger is where an operation's records go.
type Ledger interface {
	// Settle waits until everything that the operation has saved is durable, or returns why it is not. If ctx ends first, it returns the
	// cause.
	Settle(ctx context.Context) error
	// Settled reports whether Settle would return nil at once.
	Settled() bool
	// Saved returns the number of records saved so far. It may be called from any goroutine.
	Saved() int
}

// These are the defaults of Config.
const (
	DefaultRunTimeout  = 6 * time.Hour
	DefaultGrace       = 10 * time.Second
	DefaultTurnLimit   = 60 * time.Second
	DefaultMaxRequests = 256
)

// Config configures a Scheduler. The zero value is good for scrapers that share state without locks.
type Config struct {
	Pacer       Pacer         // nil means no delays, but still one request at a time per host
	MaxRunning  int           // scrapers that run at once; 0 is 1
	MaxRequests int           // requests in flight at once; 0 is 256
	MaxWorkers  int           // operations alive at once; 0 is all
	MaxPerHost  int           // requests in flight to one host at once; 0 is 1
	MaxWaiting  int           // requests of Execute that wait for one host; more get a *CrowdedError; 0 means no limit
	ForgetAfter time.Duration // how long the Scheduler remembers an idle host; 0 means forever
	RunTimeout  time.Duration // counted from the first Run, for all runs together; 0 is 6 hours; Serve has none
	Grace       time.Duration // time for scrapers and requests to end after the end of a run; 0 is 10 s
	TurnLimit   time.Duration // time that a scraper may run between two requests before others go on without it; 0 is 60 s

	// The loop itself calls each OnEvent with every event, in order. These functions must be quick and must not call back.
	OnEvent []func(scraperutils.Event)
	// The loop calls Ended in the same way with the result of each operation, even one that never started. It may be nil.
	Ended func(Result)
}

func (c Config) withDefaults() Config {
	or := func(d *time.Duration, def time.Duration) {
		if *d == 0 {
			*d = def
		}
	}
	or(&c.RunTimeout, DefaultRunTimeout)
	or(&c.Grace, DefaultGrace)
	or(&c.TurnLimit, DefaultTurnLimit)
	c.MaxRunning, c.MaxPerHost = max(c.MaxRunning, 1), max(c.MaxPerHost, 1)
	if c.MaxRequests <= 0 {
		c.MaxRequests = DefaultMaxRequests
	}
	if c.Pacer == nil {
		c.Pacer = unpaced{}
	}
	if c.Ended == nil {
		c.Ended = func(Result) {}
	}
	return c
}

// unpaced is the Pacer of a Config without one, and the Pace of its hosts.
type unpaced struct{}

func (unpaced) Pace(scraperutils.Host) scraperutils.Pace { return unpaced{} }
func (unpaced) Earliest() scraperutils.Wait              { return scraperutils.Wait{} }
func (unpaced) Sent(time.Time)                           {}
func (unpaced) Observe(scraperutils.Outcome) bool        { return false }
func (unpaced) Revive()                                  {}

// Scheduler holds operations, runs them, and remembers the hosts that they asked. Its methods may be called from any goroutine.
type Scheduler struct {
	config  Config       // does not change
	callers sync.Pool    // of *operation, for Execute
	held    atomic.Int64 // requests that Hold counts as in flight

	mu         sync.Mutex   // guards the rest
	operations []*operation // in order of registration; what is in them belongs to the loop while there is one
	labels     map[string]bool
	hosts      *hosts        // belongs to the loop while there is one
	loop       *loop         // nil while nothing runs
	begun      chan struct{} // closed when a loop has begun, until the next Reset
	deadline   time.Time     // of all runs; set by the first
}

// New returns a scheduler without operations.
func New(config Config) *Scheduler {
	config = config.withDefaults()
	return &Scheduler{config: config, labels: map[string]bool{}, hosts: newHosts(config), begun: make(chan struct{})}
}

// Errors of Register, Run and Serve.
var (
	ErrRegistered = errors.New("already registered")
	ErrRunning    = errors.New("the scheduler is running")
	ErrNotReset   = errors.New("the scheduler has run: Reset it first")
)

// Option sets one more property of an operation.
type Option func(*operation)

// SavesTo names the ledger that the loop settles before the operation gets a response and before it ends.
func SavesTo(l Ledger) Option { return func(op *operation) { op.ledger = l } }

// LastTook says how long the operation took last time. Under MaxWorkers, the longest operations start first.
func LastTook(d time.Duration) Option { return func(op *operation) { op.lastTook = d } }

// Register adds an operation under its label. The context that scrape gets carries the operation: call ExecuteRequest with that context
// or one derived from it. Registering a label twice is an error that wraps ErrRegistered.
func (s *Scheduler) Register(label string, scrape func(context.Context) error, options ...Option) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case label == "":
		return errors.New("register an operation: it has no label")
	case scrape == nil:
		return fmt.Errorf("register %s: no function to run", label)
	case s.loop != nil:
		return fmt.Errorf("register %s: %w", label, ErrRunning)
	case s.ran():
		return fmt.Errorf("register %s: %w", label, ErrNotReset)
	case s.labels[label]:
		return fmt.Errorf("register %s: %w", label, ErrRegistered)
	}
	op := newOperation(label, scrape)
	for _, o := range options {
		o(op)
	}
	s.labels[label] = true
	s.operations = append(s.operations, op)
	return nil
}

// Run runs all operations until they have ended, ctx is done, or the deadline has come, and returns the result of each. It returns at the
// latest when the grace period after that is over. The error is non-nil only if nothing ran.
func (s *Scheduler) Run(ctx context.Context) (*Results, error) {
	ctx, cancel := context.WithDeadlineCause(ctx, s.runDeadline(), &RunTimeoutError{Limit: s.config.RunTimeout})
	defer cancel()
	l, err := s.begin(ctx, false)
	if err != nil {
		return nil, err
	}
	l.run()
	s.end()
	return l.summary(), nil
}

// runDeadline returns the deadline of all runs. The first sets it.
func (s *Scheduler) runDeadline() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.deadline.IsZero() {
		s.deadline = time.Now().Add(s.config.RunTimeout)
	}
	return s.deadline
}

// begin returns the loop that owns hosts and operations until end.
func (s *Scheduler) begin(ctx context.Context, serving bool) (*loop, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.loop != nil:
		return nil, ErrRunning
	case s.ran():
		return nil, ErrNotReset
	}
	s.loop = newLoop(ctx, s.config, s.hosts, &s.held, slices.Clone(s.operations))
	s.loop.serving = serving
	close(s.begun)
	return s.loop, nil
}

func (s *Scheduler) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.loop.done)
	s.loop = nil
}

// ran reports whether a loop has begun since the last Reset.
func (s *Scheduler) ran() bool {
	select {
	case <-s.begun:
		return true
	default:
		return false
	}
}

// Reset forgets all operations, their errors and totals, and which hosts are down. It keeps the averages of the hosts' answer times, and
// the deadline.
func (s *Scheduler) Reset() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.loop != nil {
		return ErrRunning
	}
	if s.ran() {
		s.begun = make(chan struct{})
	}
	s.operations = nil
	clear(s.labels)
	s.hosts.revive()
	return nil
}
