// Package intake reads the URLs that people hand in, in whatever they keep them: a list, a CSV file, JSON, a sitemap, a feed, each of
// them gzipped or not. What it is, its content says.
//
// An input moves through it like this:
//
//	bytes ─▶ extract.Text: gzip, charset ─▶ by its first line: list, CSV, JSON, XML ─▶ Entries and LineErrors, one by one
//
// It reads as much as it needs for the next entry, so that an input may be of any length, and need not have an end.
package intake
