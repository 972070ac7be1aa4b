// Package extract finds URLs in documents: sitemaps and feeds.
//
// A document moves through it like this:
//
//	bytes ─▶ Text: gzip, charset ─▶ scanner: tokens within bounds ─▶ by its root element: sitemap or feed ─▶ Links, one by one
//
// Documents are strangers'. What they hold is read as it comes, never as a whole; entities of their own are not expanded; depth and the
// size of a token have bounds. A Link's URL is the text as it stands there.
package extract
