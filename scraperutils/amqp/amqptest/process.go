package amqptest

import (
	"io"
	"os/exec"
	"time"
)

// keeper runs a program until its own standard input ends, so that the program does not outlive the tests whatever becomes of them.
const keeper = `"$@" & program=$!
(read -r _; kill -9 $program) <&3 >/dev/null 2>&1 &
wait $program`

// process is a program that ends when it is told to, or when this process does.
type process struct {
	leash io.Closer
	over  chan struct{} // closed when it has ended
}

// start starts a program; environment nil: that of this process.
func start(environment []string, out io.Writer, program ...string) (*process, error) {
	c := exec.Command("/bin/sh", append([]string{"-c", "exec 3<&0; " + keeper, "sh"}, program...)...)
	c.Env, c.Stdout, c.Stderr = environment, out, out
	c.WaitDelay = time.Second // for what the program has started
	leash, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	p := &process{leash: leash, over: make(chan struct{})}
	go func() { defer close(p.over); _ = c.Wait() }()
	return p, nil
}

// kill ends the program and waits until it is gone.
func (p *process) kill() {
	if p == nil {
		return
	}
	_ = p.leash.Close()
	<-p.over
}

func (p *process) ended() bool {
	select {
	case <-p.over:
		return true
	default:
		return false
	}
}
