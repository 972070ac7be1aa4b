package family

import (
	"context"
	"errors"
	"fmt"
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

// runner begins runs for a server, each as a process of its own, which goes on if the server is killed, and stops runs, whoever began them. One
// goroutine waits for each process. Its methods may be called from any goroutine.
type runner struct {
	program  string
	args     []string // of each run
	database string
	site     string                   // what one is called, and the flag that names it
	sites    func(label string) error // why a label names no site, or nil
	hub      *feed.Hub                // what follower knows
	follower *feed.Follower

	mu      sync.Mutex // guards the rest
	going   *process   // that was begun here; nil: none
	closed  bool
	problem string // why the last run came to nothing
}

// process is one run.
type process struct {
	command *exec.Cmd
	began   time.Time
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
	p, err := r.start(args)
	if err != nil {
		return nil, fmt.Errorf("begin a run: %w", err)
	}
	r.going, r.problem = p, ""
	r.follower.Expect(true)
	go r.wait(p)
	return p, nil
}

// start starts a run.
func (r *runner) start(args []string) (*process, error) {
	log, err := os.OpenFile(r.logName(), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close() // the run has its own
	c := exec.Command(r.program, args...)
	c.Stdout, c.Stderr = log, log
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt of the terminal is for the server, which passes it on
	return &process{command: c, began: time.Now(), ended: make(chan struct{})}, c.Start()
}

// wait waits for the end of a run.
func (r *runner) wait(p *process) {
	err := p.command.Wait()
	r.follower.Expect(false)
	run := r.hub.Picture().Run
	followed := run != nil && run.Process == p.command.Process.Pid
	problem := ""
	if !followed && lastRun(context.Background(), r.database).Before(p.began.Truncate(time.Second)) {
		problem = r.why(err)
	}
	r.mu.Lock()
	r.going, r.problem = nil, problem
	r.mu.Unlock()
	if !followed { // it was too short for that, or none
		r.hub.LookAgain()
	}
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

// Stop ends the run that goes on, or one site of it.
func (r *runner) Stop(label string) error {
	if label != "" && r.hub.Picture().Going() && !r.hub.Knows(label) {
		return fmt.Errorf("this run has no such %s", r.site)
	}
	err := r.follower.Stop(label)
	if !errors.Is(err, feed.ErrNobody) {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if label == "" && r.going != nil { // it says nothing, or has just begun
		return r.going.command.Process.Signal(syscall.SIGTERM)
	}
	return live.ErrIdle
}

// Problem is why the last run came to nothing, or "".
func (r *runner) Problem() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.problem
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
