package streamcmd

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/multiscraper/multiscraper/scraperutils/stream"
)

// Limits of a program.
const (
	maxAnswer   = 64 << 10         // bytes of a line
	closingTime = 10 * time.Second // to end, once its input has
	firstRest   = 100 * time.Millisecond
	mostRest    = 10 * time.Second
)

// line is a record as a program is told of it.
type line struct {
	Shard    string    `json:"shard"`
	Sequence string    `json:"sequence"`
	Sub      *int      `json:"sub,omitempty"` // of an aggregated record
	Key      string    `json:"key"`
	Arrived  time.Time `json:"arrived"`
	Data     *string   `json:"data,omitempty"`
	Base64   []byte    `json:"data_base64,omitempty"` // where it is no text
}

func lineOf(shard string, r stream.Record) line {
	l := line{Shard: shard, Sequence: r.Sequence, Key: r.Key, Arrived: r.Arrived.UTC()}
	if r.Subs > 0 {
		l.Sub = &r.Sub
	}
	if utf8.Valid(r.Data) {
		text := string(r.Data)
		l.Data = &text
	} else {
		l.Base64 = r.Data
	}
	return l
}

// program is a child process that handles records, one at a time. It is started when there is a record for it, and again, after a pause
// that grows, when it has died. Any goroutine may call Each; close comes after the last call.
type program struct {
	args   []string
	answer time.Duration // that it may take
	stderr io.Writer     // what it says beside its answers goes here

	turn    chan struct{} // holds a token while nobody uses what follows
	process *process      // nil: it does not run
	deaths  int           // since its last good answer
}

func newProgram(args []string, answer time.Duration, stderr io.Writer) *program {
	p := &program{args: args, answer: answer, stderr: stderr, turn: make(chan struct{}, 1)}
	p.turn <- struct{}{}
	return p
}

// Each hands the program a record and waits for its answer: see stream.Each.
func (p *program) Each(ctx context.Context, shard string, r stream.Record) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(lineOf(shard, r)); err != nil {
		return err
	}
	select {
	case <-p.turn:
		defer func() { p.turn <- struct{}{} }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if p.process == nil {
		if err := p.start(ctx); err != nil {
			return err
		}
	}
	answer, err := p.process.ask(ctx, text.Bytes(), p.answer)
	if err == nil {
		err = judge(answer, r)
	}
	var failed *failure
	if err == nil || errors.As(err, &failed) {
		p.deaths = 0
		return err
	}
	p.process.kill()
	end := p.process.wait()
	p.process = nil
	p.deaths++
	if errors.Is(err, errEnded) {
		err = fmt.Errorf("%w (%s)", err, end)
	}
	return err
}

// start starts the program, after a pause if it has died.
func (p *program) start(ctx context.Context) error {
	if p.deaths > 0 {
		timer := time.NewTimer(min(firstRest<<min(p.deaths-1, 10), mostRest))
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	process, err := startProcess(p.args, p.stderr)
	if err != nil {
		p.deaths++
		return fmt.Errorf("start %s: %w", p.args[0], err)
	}
	p.process = process
	return nil
}

// close ends the program's input, and the program if that does not.
func (p *program) close() {
	<-p.turn
	if p.process == nil {
		return
	}
	_ = p.process.stdin.Close() // it may be gone
	timer := time.AfterFunc(closingTime, p.process.kill)
	defer timer.Stop()
	p.process.wait()
}

// failure is that the program says of a record that it could not be handled.
type failure struct{ text string }

func (e *failure) Error() string { return e.text }

// judge reads an answer. One that names a record must name the one that it is about.
func judge(answer string, r stream.Record) error {
	word, rest, _ := strings.Cut(answer, " ")
	rest = strings.TrimSpace(rest)
	switch {
	case word == "ok" && (rest == "" || rest == r.Sequence):
		return nil
	case word == "ok":
		return fmt.Errorf("the program answered for record %.60q, not for the one that it was given", rest)
	case word == "error" && rest == "":
		return &failure{"the program says error, and not which"}
	case word == "error":
		return &failure{rest}
	}
	return fmt.Errorf("the program answered %.60q: expected ok, or error and a text", answer)
}

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
