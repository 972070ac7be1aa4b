// Package cli holds what the commands share: how a process starts, reads its command line and settings, prints, handles signals,
// and chooses its exit code.
//
//	arguments ──▶ Grammar ──▶ Command
//	environment ▶ Settings ─▶ what the command is to do
//	what it says ▶ Backlog ─▶ Printer ─▶ outlet ─▶ standard output
//
// All output passes through a Printer, which lets only text through, and an outlet, which keeps a reader from ending a run. A log
// also passes through a Backlog, so that the run never waits for the reader of its log.
package cli
