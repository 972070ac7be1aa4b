// Package browser opens pages in Chromium, lets behaviors act on them and tells of every request that they make.
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
// Chromium reaches nothing by itself. It connects through a proxy of this process on loopback, which resolves names, refuses addresses that
// are not public and remembers why a connection failed. The proxy passes bytes on, so that the browser speaks to servers as it always
// does, HTTP/2 included.
//
// A Browser owns its processes, a process its pipe, a page its context and what is attached in it.
package browser
