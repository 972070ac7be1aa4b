// Package feed tells other processes what a run is doing, while it does it, and has them stop it.
//
//	loop ─ events, snapshots ─▶ Teller ─▶ Hub ─▶ a Subscription for each connection ─ lines of JSON, Unix socket ─▶ Follower ─▶ Hub ─▶ a Subscription for each who looks on
//	    ◀────────── "stop", "stop LABEL" ◀─────────────────────── lines, the same socket ◀────────────────────────── Follower
//
// The socket stands beside the database that the run writes, and is for processes of the same user. A Follower finds it there, wherever the
// run was begun. Nobody waits for anybody: a connection or a subscriber that takes nothing is cut off, and begins again with all that is
// known. What a Hub keeps is bounded: the latest status of each operation and the latest requests of each.
package feed
