package crawl

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Frontier stores the hosts of a crawl and the URLs of each, with what is known of them and when they are due. Its methods may be called
// from any goroutine, by any number of workers if the driver allows several.
//
// Times are the caller's, in milliseconds, rounded down. A time before which nothing may happen is rounded up. A driver that several
// machines share may use its server's clock instead.
//
// If a context ends while a method waits, the method returns; its work may then be done or not. After Close, every method returns
// ErrClosed.
type Frontier interface {
	// Add adds URLs. A URL that is already known stays as it is, with two exceptions. An Entry with Again makes a done or failed URL due
	// again, as a visit with that entry's priority, ID, and redirects. An Entry of a smaller depth gives the URL that depth and its Via;
	// if the frontier keeps links of such a URL, Claim follows them again. Everything is durable when Add returns. Batches of about
	// 20,000 entries cost least.
	Add(ctx context.Context, now time.Time, entries []Entry) (Added, error)

	// Claim leases hosts that are due to a worker, starting with the one that was due first. Each comes with URLs that are due, by
	// priority, then by due time. A host whose lease has run out is due, too. Its NotBefore is then at least the end of that lease plus
	// its interval, because its last request may have been sent as late as that.
	//
	// Before that, Claim follows URLs that were found nearer: it adds the stored links of those that were found first, as many as
	// FollowNearer takes of NearerPages.
	Claim(ctx context.Context, now time.Time, c Claim) ([]Lease, error)

	// Renew extends leases to until, and shortens none. It returns the host IDs of lost leases. A lease that has run out is lost only
	// when somebody else claims its host.
	Renew(ctx context.Context, now, until time.Time, held []Held) (lost []int64, err error)

	// Complete takes the results of visits, and takes hosts back, all in one commit. Reports of a lost lease do not count, except for the
	// URLs that they found, which Complete adds first. The receipts are in the order of the reports.
	Complete(ctx context.Context, now time.Time, reports []Report) ([]Receipt, error)

	// Due returns when there is something to claim: when the next host may be claimed, when the lease of a leased one ends, or when a URL
	// was found nearer. Zero means that nothing waits.
	Due(ctx context.Context) (time.Time, error)

	// Counts returns the numbers of hosts and URLs in each state.
	Counts(ctx context.Context, now time.Time) (Counts, error)

	// Hosts lists hosts by a filter.
	Hosts(ctx context.Context, f HostFilter) ([]HostStatus, error)

	// URLs lists URLs by a filter.
	URLs(ctx context.Context, f URLFilter) ([]URLStatus, error)

	// Retry makes failed URLs due at once and resets their tries. It returns how many there were. A Limit of 0 means all of them.
	Retry(ctx context.Context, now time.Time, f URLFilter) (int, error)

	// Seeds lists the hosts with an added URL of depth 0, whether the URL was known or not, by name and port.
	Seeds(ctx context.Context) ([]scraperutils.Host, error)

	// Traps lists what limits and rules kept out, the largest count first, then by host, port, and rule. A limit of 0 is 100.
	Traps(ctx context.Context, limit int) ([]Trap, error)

	// Announce says that a worker is alive and what it does. It reports whether the worker should stop.
	Announce(ctx context.Context, now time.Time, w WorkerStatus) (stop bool, err error)

	// Leave removes a worker's announcement.
	Leave(ctx context.Context, name string) error

	// Workers lists the workers that have announced themselves, by name. It lists a dead worker until that one has been silent for longer
	// than SilentFor.
	Workers(ctx context.Context, now time.Time) ([]WorkerStatus, error)

	// StopWorkers tells all listed workers to stop, and returns how many there are. Workers that come later are not affected.
	StopWorkers(ctx context.Context, now time.Time) (int, error)

	// Close closes the frontier. Leases that are held stay until they run out.
	Close() error
}

// Entry is a URL to fetch.
type Entry struct {
	Host      scraperutils.Host
	URL       string    // in its canonical form, absolute
	Priority  int       // 0 to 9, the lowest first; other values count as the nearest of these
	Depth     int       // links away from the URLs that were added
	Via       string    // where it was found, or ""
	Due       time.Time // not fetched before this time; zero: now
	Redirects int       // followed to get here
	ID        string    // of the visit, if this continues a visit to another host; "": a new visit
	Again     bool      // fetch it again if it is known
	Sitemap   bool      // it names URLs, and is not a page itself
	Series    int       // how many pages of its shape came before it, each found on the previous one and leading to nothing else
	Limit     int       // how many URLs of its host may be known, including this one; 0: any number

	// Variants is how many URLs may be known that differ from this one only in their queries, including this one. 0 means any number.
	// Only URLs with a query that were added under such a limit count.
	Variants int
}

// Added says what Add did.
type Added struct {
	New   int
	Known int
	Again int // known, and due again
	Over  int // new, but beyond Limit or Variants: counted as trapped instead of added
}

// These are the rules by which a driver keeps a URL out.
const (
	TrapLimit    = "limit a host"   // Entry.Limit; checked first
	TrapVariants = "query variants" // Entry.Variants
)

// Trap counts URLs that one rule left out.
type Trap struct {
	Host    scraperutils.Host // the host that they lead to
	Rule    string
	Count   int    // how often such a URL was found
	Example string // the first such URL
}

// SilentFor is how long a silent worker stays in the list.
const SilentFor = time.Hour

// WorkerStatus is what a worker reports about itself.
type WorkerStatus struct {
	Name   string
	Since  time.Time // when it started
	Seen   time.Time // when it last announced itself; set by the driver
	Hosts  int       // how many it leases
	Done   int       // visits that it has finished, failed ones included
	Failed int       // how many of these failed
	Stop   bool      // it should stop; set by the driver
}

// Claim is a worker's request for hosts.
type Claim struct {
	Worker string
	Hosts  int // at most
	URLs   int // at most, per host
	Until  time.Time
}

// Lease gives a host to one worker for a while, together with the URLs to fetch now.
type Lease struct {
	Held
	Host      scraperutils.Host
	Until     time.Time
	NotBefore time.Time     // no request earlier
	Interval  time.Duration // from the start of a request to the start of the next, as last reported; 0 is unknown
	Downs     int           // as last reported
	Waiting   int           // unfinished URLs of the host, including those below
	URLs      []Item
}

// Held identifies a lease. Each claim has a new token.
type Held struct {
	HostID int64
	Token  int64
}

// Item is a URL that is due.
type Item struct {
	Key       int64  // identifies the URL in the frontier, together with its host's ID
	ID        string // of this visit; it stays the same when the visit is tried again
	URL       string
	Priority  int
	Depth     int
	Attempts  int // of this visit, so far
	Redirects int
	Via       string
	ETag      string    // of the last finished visit, or ""; so are the next four
	Modified  string    // Last-Modified
	Digest    string    // of the page; shows whether it has changed
	Level     int       // the recrawl level
	Visited   time.Time // when that visit was requested, which is Result.At minus Took; zero: no visit is finished
	Visits    int       // finished so far; a failed one may still succeed
	Series    int       // as in Entry
	Sitemap   bool      // as in Entry
	Added     time.Time
}

// Report is what a worker reports about a lease.
type Report struct {
	Held
	Results   []Result
	Found     []Entry       // URLs of any host, to add
	Trapped   []Trap        // links that were left out; they count even if the lease is lost
	NotBefore time.Time     // of the host's next request; zero: unchanged
	Interval  time.Duration // from the start of a request with the slowest answer to the start of the next; 0: unchanged
	Rule      string        // by which the host waits, for display
	Trouble   string        // why the host rests, or ""
	Downs     int           // how many times in a row it could not be reached

	// Keep continues the lease, until Until or until it ends anyway. Without Keep, the report gives the host back, with those of its URLs
	// that were not fetched.
	Keep  bool
	Until time.Time

	// More is how many more URLs a worker wants that keeps the lease. If it wants some, gets none, and holds none, it thereby gives the
	// host back.
	More    int
	Holding []int64 // keys of the URLs that it got and has not reported yet; it does not get them again
}

// Result is the result of one visit to a URL. Drivers ignore a key that the host does not have.
//
// StateDone ends the visit, and so does StateReady, which plans the next one. ETag, Modified, Digest, Level, and the time of the request
// are then kept for the next visit. With any other state, those of the last visit stay.
type Result struct {
	Key      int64
	State    State
	Attempts int
	Due      time.Time // for StateReady and StateRetry; zero: at once
	Status   int       // of the answer; 0: none
	Reason   string    // why it failed or is tried again: a word such as not-text, then perhaps more after a colon
	ETag     string
	Modified string
	Digest   string
	Level    int
	At       time.Time // when the answer arrived
	Took     time.Duration
	Bytes    int
	Links    Links // the URL's links, in scope or beyond its depth, kept until there are others; nil: none, or unchanged
}

// State is the state of a URL.
type State string

// These are the states of a URL.
const (
	StateReady  State = "ready" // never fetched, or due again by plan or on request
	StateRetry  State = "retry" // tried, and to be tried again
	StateDone   State = "done"
	StateFailed State = "failed"
)

// Receipt is the answer to a Report.
type Receipt struct {
	Lost     bool   // the lease is somebody else's, or nobody's: nothing in the report counted
	Released bool   // the report gave the host back
	URLs     []Item // more URLs to fetch, if the report asked for them
}

// Counts says how much a frontier holds. Ready and Waiting are divided by host: a URL that is to be tried again in an hour is ready if
// its host has another URL that is due.
type Counts struct {
	Hosts    int            `json:"hosts"`
	Leased   int            `json:"leased"`   // how many of them are leased
	Ready    int            `json:"ready"`    // unfinished URLs of hosts that are leased or can be claimed now
	Waiting  int            `json:"waiting"`  // unfinished URLs of the others
	Retrying int            `json:"retrying"` // how many of both are to be tried again
	Failed   int            `json:"failed"`
	Done     int            `json:"done"`
	FailedBy map[string]int `json:"failed_by"` // by the first word of the reason
}

// HostFilter selects hosts. The zero value selects all, by name and port.
type HostFilter struct {
	Name    string // only this host, as Host.String or with its port
	Slowest bool   // only hosts with something to do; the one that is due last comes first
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
	Downs     int    // how many times in a row it could not be reached
	Owner     string // the worker that leases it, or ""
	Until     time.Time
	Pending   int // not finished, including those that retry
	Retrying  int
	Done      int
	Failed    int
}

// URLFilter selects URLs. The zero value selects all.
type URLFilter struct {
	URL    string    // only this one, of HostID or of the host that it names
	HostID int64     // only those of this host
	State  State     // only those in this state
	Reason string    // only those whose reason begins with this word
	Since  time.Time // only those whose last visit ended at this time or later
	After  Cursor    // only those after this place, in the order of hosts and keys
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
	At     time.Time // when the last answer arrived; zero: none yet
	Took   time.Duration
	Bytes  int
}

// ErrClosed is returned by the methods of a frontier that was closed.
var ErrClosed = errors.New("the frontier is closed")

// SchemaError reports a frontier that this program can't use.
type SchemaError struct {
	Name  string // of the file or database
	Found string
	Want  string
}

func (e *SchemaError) Error() string {
	return fmt.Sprintf("%s: is %s, expected %s", e.Name, e.Found, e.Want)
}
