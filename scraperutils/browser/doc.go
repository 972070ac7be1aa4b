// Package browser opens pages in Chromium, runs behaviors on them, and reports every request that they make.
//
// A page moves through it like this:
//
//	Visit ─▶ one of Pages places ─▶ process: started, or the one that runs, up to PagesPerProcess pages
//	           │
//	           ▼
//	         a browser context of its own ─▶ a window in it, which waits
//	           │ attach: every window, frame, worker and service worker of the context, each before its first request
//	           ▼
//	         navigate ─▶ load event ─▶ behaviors: one step after the other, in every frame ─▶ done: 2.5 s of rest
//	           │                                                                                │
//	           │ requests, hop by hop ─▶ Visit.OnRequest                                        ▼
//	           │                                                                     final document, links
//	           ▼
//	         the context is disposed of, whatever has come of the page
//
// Chromium reaches nothing by itself. It connects through a proxy of this process on loopback, which resolves names, refuses addresses
// that are not public, and remembers why a connection failed. The proxy passes bytes on, so the browser speaks to servers as usual,
// including HTTP/2.
//
// A Browser owns its processes, a process owns its pipe, and a page owns its context and everything attached in it.
package browser
