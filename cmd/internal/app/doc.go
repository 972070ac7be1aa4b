// Package app is the scrape command: it reads flags and environment, wires the packages together and turns what became of a
// run into a report and an exit code.
//
//	arguments, environment → settings → registry, network, database → scheduler → results → report → exit code
package app
