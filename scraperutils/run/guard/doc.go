// Package guard decides who may ask a server that tells of runs.
//
//	request ─▶ the token, if there is one; else a name of this machine ─▶ no page of another site ─▶ handler
//
// A server without a token listens on loopback alone. Pages of the Web reach loopback, too, through the browser of somebody on this
// machine. A page may make a name of its own lead to 127.0.0.1 ("DNS rebinding"), and then the browser lets it read the answers. So the
// name that a request asks for must be one that nobody else can make lead here: localhost, or an address of loopback as a number.
package guard
