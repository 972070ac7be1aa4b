// Package metrics tells Prometheus what runs come to, through Prometheus' own library.
//
//	news.Run of a run that ends, all runs ─▶ registry ─▶ Write ─▶ a file for node_exporter's textfile collector
//	the log: ReadLast, once for each run ──▶ registry ─┐
//	feed.Hub: the run that goes on ────────────────────┼▶ Handler ─▶ /metrics of a server
//	workers elsewhere, Go, the process ────────────────┘
//
// A run is over when anybody asks, so nearly all are gauges: they describe the last run that ended. Names begin with the project's:
// Prometheus itself has metrics that begin with "scrape_".
package metrics
