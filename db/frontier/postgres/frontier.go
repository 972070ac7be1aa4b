package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// Clock says whose time counts.
type Clock int

// These are the clocks.
const (
	ServersClock Clock = iota // workers on several machines agree on it; their own times are converted
	CallersClock              // times count as given: for tests
)

// Options configure a Frontier. The zero value is a good default.
type Options struct {
	Clock    Clock
	Existing bool          // fail if there is no frontier yet
	Patience time.Duration // how long a call keeps trying while the server is away; 0 is 30 s

	// OnWork, if not nil, is called by one goroutine when somebody has added URLs. It is a hint: it may miss some.
	OnWork func()

	// Hash says where to look first for hosts and URLs, as crawl.Hash, the default, does. It must be the same for the life of a frontier.
	Hash func(text string) int64
}

// DefaultPatience is the default of Options.Patience. A restart of the server takes less.
const DefaultPatience = 30 * time.Second

// calls is how many calls may be under way at once; others wait.
const calls = 8

// Frontier is a crawl.Frontier in a PostgreSQL database. Its methods may be called from any goroutine.
type Frontier struct {
	options Options
	now     func() time.Time // of this machine
	name    string           // of the database, without its password
	pool    *pgxpool.Pool
	id      int64     // of this opening, in the table of marks
	marks   chan mark // one for each call that may be under way; who has it owns it

	closing  chan struct{} // closed when no more calls are taken
	calls    sync.WaitGroup
	listener sync.WaitGroup

	mu     sync.Mutex // guards closed, and that none of calls begins after it
	closed bool
}

var _ crawl.Frontier = (*Frontier)(nil)

// Open opens the frontier in a database, named as postgres://user:password@host:port/database?search_path=schema, and creates it if there
// is none. Any number of workers on any number of machines may open it. The error is a *crawl.SchemaError if the schema holds something
// else, the cause of ctx if that ends first, and otherwise an *OpenError. No error contains the password. The Frontier outlives ctx.
func Open(ctx context.Context, url string, o Options) (*Frontier, error) {
	if o.Hash == nil {
		o.Hash = crawl.Hash
	}
	if o.Patience <= 0 {
		o.Patience = DefaultPatience
	}
	config, err := parse(url)
	if err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(context.WithoutCancel(ctx), config)
	if err != nil {
		return nil, &OpenError{Name: Redacted(url), Advice: "it can't be used", Err: err}
	}
	f := &Frontier{options: o, now: time.Now, name: Redacted(url), pool: pool, id: rand.Int64(), marks: make(chan mark, calls), closing: make(chan struct{})}
	for slot := range calls {
		f.marks <- mark{slot: slot}
	}
	if err := f.prepare(ctx); err != nil {
		pool.Close()
		return nil, err
	}
	if o.OnWork != nil {
		f.listen()
	}
	return f, nil
}

// Close waits for running calls and closes the connections. Leases stay as they are.
func (f *Frontier) Close() error {
	f.mu.Lock()
	again := f.closed
	f.closed = true
	f.mu.Unlock()
	if again {
		return nil
	}
	close(f.closing)
	f.calls.Wait()
	f.listener.Wait()
	f.forget()
	f.pool.Close()
	return nil
}

// enter counts a call in, which leave then counts out.
func (f *Frontier) enter(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return crawl.ErrClosed
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	f.calls.Add(1)
	return nil
}

// explain says what failed, and where.
func (f *Frontier) explain(ctx context.Context, what string, err error) error {
	var wrong *crawl.SchemaError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &wrong):
		return err
	case isForeign(err):
		return &crawl.SchemaError{Name: f.name, Found: "no longer a frontier (" + oneLine(err) + ")", Want: wanted}
	}
	return fmt.Errorf("%s frontier %s: %w", what, f.name, &callError{err})
}
