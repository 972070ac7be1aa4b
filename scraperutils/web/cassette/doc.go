// Package cassette records HTTP exchanges and plays them again, in the YAML format of Ruby's VCR.
//
// A recording moves through the package like this:
//
//	client ──▶ Recorder ──▶ transport
//	              │
//	           Cassette ──Write──▶ file ──Load──▶ Cassette ──▶ Player ◀── client
//
// A Recorder passes requests through to a transport and keeps each exchange once its body has been read. From its client it
// hears which of them were tries of one request, of which the last counts, and which requests came to nothing. Write scrubs
// passwords and cookies and puts the file in place whole or not at all. Load reads such a file, or one of VCR's, and the
// Player answers from it: each interaction once, in order, for a request of the same method, host, port, path and query, or
// with the failure that was recorded.
//
// Bodies are what the transport gave, still encoded as Content-Encoding says. A body that is base64 in the file is decoded
// when it is played. Nothing here logs, starts a goroutine or waits for anything but the transport and the disk.
package cassette
