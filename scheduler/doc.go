// Package scheduler runs many straight-line scrapers in one process. It keeps them polite, on time, and isolated from each other.
//
// An operation is one straight-line scraper, usually of one site. It runs in its own goroutine and looks like any sequential code: it
// calls ExecuteRequest, gets a response, reads it, and calls ExecuteRequest again. One request moves like this:
//
//	scraper                 loop                              I/O goroutine of the operation
//	   │ ExecuteRequest       │                                  │
//	   ├─── submission ──────▶│ the operation's turn ends        │
//	   │                      │ Pace.Earliest, MaxPerHost at a   │
//	   │                      │ time to a host, MaxRequests      │
//	   │                      ├────────────── job ──────────────▶│ Client.Do
//	   │                      │◀───────────── result ────────────┤
//	   │                      │ Pace.Observe; try again?         │ Ledger.Settle
//	   │                      │◀───────────── settled ───────────┤
//	   │◀──── answer ─────────┤ the operation's turn begins      │
//	   │                      │ (MaxRunning turns at once)       │
//	   ├─── submission ──────▶│ the next request, or the end     │
//
// One goroutine, the one that called Run, owns all of this state: who waits for what, which host is busy, who runs. It sleeps in a single
// receive. Submissions, results, and commands come through one inbox. The timer and the run's context send nudges through the same inbox,
// which only say that it is time to look. Each step costs at most the logarithm of the number of waiting hosts. A delay holds back the
// next request to a host. It never delays the reading of a page that has already arrived.
//
// A program that makes requests outside operations calls Serve: the same loop runs until it is told to stop. Any goroutine may then call
// Execute. Its request waits like an operation's request, and the calling goroutine does the I/O:
//
//	caller                  loop
//	   │ Execute              │
//	   ├────── call ─────────▶│ Pace.Earliest, MaxPerHost, MaxRequests; MaxWaiting: CrowdedError
//	   │◀────── job ──────────┤
//	   │ Client.Do            │
//	   ├───── answer ────────▶│ Pace.Observe; try again?
//	   │◀──── answer ─────────┤
//
// The Scheduler owns what is known of hosts, so politeness has one memory across all runs. The Scheduler forgets a host that has been
// idle for ForgetAfter, once the host no longer asks to be left alone.
//
// A run ends when all operations have ended, when its context is canceled, or at its deadline. In the last two cases every
// ExecuteRequest returns the cause at once, and scrapers get a grace period to return. The run leaves behind the scrapers that ignore it,
// and names them.
package scheduler
