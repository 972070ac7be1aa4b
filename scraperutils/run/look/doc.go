// Package look shows what was on the pages that a scraper read.
//
//	cassette ─▶ Tape ─▶ Exchange, one per request ─▶ page ─┬▶ Find: what a selector finds on it
//	                                                       └▶ Outline: its tables, forms, fields, headings
//	outlines of a tape, and of a good one ─▶ Differ: the first page that is no longer what it was
//
// A Tape is read by one goroutine. What it returns comes from pages of others; callers print it through a cli.Printer.
package look
