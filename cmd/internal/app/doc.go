// Package app is the scrape command: it reads flags and environment, wires the packages together and turns what became of a
// run into a report and an exit code.
//
//	arguments, environment → settings → registry, network, database → scheduler → results → report → exit code
//
// What it has in common with other commands is in cli: the console, exit codes, how settings are declared. How requests go out, and
// what is kept of them, is in egress.
package app
