// Package extract finds URLs in documents: pages, sitemaps and feeds.
//
// A document moves through it like this:
//
//	sitemap, feed: bytes ─▶ Text: gzip, charset ─▶ scanner: tokens within bounds ─▶ by its root element ─▶ Links, one by one
//	page:          header ─▶ Link, X-Robots-Tag ─┐
//	               body ─▶ UTF-8 ─▶ tokenizer ───┴─▶ by the name of each tag ─▶ Found: links, and what they are relative to
//
// Documents are strangers'. What they hold is read token by token, and no tree is made of it; entities of their own are not expanded;
// depth, the size of a token and the number of links have bounds. A Link's URL is the text as it stands there.
package extract
