// Package streamcmd is the command stream: it wires a stream, its leases and what handles the records together, and shows what they do.
//
//	Kinesis ─▶ stream.Consumer ─▶ program: a JSON line in, ok or error TEXT out ─▶ checkpoint: a file, or a table of DynamoDB
//	                  │       └─▶ a crawl's frontier: URLs that records name     ─▶ checkpoint
//	                  │ events
//	                  ▼
//	                tally ─▶ progress on a terminal, lines in a log, /metrics, /status
package streamcmd
