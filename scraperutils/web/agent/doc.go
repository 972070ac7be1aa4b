// Package agent is the session of one operation: what a browser would be if it only read pages.
//
// A page comes to a scraper like this:
//
//	Agent.Get, Page.Get, Form.Submit, Form.Postback
//	  → Request (headers, referrer, body)
//	  → scheduler.ExecuteRequest: waits until the host may be asked
//	  → Client.Do: a fetch.Client with cookies of its own, unless another client is given
//	  → a redirect to another host goes through ExecuteRequest again
//	  → Page: status 2xx, text in UTF-8, document counted and parsed at its first use
//
// An Agent belongs to one operation and is not safe for concurrent use. Agents may share an http.RoundTripper with its connections, a
// robots.Cache, and a Gate.
package agent
