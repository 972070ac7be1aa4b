package crawl

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Frontier is what is known and what is due: hosts, and the URLs of each. Its methods may be called from any goroutine, by any number
// of workers where the driver allows several.
//
// Times are the caller's, in milliseconds: what is finer is cut off, but that a time before which nothing may happen is rounded up. A
// driver that several machines share may use its server's clock instead.
//
// A context that ends while a method waits ends the wait; what the method was to do may then be done or not. After Close every method
// returns ErrClosed.
type Frontier interface {
	// Add puts URLs in. One that is known already is left as it is, but that an Entry with Again makes one that is done or failed due
	// again, as a visit with that entry's priority, ID and redirects, and that an Entry of a smaller depth gives it that depth, and its
	// Via. Where links of such a URL are kept, Claim follows them again. All of it is durable when Add returns.
	// Batches of some 20,000 cost least.
	Add(ctx context.Context, now time.Time, entries []Entry) (Added, error)

	// Claim leases hosts whose time has come to a worker, the one that was due first in front, each with URLs that are due, by priority,
	// then by when they were due. A host whose lease has run out is due: its NotBefore is then the end of that lease plus its interval,
	// at least, for its last request may have been sent until then.
	//
	// Before, it adds again what URLs lead to that were found nearer, by the links that are kept of them: those that were found so first,
	// as many as FollowNearer takes of NearerPages.
	Claim(ctx context.Context, now time.Time, c Claim) ([]Lease, error)

	// Renew extends leases to until; none gets shorter. It returns those that are lost, by host ID. A lease that has run out is not
	// lost before somebody claims its host.
	Renew(ctx context.Context, now, until time.Time, held []Held) (lost []int64, err error)

	// Complete takes what became of visits, and hosts back. All of it is one commit, but that what came with a lost lease does not
	// count: only the URLs that were found do, and they are added first. The answers are in the order of the reports.
	Complete(ctx context.Context, now time.Time, reports []Report) ([]Receipt, error)

	// Due returns when there is something to claim for: the next host may be claimed, a leased one at the end of its lease, or a URL was
	// found nearer. Zero: nothing waits.
	Due(ctx context.Context) (time.Time, error)

	// Counts returns how much there is of everything.
	Counts(ctx context.Context, now time.Time) (Counts, error)

	// Hosts lists hosts by a filter.
	Hosts(ctx context.Context, f HostFilter) ([]HostStatus, error)

	// URLs lists URLs by a filter.
	URLs(ctx context.Context, f URLFilter) ([]URLStatus, error)

	// Retry makes failed URLs due at once and forgets their tries. It returns how many. A Limit of 0 is all of them.
	Retry(ctx context.Context, now time.Time, f URLFilter) (int, error)

	// Seeds lists the hosts of which a URL of depth 0 was added, whether it was known or not, by name and port.
	Seeds(ctx context.Context) ([]scraperutils.Host, error)

	// Traps lists what limits and rules kept out, the most first, then by host, port and rule. A limit of 0 is 100.
	Traps(ctx context.Context, limit int) ([]Trap, error)

	// Announce says that a worker is there and what it does. It reports whether the worker is to stop.
	Announce(ctx context.Context, now time.Time, w WorkerStatus) (stop bool, err error)

	// Leave takes back what a worker has announced.
	Leave(ctx context.Context, name string) error

	// Workers lists those that have announced themselves, by name. One that has died is listed until it has been silent for
	// longer than SilentFor.
	Workers(ctx context.Context, now time.Time) ([]WorkerStatus, error)

	// StopWorkers has all workers stop that are listed now; one that comes later works. It returns how many.
	StopWorkers(ctx context.Context, now time.Time) (int, error)

	// Close ends the use of the frontier. Leases that are held stay until they run out.
	Close() error
}

// Entry is a URL to be fetched.
type Entry struct {
	Host      scraperutils.Host
	URL       string    // in its canonical form, absolute
	Priority  int       // of 0 to 9, the lowest first; what is outside counts as the nearest
	Depth     int       // links from what was added
	Via       string    // where it was found, or ""
	Due       time.Time // not before; zero: now
	Redirects int       // followed to get here
	ID        string    // of the visit, where it goes on with one of another host; "": a new one
	Again     bool      // is to be fetched again where it is known
	Sitemap   bool      // names URLs, and is no page itself
	Series    int       // pages before it, one found on the other, that were of its shape and led to nothing else
	Limit     int       // URLs that may be known of its host, this one among them; 0: any number

	// Variants is how many URLs may be known that differ from this one in their queries alone, this one among them; 0 is any number.
	// Those count that have a query and were added under such a bound.
	Variants int
}

// Added is what Add did.
type Added struct {
	New   int
	Known int
	Again int // known, and due again
	Over  int // new, but beyond Limit or Variants: not added, but counted as trapped
}

// Rules by which a driver keeps a URL out.
const (
	TrapLimit    = "limit a host"   // Entry.Limit; looked at first
	TrapVariants = "query variants" // Entry.Variants
)

// Trap is URLs that were left out by one rule.
type Trap struct {
	Host    scraperutils.Host // that they lead to
	Rule    string
	Count   int    // each time that one was found
	Example string // the first
}

// SilentFor is how long a worker is listed that says nothing more.
const SilentFor = time.Hour

// WorkerStatus is what a worker says of itself.
type WorkerStatus struct {
	Name   string
	Since  time.Time // when it began
	Seen   time.Time // when it last announced itself; the driver's
	Hosts  int       // that it leases
	Done   int       // visits that are over since it began, well or not
	Failed int       // of them
	Stop   bool      // it is to stop; the driver's
}

// Claim is what a worker asks for.
type Claim struct {
	Worker string
	Hosts  int // at most
	URLs   int // at most, of each
	Until  time.Time
}

// Lease is a host that belongs to one worker for a while, and the URLs that it is to fetch now.
type Lease struct {
	Held
	Host      scraperutils.Host
	Until     time.Time
	NotBefore time.Time     // no request earlier
	Interval  time.Duration // from the start of a request to that of the next, as it was last; 0 is unknown
	Downs     int           // as last reported
	Waiting   int           // URLs of the host that are not finished, those below among them
	URLs      []Item
}

// Held names a lease. The token is another one with each claim.
type Held struct {
	HostID int64
	Token  int64
}

// Item is a URL that is due.
type Item struct {
	Key       int64  // with its host's, the URL's identity in the frontier
	ID        string // of this visit: the same each time that the visit is tried
	URL       string
	Priority  int
	Depth     int
	Attempts  int // so far, of this visit
	Redirects int
	Via       string
	ETag      string    // of the last visit that is done, or "", as the next four
	Modified  string    // Last-Modified
	Digest    string    // of the page: what tells one that is as it was
	Level     int       // of recrawling
	Visited   time.Time // when it was asked for that visit, which is Result.At less Took; zero: none is done
	Visits    int       // done so far; one that failed may yet be
	Series    int       // as Entry's
	Sitemap   bool      // as Entry's
	Added     time.Time
}

// Report is what a worker says of a lease.
type Report struct {
	Held
	Results   []Result
	Found     []Entry       // URLs of any host
	Trapped   []Trap        // links that were left out; they count also where the lease is lost
	NotBefore time.Time     // the host's next request; zero: as it was
	Interval  time.Duration // from the start of a request, with the slowest answer, to that of the next; 0: as it was
	Rule      string        // by which it waits, for those who look
	Trouble   string        // why the host rests, or ""
	Downs     int           // times in a row that it could not be reached

	// Keep has the lease go on, until Until or when it ends anyway. Without it the host is given back, with what of its URLs was not
	// fetched.
	Keep  bool
	Until time.Time

	// More is how many further URLs a worker that keeps the lease wants. A worker that wants some, gets none and holds none gives the
	// host back thereby.
	More    int
	Holding []int64 // keys of the URLs that it was given and has not reported yet: they are not given again
}

// Result is what became of the visit of one URL. A key that the host does not have is passed over.
//
// The visit is over with StateDone, and with StateReady, which plans the next one. ETag, Modified, Digest, Level and when it was asked
// for are then kept for the next; with another state, those of the last visit stay.
type Result struct {
	Key      int64
	State    State
	Attempts int
	Due      time.Time // of StateReady and StateRetry; zero: at once
	Status   int       // of the answer; 0: none
	Reason   string    // of a failure or another try: a word such as not-text, then perhaps more after a colon
	ETag     string
	Modified string
	Digest   string
	Level    int
	At       time.Time // of the answer
	Took     time.Duration
	Bytes    int
	Links    Links // what the URL leads to, in scope or beyond its depth; it is kept until there are others. Nil: none, or as before
}

// State is what a URL is in.
type State string

// The states.
const (
	StateReady  State = "ready" // was never fetched, or is to be fetched again by plan or wish
	StateRetry  State = "retry" // was tried, and is to be tried again
	StateDone   State = "done"
	StateFailed State = "failed"
)

// Receipt is the answer to a Report.
type Receipt struct {
	Lost     bool   // the lease is another's, or nobody's: nothing of it counted
	Released bool   // the host was given back
	URLs     []Item // to go on with, where more were wanted
}

// Counts is how much a frontier holds. Ready and Waiting are told apart by host: a URL that is to be tried again in an hour is ready
// where its host has another one that is due.
type Counts struct {
	Hosts    int            `json:"hosts"`
	Leased   int            `json:"leased"`   // of them
	Ready    int            `json:"ready"`    // unfinished URLs of hosts that can be claimed now or are leased
	Waiting  int            `json:"waiting"`  // unfinished URLs of the others
	Retrying int            `json:"retrying"` // of both
	Failed   int            `json:"failed"`
	Done     int            `json:"done"`
	FailedBy map[string]int `json:"failed_by"` // by the first word of the reason
}

// HostFilter selects hosts. The zero value is all, by name and port.
type HostFilter struct {
	Name    string // this one, as Host.String or with its port
	Slowest bool   // those with something to do, the one that is due last in front
	Limit   int    // 0 is 100
}

// HostStatus is what is known of a host.
type HostStatus struct {
	ID        int64
	Host      scraperutils.Host
	Due       time.Time // zero: nothing to do
	NotBefore time.Time
	Interval  time.Duration
	Rule      string
	Trouble   string
	Downs     int    // times in a row that it could not be reached
	Owner     string // the worker that leases it, or ""
	Until     time.Time
	Pending   int // not finished, those that retry among them
	Retrying  int
	Done      int
	Failed    int
}

// URLFilter selects URLs. The zero value is all.
type URLFilter struct {
	URL    string    // this one, of HostID or of the host that it names
	HostID int64     // of this host
	State  State     // in this one
	Reason string    // whose reason begins with this word
	Since  time.Time // whose last visit was over at that time or later
	After  Cursor    // beyond this, in the order of hosts and keys
	Limit  int       // 0 is 1000
}

// Cursor is a place in the list of URLs.
type Cursor struct{ HostID, Key int64 }

// URLStatus is what is known of a URL.
type URLStatus struct {
	Cursor
	Item
	Host   scraperutils.Host
	State  State
	Due    time.Time // zero: never
	Status int
	Reason string
	At     time.Time // of the last answer; zero: none yet
	Took   time.Duration
	Bytes  int
}

// ErrClosed is the answer of a frontier that was closed.
var ErrClosed = errors.New("the frontier is closed")

// SchemaError is a frontier that this program can't use.
type SchemaError struct {
	Name  string // of the file or database
	Found string
	Want  string
}

func (e *SchemaError) Error() string {
	return fmt.Sprintf("%s: is %s, expected %s", e.Name, e.Found, e.Want)
}
