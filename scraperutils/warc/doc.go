// Package warc keeps pages as WARC 1.1 files (ISO 28500:2017), which any reader of web archives opens.
//
// Pages move through it in groups, as a crawl stores them:
//
//	Store ─▶ records of each page: response (or revisit) and request ─▶ gzip, a member for each record
//	      ─▶ durable.File: all of the group is on disk, or nothing of it counts
//
// A file is called NAME.warc.gz.open while it is written, and loses the last part when it is full or closed. What a process that was
// killed has left is cut after its last whole record and gets its name at the next Open. Any number of processes may write to a folder,
// each its own files.
//
// The record ID of a response is the page's own, so a reader that drops repeats by it has each visit once. Bodies are kept as they are
// after Content-Encoding was undone: headers that no longer fit have the prefix X-Archive-Orig-.
package warc
