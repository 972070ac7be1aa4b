// Package metrics writes what a run came to in the text format of Prometheus, for the textfile collector of its node_exporter.
//
//	news.Run, runs that the database knows ─▶ families ─▶ Write ─▶ a file that the collector reads
//
// A run is over when anybody asks, so nearly all are gauges: they describe the last run. The format has a dozen lines of grammar, and
// Prometheus' library for it would make the command a tenth larger, so it is written here; promtool checks it in a test.
package metrics
