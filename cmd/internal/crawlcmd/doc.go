// Package crawlcmd is the command crawl: it wires a frontier, a worker, ways out and sinks together, and shows what they do.
//
//	arguments, files, standard input, a queue, POST /urls ─▶ intake ─▶ adder ─▶ frontier ─▶ Worker ─▶ sinks
//	                                                                                │          │
//	crawl status, hosts, host, url, failed, export ◀────────────────────────────────┘          ▼
//	progress on a terminal, lines in a log, /metrics, /status ◀─────────────────────────────  tally
//
// The commands that only add or look join the frontier beside the process that works on it: no command but run ever claims a host.
package crawlcmd
