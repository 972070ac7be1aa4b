// Package urls writes URLs in one canonical form, so that a crawl fetches no page twice in two spellings, and never takes two pages
// for one.
//
// A URL moves through it like this:
//
//	text ─▶ parts: scheme, host, port, path, query ─▶ canonical text: URL
//	        plain ones are split here, others
//	        by a parser of the WHATWG standard
//
// The canonical form is that of a browser, and in it:
//
//   - scheme and host are in lower case, the host is ASCII (IDNA), a port that is the scheme's own is left out;
//   - there is no fragment;
//   - dot segments are resolved; other segments stay, empty ones too;
//   - escapes of unreserved characters are decoded, other escapes have upper-case digits, and what no URI may hold is escaped, so that
//     the text is what goes over the wire;
//   - parameters that name a session are left out, in the query and after a semicolon in the path;
//   - the parameters of the query are sorted by name; those of one name stay in their order; empty ones are left out.
//
// Nothing else is joined: http and https, a host with www and one without, a path with a slash at its end and one without, a parameter
// without a value and one with an empty one are different URLs.
//
// The package is pure: it asks nobody, and holds no state.
package urls
