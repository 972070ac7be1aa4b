// Package cdp speaks the Chrome DevTools Protocol with a browser over a pair of pipes.
//
//	Call ─▶ Conn: a number ─▶ pipe ─▶ browser
//	                                    │
//	Call ◀─ the answer of its number ◀──┤
//	                                    │ event of a session
//	Inbox ◀─ the browser context that the session's target belongs to ◀─┘
//
// Sessions form a tree. The browser's own session is the root, those of windows, shared workers, and service workers are below it, and
// those of frames and workers are below these. An event that announces a session names its target's browser context or comes from a known
// session. So each event has its place when it arrives, and an Inbox gets all events of a context in order.
//
// The types of commands and events are chromedp's, generated from the protocol. Enumerations are plain strings there, so a value that a
// newer browser sends is not an error. chromedp's own handling of sessions is not used, because it attaches to workers and frames too
// late to see their first requests.
package cdp
