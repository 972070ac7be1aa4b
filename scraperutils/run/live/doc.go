// Package live is a page that follows a run, and what is done there: runs are begun and stopped.
//
//	browser ─▶ board: who may ─▶ /now, /site/LABEL ◀─ feed.Hub
//	                          ─▶ /live: what changes ◀─ feed.Hub
//	                          ─▶ POST /run, /stop ─▶ Runner, and a line in the log of actions
//
// It asks a Runner to begin and stop runs, and writes nothing itself. All that it shows is text from outside: templates escape
// it, the script sets it as text. A page works without the script, which keeps it up to date.
package live
