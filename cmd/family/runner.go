package family

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils/run/feed"
	"github.com/multiscraper/multiscraper/scraperutils/run/live"
	"github.com/multiscraper/multiscraper/scraperutils/run/timetable"
)

// runner begins runs for a server, each as a process of its own, which goes on if the server is killed. One goroutine follows each process to
// its end. Its methods may be called from any goroutine.
type runner struct {
	program  string
	args     []string // of each run
	database string
	site     string                   // what one is called, and the flag that names it
	sites    func(label string) error // why a label names no site, or nil
	hub      *feed.Hub

	mu      sync.Mutex // guards the rest
	going   *process   // nil: none
	closed  bool
	problem string // why the last run came to nothing
}

// process is one run.
type process struct {
	command *exec.Cmd
	control io.WriteCloser
	ended   chan struct{}
}

// logName is the file into which runs that a server began write what they print.
func (r *runner) logName() string { return r.database + ".run.log" }

// Begin begins a run.
func (r *runner) Begin(which live.Which) error {
	_, err := r.begin(which)
	return err
}

func (r *runner) begin(which live.Which) (*process, error) {
	args := slices.Clone(r.args)
	if which.Failed {
		args = append(args, "--failed")
	}
	if which.Label != "" {
		if err := r.sites(which.Label); err != nil {
			return nil, err
		}
		args = append(args, "--"+r.site+"="+which.Label)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch pid := db.Holder(r.database); {
	case r.closed:
		return nil, errors.New("this server ends")
	case r.going != nil:
		return nil, live.ErrRunning
	case pid != 0:
		return nil, fmt.Errorf("%w, as process %d", live.ErrRunning, pid)
	}
	p, out, err := r.start(args)
	if err != nil {
		return nil, fmt.Errorf("begin a run: %w", err)
	}
	r.going, r.problem = p, ""
	go r.follow(p, out)
	return p, nil
}

// start starts a run. Its feed comes from the file that is returned.
func (r *runner) start(args []string) (p *process, out *os.File, err error) {
	var opened []*os.File // the ends of the run
	defer func() {
		for _, f := range opened {
			_ = f.Close() // the run has its own
		}
	}()
	log, err := os.OpenFile(r.logName(), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, nil, err
	}
	opened = append(opened, log)
	out, feedEnd, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	opened = append(opened, feedEnd)
	controlEnd, control, err := os.Pipe()
	if err != nil {
		return nil, nil, errors.Join(err, out.Close())
	}
	opened = append(opened, controlEnd)
	c := exec.Command(r.program, append(args, "--feed=3", "--control=4")...)
	c.Stdout, c.Stderr, c.ExtraFiles = log, log, []*os.File{feedEnd, controlEnd}
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt of the terminal is for the server, which passes it on
	if err := c.Start(); err != nil {
		return nil, nil, errors.Join(err, out.Close(), control.Close())
	}
	return &process{command: c, control: control, ended: make(chan struct{})}, out, nil
}

// follow reads what a run tells, and waits for it.
func (r *runner) follow(p *process, out *os.File) {
	_ = r.hub.Read(out) // a feed that was cut off is shown as that
	_ = out.Close()
	err := p.command.Wait()
	_ = p.control.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.hub.Picture().Run == nil {
		r.problem = r.why(err)
	}
	r.going = nil
	close(p.ended)
}

// why is why a run came to nothing before it began.
func (r *runner) why(err error) string {
	if err == nil {
		return "there was nothing to do"
	}
	text, _ := os.ReadFile(r.logName()) // it has not run, so that this is short
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return err.Error() + ": " + lines[len(lines)-1]
}

// Stop ends the run, or one site of it.
func (r *runner) Stop(label string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.going == nil {
		return live.ErrIdle
	}
	line := "stop\n"
	if label != "" {
		if err := r.sites(label); err != nil {
			return err
		}
		line = "stop " + label + "\n"
	}
	_, err := io.WriteString(r.going.control, line)
	return err
}

// Problem is why the last run came to nothing, or "".
func (r *runner) Problem() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.problem
}

// Elsewhere is the process of a run that this runner has not begun, or 0.
func (r *runner) Elsewhere() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.going != nil {
		return 0
	}
	return db.Holder(r.database)
}

// keep begins runs by a timetable until ctx ends, and tells acted of each.
func (r *runner) keep(ctx context.Context, k timetable.Keeper, acted func(live.Action)) {
	k.Run = func(ctx context.Context, _ time.Time) {
		a := live.Action{At: time.Now(), Who: "the schedule", What: "run", Of: "all"}
		p, err := r.begin(live.Which{})
		if err != nil {
			a.Err = err.Error()
		}
		acted(a)
		if err == nil {
			<-p.ended // which Close brings about, too
		}
	}
	k.Keep(ctx)
}

// Close has the run end as SIGTERM does, and waits for it. No other begins.
func (r *runner) Close() {
	r.mu.Lock()
	p := r.going
	r.closed = true
	r.mu.Unlock()
	if p != nil {
		_ = p.command.Process.Signal(syscall.SIGTERM) // it may have just ended
		<-p.ended
	}
}
