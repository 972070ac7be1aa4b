// Package cdp speaks the Chrome DevTools Protocol with a browser over a pair of pipes.
//
//	Call ─▶ Conn: a number ─▶ pipe ─▶ browser
//	                                    │
//	Call ◀─ the answer of its number ◀──┤
//	                                    │ event of a session
//	Inbox ◀─ the browser context that the session's target belongs to ◀─┘
//
// Sessions form a tree: the browser's own, those of windows, shared and service workers below it, and those of frames and workers below
// them. An event that announces a session names its target's browser context or comes from a session that is known, so each event has its
// place when it comes, and an Inbox has all events of a context in their order.
//
// The types of commands and events are chromedp's, generated from the protocol: enumerations are plain strings there, so a value that a
// newer browser sends is no error. What chromedp itself does with sessions is left off: it attaches to workers and frames too late to see
// their first requests.
package cdp
