// Package family is the whole command of a family of sites: sites of one kind, such as libraries or courts, that a program
// scrapes into one table. A program says what its family is, and has everything else: flags and settings, politeness, the
// log, second attempts, verdicts, recordings of failures and their replay, the report, built-in sites.
//
//	func main() { family.Main(family.Family{Name: "books", Registry: …, Table: family.Table{Keys: []string{"isbn"}}}) }
//
// A run moves through the package like this:
//
//	arguments, environment → settings → registry, network, database → scheduler → results → report → exit code
//
// A server begins runs as processes of their own, and follows all runs of its database, wherever they were begun, by a socket beside it:
//
//	forms, timetable → runner → run → telling ─▶ feed.Teller ─▶ socket ─▶ feed.Follower → feed.Hub → pages
//	                     └─ "stop" ────────── stops ◀── socket ◀─────────────┘
//
// What is not said of a Family has a default. People read what the family calls its sites. The tables of the log, and the JSON of report
// and list, call one an authority in every family, so that what reads them reads them all.
//
// What it has in common with other commands is in cmd/internal/cli: the console, exit
// codes, how settings are declared. How requests go out, and what is kept of them, is in cmd/internal/egress.
package family
