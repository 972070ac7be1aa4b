// Package extract finds URLs in documents: pages, sitemaps, and feeds.
//
// A document moves through it like this:
//
//	sitemap, feed: bytes ─▶ Text: gzip, charset ─▶ scanner: tokens within bounds ─▶ by its root element ─▶ Links, one by one
//	page:          header ─▶ Link, X-Robots-Tag ─┐
//	               body ─▶ UTF-8 ─▶ tokenizer ───┴─▶ by the name of each tag ─▶ Found: links, and what they are relative to
//
// Documents come from strangers. The package reads them token by token and builds no tree. It does not expand entities that a document
// defines. Depth, token size, and the number of links are limited. A Link's URL is the text as it stands in the document.
package extract
