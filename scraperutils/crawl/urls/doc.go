// Package urls writes URLs in one canonical form, so that a crawl never fetches one page under two spellings, and never takes two pages
// for one.
//
// A URL moves through it like this:
//
//	text ─▶ parts: scheme, host, port, path, query ─▶ canonical text: URL
//	        plain ones are split here, others
//	        by a parser of the WHATWG standard
//
// The canonical form is that of a browser, with these rules:
//
//   - scheme and host are in lowercase, the host is ASCII (IDNA), and the scheme's default port is left out;
//   - there is no fragment;
//   - dot segments are resolved; other segments stay, even empty ones;
//   - escapes of unreserved characters are decoded, other escapes have uppercase digits, and characters that a URI can't contain are
//     escaped, so that the text is what goes over the wire;
//   - parameters that name a session are left out, in the query and after a semicolon in the path;
//   - the parameters of the query are sorted by name; those with the same name stay in order; empty ones are left out.
//
// Nothing else is unified. These are different URLs: http and https, a host with and without www, a path with and without a slash at its
// end, and a parameter with no value and with an empty value.
//
// The package is pure: it makes no requests and holds no state.
package urls
