// Package status is what a worker says of itself, as a small JSON document.
//
//	worker ─▶ Status ─▶ Handler: GET /status ─▶ Read, which trusts nothing ─▶ package workers, or whoever asks
package status
