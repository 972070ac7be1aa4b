// Package feed tells one process what a run in another one is doing, while it does it.
//
//	loop ─ events, snapshots ─▶ Writer ─ lines of JSON, a pipe ─▶ Hub ─▶ Subscription: a message for all who look on
//
// Neither side waits for the other. A Writer whose reader takes nothing leaves requests out and counts them; what each operation is doing
// is sent again whole once the reader takes lines again. A subscriber that takes nothing loses its subscription, and begins again with all
// that is known. What the Hub keeps is bounded: the latest status of each operation and the latest requests of each.
package feed
