// Package intake reads the URLs that people hand in, in whatever form they have them: a list, a CSV file, JSON, a sitemap, or a feed,
// gzipped or not. It recognizes the form by the content.
//
// An input moves through it like this:
//
//	bytes ─▶ extract.Text: gzip, charset ─▶ by its first line: list, CSV, JSON, XML ─▶ Entries and LineErrors, one by one
//
// It reads only as much as it needs for the next entry, so an input may have any length, and need not end.
package intake
