package family

import (
	"context"
	"io"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/feed"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// endTime is how long a run that has ended waits for who reads its feed.
const endTime = 2 * time.Second

// telling tells the process that began this run, if it wants to know, what the run is doing. A nil *telling tells nobody.
type telling struct {
	writer *feed.Writer

	mu      sync.Mutex // guards what has ended; the loop writes, the writer's goroutine reads
	ended   map[string]runlog.Outcome
	reading sync.WaitGroup // of commands
	control io.Closer      // nil: there are none
}

// tell begins to tell of a run, and to do what comes as commands: a stop of all ends it as SIGTERM does, by end.
func (r *runCommand) tell(j *job, this runlog.Run, end context.CancelCauseFunc) (*telling, error) {
	if r.Feed == 0 {
		return nil, nil
	}
	out, err := inherited("--feed", r.Feed)
	if err != nil {
		return nil, err
	}
	t := &telling{ended: map[string]runlog.Outcome{}}
	if r.Control != 0 {
		control, err := inherited("--control", r.Control)
		if err != nil {
			return nil, err
		}
		t.control = control
		t.reading.Go(func() { j.stops.obey(control, func() { end(&cli.SignalError{Signal: syscall.SIGTERM}) }) })
	}
	begun := feed.Run{At: this.At, Process: os.Getpid(), Total: len(this.Authorities), Source: string(this.Source)}
	t.writer = feed.NewWriter(out, begun, func() []feed.Status { return t.statuses(j) })
	return t, nil
}

// inherited opens a pipe that a parent has left to this process. Closing it ends a read or a write that waits. No child of this process gets it.
func inherited(flag string, fd int) (*os.File, error) {
	var stat syscall.Stat_t
	err := syscall.Fstat(fd, &stat)
	if err == nil && stat.Mode&syscall.S_IFMT == syscall.S_IFIFO {
		syscall.CloseOnExec(fd)
		if err = syscall.SetNonblock(fd, true); err == nil {
			return os.NewFile(uintptr(fd), flag), nil
		}
	}
	return nil, &scraperutils.ConfigError{Name: flag, Value: strconv.Itoa(fd), Accepted: "the number of a pipe that this process has inherited"}
}

// end tells how the run ended, and ends all that was begun.
func (t *telling) end(j *job, code int, cause string) {
	if t == nil {
		return
	}
	t.mu.Lock()
	for label, o := range j.result.outcomes { // with the doubts about all
		t.ended[label] = o
	}
	t.mu.Unlock()
	t.writer.End(feed.End{At: time.Now(), ExitCode: code, Cause: cause}, endTime)
	if t.control != nil {
		_ = t.control.Close() // nothing is read from it any more
	}
	t.reading.Wait()
}

// outcome keeps what became of a site in an attempt.
func (t *telling) outcome(o runlog.Outcome) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended[o.Authority] = o
}

// event tells of requests that were answered.
func (t *telling) event(j *job, e scraperutils.Event) {
	if t == nil || e.Kind != scraperutils.EventAnswered || e.Request == nil {
		return
	}
	v := j.attempt.visits[e.Label]
	if v == nil {
		return
	}
	r := feed.Request{
		At: e.Time, Label: e.Label, Method: e.Request.Method, URL: v.sink.secrets.Hide(scraperutils.ShownURL(e.Request.URL), "<REDACTED>"),
		Status: e.Status, Took: e.Took,
	}
	r.Error = errorText(v.sink.plain(e.Err))
	t.writer.Answered(r)
}

// statuses is what all sites of the attempt are doing.
func (t *telling) statuses(j *job) (all []feed.Status) {
	snapshot := j.scheduler.Snapshot()
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, o := range snapshot {
		s := feed.Status{
			Label: o.Label, State: stateOf(o.State), Rule: o.Wait.Rule, Until: o.Wait.Until.Round(0), Since: o.Since.Round(0),
			Requests: o.Pages, Records: o.Records, Usual: feed.Seconds(j.screen.progress.usual[o.Label].Seconds()),
		}
		if o.Host.Name != "" {
			s.Host = o.Host.String()
		}
		if outcome, known := t.ended[o.Label]; s.State == feed.Done && known {
			s.Rule, s.Until, s.Verdict = "", time.Time{}, string(outcome.Verdict)
			if outcome.Verdict.Bad() {
				s.State, s.Error = feed.Failed, errorText(outcome.Err)
			}
		}
		all = append(all, s)
	}
	return all
}

// stateOf says what an operation is doing in the words of a feed.
func stateOf(s scheduler.State) feed.State {
	switch s {
	case scheduler.StateRegistered:
		return feed.Queued
	case scheduler.StateWaiting:
		return feed.Waiting
	case scheduler.StateRequesting:
		return feed.Asking
	case scheduler.StateEnded, scheduler.StateLeft:
		return feed.Done
	default:
		return feed.Reading
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
