// Package leash runs programs that tests need, such as servers. No program outlives the tests, however they end.
//
//	test process ── leash: the program's keeper reads it ──▶ keeper (a shell) ── signal ──▶ program
//
// The leash is a pipe. A line in it names the signal that ends the program. When the pipe closes, which also happens when the test
// process dies, the keeper sends the signal that was named at the start.
package leash

import (
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// keeper runs a program until its own standard input says otherwise. Its first argument is the signal to send where that just ends.
const keeper = `exec 3<&0; last=$1; shift
"$@" & program=$!
(read -r signal; kill -${signal:-$last} $program) <&3 >/dev/null 2>&1 &
wait $program`

// Program is a running program, or nil. Its methods may be called from any goroutine.
type Program struct {
	leash io.WriteCloser
	over  chan struct{} // closed when it has ended
}

// Start starts a program, given by its name and arguments. It runs in the folder and environment that c has, and writes its output there.
// Last names the signal that the program gets when the test process dies: KILL, or another signal if it must end children of its own.
func Start(c *exec.Cmd, last string) (*Program, error) {
	program := append([]string{c.Path}, c.Args[1:]...)
	shell := exec.Command("/bin/sh", append([]string{"-c", keeper, "sh", last}, program...)...)
	c.Path, c.Args = shell.Path, shell.Args
	c.WaitDelay = time.Second // for what the program has started
	leash, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	p := &Program{leash: leash, over: make(chan struct{})}
	go func() { defer close(p.over); _ = c.Wait() }() // how it ended is of no interest
	return p, nil
}

// End sends the program a signal, such as KILL, and waits until it is gone.
func (p *Program) End(signal string) {
	if p == nil {
		return
	}
	_, _ = io.WriteString(p.leash, signal+"\n") // it may have ended
	_ = p.leash.Close()
	<-p.over
}

// Ended reports whether the program is gone.
func (p *Program) Ended() bool {
	select {
	case <-p.over:
		return true
	default:
		return false
	}
}

// Tail keeps the last part of a program's output. The zero value is empty. Its methods may be called from any goroutine.
type Tail struct {
	mu   sync.Mutex // guards text
	text string
}

// kept is how many bytes a Tail keeps.
const kept = 4000

func (t *Tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text += string(b)
	t.text = t.text[max(len(t.text)-kept, 0):]
	return len(b), nil
}

func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(t.text)
}
