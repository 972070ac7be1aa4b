package family

import (
	"context"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/cmd/internal/panel"
	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/feed"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

const (
	endTime  = 2 * time.Second // that a run which has ended waits for who follows it
	longText = 1000            // bytes of an error or a URL that followers are told
)

// telling tells who follows this run what it is doing. A nil *telling tells nobody.
type telling struct {
	teller *feed.Teller

	mu     sync.Mutex // guards the rest; the loop and the job write, the teller's goroutine reads
	began  time.Time  // the attempt
	ended  map[string]runlog.Outcome
	asked  map[string]int // requests of those that have ended in this attempt
	before map[string]int // and of all in the attempts before
}

// tell begins to tell of a run, and to do what its followers say: a stop of all ends it as SIGTERM does, by end. A run that nobody can
// follow goes on all the same.
func (r *runCommand) tell(j *job, this runlog.Run, end context.CancelCauseFunc) *telling {
	listener, err := r.listen()
	if err != nil {
		j.screen.log.Warn().Err(err).Msg("nobody can follow this run")
		return nil
	}
	t := &telling{began: time.Now(), ended: map[string]runlog.Outcome{}, asked: map[string]int{}, before: map[string]int{}}
	begun := feed.Run{At: this.At, Process: os.Getpid(), Total: len(this.Authorities), Source: string(this.Source)}
	t.teller = feed.NewTeller(listener, begun, func() []feed.Status { return t.statuses(j) }, func(label string) {
		switch {
		case label == "":
			end(&cli.SignalError{Signal: syscall.SIGTERM})
		case slices.Contains(this.Authorities, label):
			j.stops.stop(label)
		}
	})
	return t
}

// listen makes the socket beside the database, which this process has locked.
func (r *runCommand) listen() (net.Listener, error) {
	path, err := db.Beside(r.database(), feed.Suffix)
	if err != nil {
		return nil, err
	}
	return feed.Listen(path)
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
	t.teller.End(feed.End{At: time.Now(), ExitCode: code, Cause: cause}, endTime)
}

// attempt says that an attempt begins.
func (t *telling) attempt() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.began = time.Now()
	for label, n := range t.asked {
		t.before[label] += n
	}
	clear(t.asked)
}

// outcome keeps what became of a site in an attempt.
func (t *telling) outcome(o runlog.Outcome) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended[o.Authority] = runlog.Merged(t.ended[o.Authority], o)
	t.asked[o.Authority] = o.Requests
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
	t.teller.Answered(feed.Request{
		At: e.Time, Label: e.Label, Method: e.Request.Method, Status: e.Status, Took: e.Took, Error: errorText(v.sink.plain(e.Err)),
		URL: shortened(v.sink.secrets.Hide(scraperutils.ShownURL(e.Request.URL), "<REDACTED>")),
	})
}

// statuses is what all sites of the run are doing.
func (t *telling) statuses(j *job) (all []feed.Status) {
	snapshot := j.scheduler.Snapshot()
	t.mu.Lock()
	defer t.mu.Unlock()
	going := make(map[string]bool, len(snapshot))
	for _, o := range snapshot {
		outcome, ended := t.ended[o.Label]
		if going[o.Label] = !ended || stateOf(o.State) != feed.Done; going[o.Label] {
			all = append(all, t.status(o, j.screen.progress.usual[o.Label], outcome.Saved))
		}
	}
	for _, e := range j.entries { // those of attempts before, too
		if o, ended := t.ended[e.Label]; ended && !going[e.Label] {
			all = append(all, t.final(o))
		}
	}
	return all
}

// status is what a site that has not ended is doing. Earlier attempts have saved so many records. The caller holds the lock.
func (t *telling) status(o scheduler.OperationStatus, usual time.Duration, saved int) feed.Status {
	s := feed.Status{
		Label: o.Label, State: stateOf(o.State), Rule: panel.Meaning(o.Wait.Rule), Until: o.Wait.Until.Round(0), Since: o.Since.Round(0),
		Expected: panel.Expected(o, t.began, usual).Round(0), Requests: t.before[o.Label] + o.Pages, Records: max(saved, o.Records),
	}
	if o.Host.Name != "" {
		s.Host = o.Host.String()
	}
	return s
}

// final is what became of a site. The caller holds the lock.
func (t *telling) final(o runlog.Outcome) feed.Status {
	s := feed.Status{Label: o.Authority, State: feed.Done, Requests: t.before[o.Authority] + t.asked[o.Authority], Records: o.Saved, Verdict: string(o.Verdict)}
	if o.Verdict.Bad() {
		s.State, s.Error = feed.Failed, errorText(o.Err)
	}
	return s
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
	return shortened(err.Error())
}

// shortened is the beginning of a text that is long.
func shortened(text string) string {
	if len(text) <= longText {
		return text
	}
	return strings.ToValidUTF8(text[:longText], "") + "…"
}
