// Package render gets documents as they are after their scripts, from a program that has a browser: browse render. So a program that needs
// a browser for some of its pages has none itself, and starts none before it needs it.
//
//	Transport ─ GET that wants a rendered document ─▶ Renderer ═ lines of JSON ═▶ Serve ─▶ a function that opens pages
//	     └───── all else ─▶ the next transport
//
// To those above it a Transport is the network: robots.txt, redirects, cookies, recordings and the pace of hosts are as with any other page.
// A recording plays without the program.
package render
