package scheduler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Client does one request and returns its response or an error of its own; the scraper gets either as it is. Beside an error a
// response tells the Pacer what the host answered. Do must return soon after ctx ends. It is called by one goroutine at a time
// for an operation.
type Client interface {
	Do(ctx context.Context, r *scraperutils.Request) (*scraperutils.Response, error)
}

// Pacer knows the pace of hosts. It is called by the loop, and by Reset between two runs, so it needs no locks.
type Pacer interface {
	// Pace returns a host's, the same each time.
	Pace(host scraperutils.Host) scraperutils.Pace
	// Reset forgets which hosts are down.
	Reset()
}

// Ledger is where an operation's records go.
type Ledger interface {
	// Settle waits until all that the operation has saved is durable, or returns why it is not: where ctx ended, its cause.
	Settle(ctx context.Context) error
	// Settled tells whether Settle would return nil at once.
	Settled() bool
	// Saved is the number of records saved so far. It may be called from any goroutine.
	Saved() int
}

// Defaults of Config.
const (
	DefaultRunTimeout  = 6 * time.Hour
	DefaultGrace       = 10 * time.Second
	DefaultTurnLimit   = 60 * time.Second
	DefaultMaxRequests = 256
)

// Config says how a Scheduler behaves. The zero value is a good one for scrapers that share state without locks.
type Config struct {
	Pacer       Pacer         // nil: no delays, still one request at a time a host
	MaxRunning  int           // scrapers that run at once; 0 is 1
	MaxRequests int           // requests in flight at once; 0 is 256
	MaxWorkers  int           // operations alive at once; 0 is all
	RunTimeout  time.Duration // from the first Run on, over all of them; 0 is 6 hours
	Grace       time.Duration // for scrapers to return after the end of a run; 0 is 10 s
	TurnLimit   time.Duration // for a scraper between two requests before others go on without it; 0 is 60 s

	// Observe is told everything that happens, in order, by the loop itself: it must be quick and must not call back.
	Observe func(scraperutils.Event)
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
	c.MaxRunning = max(c.MaxRunning, 1)
	if c.MaxRequests <= 0 {
		c.MaxRequests = DefaultMaxRequests
	}
	if c.Pacer == nil {
		c.Pacer = unpaced{}
	}
	if c.Observe == nil {
		c.Observe = func(scraperutils.Event) {}
	}
	return c
}

// unpaced is the Pacer of those who have none, and the Pace of their hosts.
type unpaced struct{}

func (unpaced) Pace(scraperutils.Host) scraperutils.Pace { return unpaced{} }
func (unpaced) Earliest() scraperutils.Wait              { return scraperutils.Wait{} }
func (unpaced) Observe(scraperutils.Outcome) bool        { return false }
func (unpaced) Reset()                                   {}

// Scheduler holds operations and runs them. Its methods may be called from any goroutine.
type Scheduler struct {
	config Config // does not change

	mu         sync.Mutex   // guards the rest
	operations []*operation // in order of registration; what is in them belongs to the loop while there is one
	labels     map[string]bool
	loop       *loop     // nil while nothing runs
	ran        bool      // since the last Reset
	deadline   time.Time // of all runs; set by the first
}

// New returns a scheduler without operations.
func New(config Config) *Scheduler {
	return &Scheduler{config: config.withDefaults(), labels: map[string]bool{}}
}

// Errors of Register and Run.
var (
	ErrRegistered = errors.New("already registered")
	ErrRunning    = errors.New("the scheduler is running")
	ErrNotReset   = errors.New("the scheduler has run: Reset it first")
)

// Option is one more thing about an operation.
type Option func(*operation)

// SavesTo names the ledger that must be settled before the operation gets a response and before it ends.
func SavesTo(l Ledger) Option { return func(op *operation) { op.ledger = l } }

// LastTook tells how long the operation took last time: under MaxWorkers the longest start first.
func LastTook(d time.Duration) Option { return func(op *operation) { op.lastTook = d } }

// Register adds an operation: what scrapes one authority. The context that scrape gets carries the operation, so it (or
// one derived from it) is what ExecuteRequest must be called with. A label twice is an error that is ErrRegistered.
func (s *Scheduler) Register(authority string, scrape func(context.Context) error, options ...Option) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case authority == "":
		return errors.New("register an operation: its authority has no label")
	case scrape == nil:
		return fmt.Errorf("register %s: no function to run", authority)
	case s.loop != nil:
		return fmt.Errorf("register %s: %w", authority, ErrRunning)
	case s.ran:
		return fmt.Errorf("register %s: %w", authority, ErrNotReset)
	case s.labels[authority]:
		return fmt.Errorf("register %s: %w", authority, ErrRegistered)
	}
	op := newOperation(authority, scrape)
	for _, o := range options {
		o(op)
	}
	s.labels[authority] = true
	s.operations = append(s.operations, op)
	return nil
}

// Run runs all operations until they have ended, ctx is done or the run's deadline has come, and returns what became of
// each. It returns at the latest when the grace after that is over. The error is not nil where nothing was run.
func (s *Scheduler) Run(ctx context.Context) (*Results, error) {
	s.mu.Lock()
	switch {
	case s.loop != nil:
		s.mu.Unlock()
		return nil, ErrRunning
	case s.ran:
		s.mu.Unlock()
		return nil, ErrNotReset
	}
	if s.deadline.IsZero() {
		s.deadline = time.Now().Add(s.config.RunTimeout)
	}
	ctx, cancel := context.WithDeadlineCause(ctx, s.deadline, &RunTimeoutError{Limit: s.config.RunTimeout})
	defer cancel()
	l := newLoop(ctx, s.config, slices.Clone(s.operations))
	s.loop, s.ran = l, true
	s.mu.Unlock()

	l.run()

	s.mu.Lock()
	defer s.mu.Unlock()
	s.loop = nil
	close(l.done)
	return l.summary(), nil
}

// Reset forgets all operations, their errors and totals, and which hosts are down. What was learnt about how quick hosts
// are stays, and so does the deadline.
func (s *Scheduler) Reset() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.loop != nil {
		return ErrRunning
	}
	s.operations, s.ran = nil, false
	clear(s.labels)
	s.config.Pacer.Reset()
	return nil
}
