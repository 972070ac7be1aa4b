package streamcmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// errEnded is that a program has ended.
var errEnded = errors.New("the program ended without an answer")

// process is a program that runs, in a group of its own, so that keys pressed in a terminal do not reach it.
type process struct {
	command *exec.Cmd
	stdin   io.WriteCloser
	answers chan answer // closed when its output ends
	killed  sync.Once
}

// answer is a line of a program's output.
type answer struct {
	text string
	err  error // it is too long, or more came with it
}

func startProcess(args []string, stderr io.Writer) (*process, error) {
	c := exec.Command(args[0], args[1:]...)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Stderr = stderr
	c.WaitDelay = closingTime // for those to whom it has left its output
	stdin, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, stdin.Close())
	}
	c.Stdout = write
	if err := c.Start(); err != nil {
		return nil, errors.Join(err, read.Close(), write.Close())
	}
	_ = write.Close() // the program has it
	p := &process{command: c, stdin: stdin, answers: make(chan answer)}
	go p.listen(read)
	return p, nil
}

// listen reads answers until the output ends.
func (p *process) listen(out *os.File) {
	defer close(p.answers)
	defer out.Close()
	reader := bufio.NewReaderSize(out, maxAnswer)
	for {
		text, err := reader.ReadSlice('\n')
		a := answer{text: strings.TrimRight(string(text), "\r\n")}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			a.err = fmt.Errorf("the program answered with a line of more than %d bytes", maxAnswer)
		case err != nil:
			return // half a line is none
		case reader.Buffered() > 0:
			a.err = fmt.Errorf("the program answered more than it was asked, after %.60q", a.text)
		}
		p.answers <- a
	}
}

// ask writes a line and waits for the answer, for so long. After an error that is not the context's the process is of no more use.
func (p *process) ask(ctx context.Context, text []byte, limit time.Duration) (string, error) {
	select {
	case a, ok := <-p.answers:
		if !ok {
			return "", errEnded
		}
		return "", fmt.Errorf("the program answered %.60q when it was not asked", a.text)
	default:
	}
	limited, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the program did not answer within %s", limit))
	defer cancel()
	defer context.AfterFunc(limited, p.kill)() // ends the write and the wait
	_, failed := p.stdin.Write(text)
	a, ok := <-p.answers
	switch {
	case limited.Err() != nil:
		return "", context.Cause(limited)
	case !ok, failed != nil:
		return "", errEnded
	}
	return a.text, a.err
}

// kill ends the process and those that it has started.
func (p *process) kill() {
	p.killed.Do(func() { _ = syscall.Kill(-p.command.Process.Pid, syscall.SIGKILL) })
}

// wait waits until the process is gone, and says how it ended.
func (p *process) wait() string {
	go func() {
		for range p.answers { // so that listen ends
		}
	}()
	_ = p.stdin.Close()
	_ = p.command.Wait()
	return p.command.ProcessState.String()
}
