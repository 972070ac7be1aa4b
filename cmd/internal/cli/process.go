package cli

import (
	"context"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"runtime/debug"
)

// gcPercent is how much garbage there may be, against what is in use. A page is garbage as soon as it is read, so this saves CPU
// time for a few MiB; GOMEMLIMIT holds all the same.
const gcPercent = 350

// TuneGarbage sets the garbage collection percentage that all commands use, unless GOGC is set.
func TuneGarbage(env func(string) string) {
	if env("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}

// Main runs a command as the process, with its signals and with output that can't end it. It returns the exit code.
func Main(name string, args, environ []string, stdout, stderr io.Writer, run func(context.Context, []string, Console) int) int {
	ctx, stop := withSignals(context.Background())
	defer stop()
	log.SetOutput(io.Discard) // where net/http tells of servers that talk out of turn: standard error is for what goes wrong
	out := newOutlet("standard output", stdout)
	c := NewConsole(name, environ, out, newOutlet("standard error", stderr))
	TuneGarbage(c.Env)
	code := run(ctx, args, c)
	if err := out.problem(); err != nil {
		return c.Fail(max(code, ExitUnexpected), err)
	}
	return code
}

// ProcessName is unique among processes that share something: in containers, machines and processes may have the same names and numbers
// again.
func ProcessName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	return fmt.Sprintf("%s-%d-%04x", host, os.Getpid(), rand.N(1<<16))
}
