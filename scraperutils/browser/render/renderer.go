package render

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Program is the program to start if no other is named.
const Program = "browse"

// endTime is how long a program may take to end once nobody asks it any more.
const endTime = 10 * time.Second

// Renderer asks a program for documents. It starts the program with the first page, and again if the program has ended. The caller must
// close it. The other methods may be called from any goroutine.
type Renderer struct {
	command []string

	mu      sync.Mutex // guards the rest
	closed  bool
	current *running // nil: none was started, or it has ended
}

// New returns a Renderer that starts a program with arguments. Without any, that is browse render, found beside this program or on the
// PATH.
func New(command ...string) *Renderer {
	if len(command) == 0 {
		command = []string{beside(Program), "render"}
	}
	return &Renderer{command: command}
}

// beside returns the path of a program in the folder of this one, or else its name.
func beside(name string) string {
	if own, err := os.Executable(); err == nil {
		path := filepath.Join(filepath.Dir(own), name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return name
}

// Get gets a document. The error is ctx's cause, an *Error, or says why the program does not run.
func (r *Renderer) Get(ctx context.Context, a Ask) (*Document, error) {
	p, err := r.program()
	if err != nil {
		return nil, err
	}
	answer, id := p.ask(a)
	select {
	case l := <-answer:
		if l.Error != nil {
			return nil, l.Error
		}
		if l.Document == nil {
			return nil, &Error{Reason: "the program answers without a document", Kind: scraperutils.ClassOther}
		}
		return l.Document, nil
	case <-p.over:
		return nil, &Error{Reason: fmt.Sprintf("the program %s has ended: %v", r.command[0], p.why), Kind: scraperutils.ClassOther}
	case <-ctx.Done():
		p.giveUp(id)
		return nil, context.Cause(ctx)
	}
}

// program returns the program that runs, and starts it where none does.
func (r *Renderer) program() (*running, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, errors.New("no page is rendered any more")
	}
	if r.current != nil && !r.current.ended() {
		return r.current, nil
	}
	p, err := start(r.command)
	if err != nil {
		return nil, fmt.Errorf("a page that is to be rendered needs the program %s, beside this one or on the PATH: %w", r.command[0], err)
	}
	r.current = p
	return p, nil
}

// Close ends the program and waits for it.
func (r *Renderer) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	if r.current != nil {
		r.current.end()
		r.current = nil
	}
	return nil
}

// running is a program.
type running struct {
	command *exec.Cmd
	in      io.WriteCloser
	over    chan struct{} // closed when it has ended
	why     error         // it has; read after over

	mu      sync.Mutex // guards the rest
	out     *json.Encoder
	last    int
	waiting map[int]chan line
}

// start starts a program and waits until it has said which one it is.
func start(command []string) (*running, error) {
	c := exec.Command(command[0], command[1:]...)
	c.Stderr = os.Stderr
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt of the terminal is for this program, which then ends that one
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	p := &running{command: c, in: in, over: make(chan struct{}), out: json.NewEncoder(in), waiting: map[int]chan line{}}
	answers := json.NewDecoder(out)
	var first line
	if err := answers.Decode(&first); err != nil || first.Version != version {
		_ = c.Process.Kill()
		return nil, errors.Join(fmt.Errorf("%s does not answer as browse render does", command[0]), c.Wait())
	}
	go p.read(answers)
	return p, nil
}

// read hands out answers until the program ends.
func (p *running) read(answers *json.Decoder) {
	defer close(p.over)
	for {
		var l line
		if err := answers.Decode(&l); err != nil {
			_ = p.in.Close()
			if p.why = p.command.Wait(); p.why == nil {
				p.why = err
			}
			return
		}
		p.mu.Lock()
		to := p.waiting[l.ID]
		delete(p.waiting, l.ID)
		p.mu.Unlock()
		if to != nil {
			to <- l // has room
		}
	}
}

// ask sends a question. A program that can't be written to ends.
func (p *running) ask(a Ask) (answer <-chan line, id int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	to := make(chan line, 1)
	p.waiting[p.last] = to
	_ = p.out.Encode(line{ID: p.last, Ask: &a})
	return to, p.last
}

// giveUp says that an answer is not wanted any more.
func (p *running) giveUp(id int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.waiting, id)
	_ = p.out.Encode(line{ID: id})
}

func (p *running) ended() bool {
	select {
	case <-p.over:
		return true
	default:
		return false
	}
}

// end ends the program: as it likes, or after a time at once.
func (p *running) end() {
	_ = p.in.Close()
	defer time.AfterFunc(endTime, func() { _ = p.command.Process.Kill() }).Stop()
	<-p.over
}
