// Package render gets documents as they are after their scripts, from a program that has a browser: browse render. A program that needs a
// browser for some of its pages thus contains none, and starts none before it needs it.
//
//	Transport ─ GET that wants a rendered document ─▶ Renderer ═ lines of JSON ═▶ Serve ─▶ a function that opens pages
//	     └───── all else ─▶ the next transport
//
// To its callers, a Transport is the network. robots.txt, redirects, cookies, recordings, and the pace of hosts work as with any other
// page. A recording can be replayed without the program.
package render
