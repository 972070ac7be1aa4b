// Package cli is what the commands have in common: how a process begins, reads its command line and its settings, prints, is
// told to end, and says by its exit code what became of it.
//
//	arguments ──▶ Grammar ──▶ Command
//	environment ▶ Settings ─▶ what the command is to do
//	what it says ▶ Backlog ─▶ Printer ─▶ outlet ─▶ standard output
//
// All that is printed passes a Printer, which lets nothing but text through, and an outlet, which lets no reader end a run; a log
// waits before them in a Backlog, so that nobody waits for who reads it.
package cli
