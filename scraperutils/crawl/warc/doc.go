// Package warc writes pages to WARC 1.1 files (ISO 28500:2017), which any reader of web archives can open.
//
// Pages move through it in groups, as a crawl stores them:
//
//	Store ─▶ records of each page: response (or revisit) and request ─▶ gzip, a member for each record
//	      ─▶ durable.File: all of the group is on disk, or nothing of it counts
//
// A file is called NAME.warc.gz.open while it is being written. It loses the last part of that name when it is full or closed. The next
// Open cuts a file that a killed process left after its last complete record, and gives it its name. Any number of processes may write to
// a folder, each to its own files.
//
// The record ID of a response is the page's own, so a reader that drops repeats by it has each visit once. Bodies are stored after
// Content-Encoding was undone. Headers that no longer match have the prefix X-Archive-Orig-.
package warc
