// Package scheduler runs many straight-line scrapers in one process and keeps them polite, on time and apart.
//
// An operation is one straight-line scraper, mostly of one site. It runs in a goroutine of its own and looks like any sequential code: it
// calls ExecuteRequest, gets a response, reads it, calls ExecuteRequest again. One request moves like this:
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
// One goroutine, the one that called Run, owns everything that this needs: who waits for what, which host is busy, who
// runs. It sleeps in a single receive: submissions, results and commands come through one inbox, and so do the nudges of one
// timer and of the run's context, which say no more than that it is time to look. Each step costs at most the logarithm of the
// number of waiting hosts. Delays hold the next request to a host, never the reading of a page that is there already.
//
// A program that has no operations, or more than those, calls Serve: the same loop runs until it is told to end. Any goroutine may call
// Execute then. Its request waits as an operation's does, and the goroutine itself is the I/O goroutine:
//
//	caller                  loop
//	   │ Execute              │
//	   ├────── call ─────────▶│ Pace.Earliest, MaxPerHost, MaxRequests; MaxWaiting: CrowdedError
//	   │◀────── job ──────────┤
//	   │ Client.Do            │
//	   ├───── answer ────────▶│ Pace.Observe; try again?
//	   │◀──── answer ─────────┤
//
// The Scheduler owns what is known of hosts, so politeness has one memory over all its runs. It forgets idle hosts after ForgetAfter,
// once they no longer ask to be left alone.
//
// A run ends when all operations have ended, when its context is cancelled or at its deadline. In the last two cases
// every ExecuteRequest returns the cause at once, scrapers get a grace to return, and those that ignore it are left
// behind by name.
package scheduler
