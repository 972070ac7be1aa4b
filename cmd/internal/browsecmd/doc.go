// Package browsecmd is the command browse: it wires a browser, a scheduler that keeps the pace of hosts, and who asks for pages.
//
//	arguments ─────────▶ pages  ─┐                                       ┌─▶ JSON lines
//	a queue ───────────▶ worker ─┼─▶ opener ─▶ Scheduler ─▶ Browser ─────┼─▶ the clients of the queue
//	standard input ────▶ render ─┘            robots.txt, if asked to     └─▶ documents
//
// A page waits for its host's turn in the scheduler. What the page itself asks for goes out as in anybody's browser.
package browsecmd
