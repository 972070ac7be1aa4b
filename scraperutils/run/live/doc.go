// Package live is a page that shows what runs, what ran, and what to do.
//
//	browser ─▶ guard ─▶ pages: now, a site, the report  ◀─ feed.Hub, Report
//	             │    ─▶ /live: what changes             ◀─ feed.Hub
//	             └────▶ POST /run, /stop ─▶ Runner, and a line in the log of actions
//
// It reads, and asks a Runner to begin and stop runs; it writes nothing itself. All that it shows is text from outside: templates escape
// it, the script sets it as text. A page works without the script, which keeps it up to date.
package live
