// Package app is the scrape command: it reads flags and environment, wires the packages together and turns what became of a
// run into a report and an exit code.
//
//	arguments, environment → settings → registry, network, database → scheduler → results → report → exit code
//
// All that is printed passes a printer, which lets nothing but text through, and an outlet, which lets no reader end a run; the
// log of a run waits between them in a backlog, so that nobody waits for who reads it.
package app
