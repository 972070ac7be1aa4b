package crawl

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/scope"
)

// These are the defaults of a Worker.
const (
	DefaultHosts    = 1024
	DefaultURLs     = 16
	DefaultPages    = 512
	DefaultLease    = time.Minute
	DefaultGrace    = 10 * time.Second
	DefaultPatience = 5 * time.Minute
)

// probe is how often a worker that has nothing to do asks for the next due time.
const probe = time.Second

// maxPause is how long a worker waits at most before it tries again what failed: the end of a run gives it little time.
const maxPause = 5 * time.Second

// Worker fetches what a frontier holds. Its fields must not change while it runs.
type Worker struct {
	Name      string               // unique among the workers of a frontier
	Frontier  Frontier             // required
	Scheduler *scheduler.Scheduler // must serve while the worker runs, with MaxPerHost equal to PerHost
	Client    scheduler.Client     // fetches one URL
	Sinks     []Sink               // where pages go: to all of these
	Rules     Rules

	// These decide which links to follow: Extractors find the links of a page, and Scope selects from them. The zero Scope follows none.
	Extractors []Extractor // nil: DefaultExtractors
	Scope      scope.Scope
	NoSitemaps bool // do not read the sitemaps that a robots.txt names

	// Handle takes a page before the page counts: what it has stored when it returns stays stored. After an error, the worker tries the
	// page again, as after a server error, and finally fails it with the reason handler. Many goroutines call Handle at once. It may get
	// a page twice if a worker dies. It does not get a 304, which has no body. The page and its body belong to the worker again when
	// Handle returns. Handle may be nil.
	Handle func(ctx context.Context, p *Page) error

	MaxPages int           // the worker ends when this many URLs are done or failed, including those of earlier runs; 0: any number
	PerHost  int           // requests at once to a host; 0 is 1
	Hosts    int           // hosts leased at once; 0 is 1024
	URLs     int           // URLs of a host leased at once; 0 is 16
	Pages    int           // pages whose bodies are in memory at once, if the client calls Room; 0 is 512
	Lease    time.Duration // length of a lease; 0 is a minute
	Grace    time.Duration // time for requests in flight after the end; 0 is 10 s
	Patience time.Duration // how long sinks and frontier may fail before the worker gives up; 0 is 5 minutes; forever with Rules.Keep

	// Free gets the body of each answer that nobody reads any more, so that the client can reuse its memory. It may be nil.
	Free func(body []byte)
	// OnVisit is called with each visit once the visit counts, by one goroutine at a time. It may be nil.
	OnVisit func(Visit)
	// OnTrouble is called with each error that is tried again, such as a full sink or a locked frontier. It may be nil.
	OnTrouble func(error)
	// Wake, if not nil, announces new work before the next probe.
	Wake <-chan struct{}
	// Filled, if not nil, is closed when nothing more will be added. Until then the worker waits for work.
	Filled <-chan struct{}

	active atomic.Int64 // hosts that are leased
}

// Visit is a try of a URL that counts.
type Visit struct {
	Item   Item
	Host   string
	Result Result
	Page   *Page // nil: no page was wanted; it has no body if the worker has no sinks, or gives bodies back
}

func (w *Worker) withDefaults() error {
	if w.Frontier == nil || w.Scheduler == nil || w.Client == nil || w.Name == "" {
		return errors.New("crawl: a worker needs a name, a frontier, a scheduler and a client")
	}
	or := func(n *int, def int) {
		if *n <= 0 {
			*n = def
		}
	}
	orTime := func(d *time.Duration, def time.Duration) {
		if *d <= 0 {
			*d = def
		}
	}
	or(&w.PerHost, 1)
	or(&w.Hosts, DefaultHosts)
	or(&w.URLs, DefaultURLs)
	or(&w.Pages, DefaultPages)
	orTime(&w.Lease, DefaultLease)
	orTime(&w.Grace, DefaultGrace)
	orTime(&w.Patience, DefaultPatience)
	w.Rules = w.Rules.withDefaults()
	if w.Extractors == nil {
		w.Extractors = DefaultExtractors()
	}
	if w.OnVisit == nil {
		w.OnVisit = func(Visit) {}
	}
	if w.OnTrouble == nil {
		w.OnTrouble = func(error) {}
	}
	return nil
}

// Run fetches until nothing is left (with Rules.Keep: forever), or until ctx ends. Then it sends no more requests, lets those in flight
// end, stores and counts their results, and gives its hosts back. It returns nil if nothing is left, the cause if ctx ended, or why it
// could not go on.
func (w *Worker) Run(ctx context.Context) error {
	if err := w.withDefaults(); err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	flight, landed := outlive(ctx, w.Grace)
	defer landed()
	saving, saved := outlive(ctx, 2*w.Grace)
	defer saved()

	f := newFollower(w)
	if f.seeds.needed() {
		err := w.patiently(ctx, "read what was added", func() error { _, err := f.seeds.load(ctx, w.Frontier); return err })
		if err != nil {
			return err
		}
	}
	before, err := w.finished(ctx)
	if err != nil {
		return err
	}
	news := make(chan struct{}, 1)
	c := newCommitter(w, stop, f.known, news)
	committed := make(chan struct{})
	r := &round{worker: w, flight: flight, committer: c, follower: f, runs: map[int64]*hostRun{}, news: news}
	r.pages.Store(before)
	r.crew = &crew{round: r, since: time.Now(), stop: stop}
	c.crew = r.crew
	r.crew.announce(ctx)
	go func() { defer close(committed); c.run(saving) }()
	var renewing sync.WaitGroup
	renewal, renewed := context.WithCancel(saving)
	renewing.Go(func() { r.renew(renewal) })
	renewing.Go(func() { r.crew.run(renewal) })
	if f.seeds.needed() {
		renewing.Go(func() { f.seeds.follow(renewal, w.Frontier) })
	}

	stop(r.claim(ctx)) // or what has ended it before
	r.hosts.Wait()
	renewed()
	renewing.Wait()
	close(c.inbox)
	<-committed
	switch err := context.Cause(ctx); {
	case c.err != nil:
		return c.err
	case errors.Is(err, errNothingLeft):
		return nil
	default:
		return err
	}
}

// finished returns how many URLs are done or failed already, where that matters.
func (w *Worker) finished(ctx context.Context) (n int64, err error) {
	if w.MaxPages <= 0 {
		return 0, nil
	}
	err = w.patiently(ctx, "count what is done", func() error {
		counts, err := w.Frontier.Counts(ctx, time.Now())
		n = int64(counts.Done + counts.Failed)
		return err
	})
	return n, err
}

// outlive returns a context that ends some time after another, or when it is canceled.
func outlive(ctx context.Context, by time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(by, cancel)
		context.AfterFunc(longer, func() { timer.Stop() })
	})
	return longer, cancel
}

// Active returns how many hosts are leased now. It may be called from any goroutine.
func (w *Worker) Active() int { return int(w.active.Load()) }

// errNothingLeft is how a worker that is not to keep waiting ends.
var errNothingLeft = errors.New("nothing is left")

// filled reports whether nobody adds any more.
func (w *Worker) filled() bool {
	if w.Filled == nil {
		return true
	}
	select {
	case <-w.Filled:
		return true
	default:
		return false
	}
}

// patiently tries until it works, for as long as the worker has patience.
func (w *Worker) patiently(ctx context.Context, what string, try func() error) error {
	began := time.Now()
	for pause := probe; ; pause = min(2*pause, maxPause) {
		err := try()
		if err == nil || ctx.Err() != nil {
			return err
		}
		err = fmt.Errorf("%s: %w", what, err)
		if !w.Rules.Keep && time.Since(began) > w.Patience || !temporary(err) {
			return err
		}
		w.OnTrouble(err)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return err
		}
	}
}

// temporary reports whether an error may pass. Only what says of itself that it is permanent isn't: a full disk and a refused connection
// are temporary, whatever syscall.Errno and net.Error have to say of them.
func temporary(err error) bool {
	var schema *SchemaError
	var p interface{ Permanent() bool }
	return !errors.As(err, &schema) && (!errors.As(err, &p) || !p.Permanent())
}
