package crawl

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"
)

// How workers of one frontier know of each other.
const (
	announceEvery = 2 * time.Second
	leaveTime     = 2 * time.Second // for the last word
)

// MissingAfter is how long a live worker may be silent. After that, others no longer count its hosts when they share theirs.
const MissingAfter = 5 * announceEvery

// ErrStopped is returned by a worker that was told to stop through its frontier.
var ErrStopped = errors.New("told to stop")

// crew is what a worker tells and knows of the others.
type crew struct {
	round  *round
	since  time.Time
	stop   context.CancelCauseFunc // of the run
	done   atomic.Int64            // visits that are over
	failed atomic.Int64            // of them
	excess int                     // hosts beyond the share, at the last look; of the goroutine that announces
	share  atomic.Int64            // hosts that are this worker's, where others want some too; 0: as many as it has places for
}

// run announces the worker until ctx ends. Then it leaves.
func (c *crew) run(ctx context.Context) {
	ticker := time.NewTicker(announceEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			c.announce(ctx)
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTime)
			defer cancel()
			_ = c.round.worker.Frontier.Leave(last, c.round.worker.Name) // who does not manage to is missed after some seconds
			return
		}
	}
}

// announce says that the worker is there, ends the run where it is told to, and takes in who else is there.
func (c *crew) announce(ctx context.Context) {
	w := c.round.worker
	now := time.Now()
	stop, err := w.Frontier.Announce(ctx, now, WorkerStatus{
		Name: w.Name, Since: c.since, Hosts: c.round.count(), Done: int(c.done.Load()), Failed: int(c.failed.Load()),
	})
	var all []WorkerStatus
	if err == nil {
		all, err = w.Frontier.Workers(ctx, now)
	}
	if err != nil {
		if ctx.Err() == nil {
			w.OnTrouble(err)
		}
		return
	}
	if stop {
		c.stop(ErrStopped)
	}
	c.share.Store(int64(shareOf(all, now)))
	excess := c.surplus()
	c.round.yield(min(excess, c.excess)) // what the others have said is some seconds old: that of one look may be none
	c.excess = excess
}

// shareOf is how many hosts are one worker's of those that all have. Who is about to stop, and who is silent, has none. One that is
// alone has no share: all is its own.
func shareOf(all []WorkerStatus, now time.Time) int {
	workers, hosts := 0, 0
	for _, w := range all {
		if !w.Stop && now.Sub(w.Seen) <= MissingAfter {
			workers++
			hosts += w.Hosts
		}
	}
	if workers < 2 {
		return 0
	}
	return max((hosts+workers-1)/workers, 1)
}

// surplus is how many hosts are to be left to others. A few too many of a large share are none: they come and go.
func (c *crew) surplus() int {
	share, held := int(c.share.Load()), c.round.count()
	if share == 0 || held <= share+share/8 {
		return 0
	}
	return held - share
}

// below is how many more hosts would be this worker's share; all: it has none, and may take what it has places for.
func (c *crew) below() (n int, all bool) {
	share := int(c.share.Load())
	return max(share-c.round.count(), 0), share == 0
}

// visited counts a visit.
func (c *crew) visited(state State) {
	switch state {
	case StateFailed:
		c.failed.Add(1)
		fallthrough
	case StateDone, StateReady:
		c.done.Add(1)
	case StateRetry:
	}
}

// yield has some hosts given back, those with the most left to do: they are worth another worker's while.
func (r *round) yield(n int) {
	if n == 0 {
		return
	}
	r.mu.Lock()
	runs := make([]*hostRun, 0, len(r.runs))
	for _, h := range r.runs {
		if !h.yielded() {
			runs = append(runs, h)
		} else {
			n--
		}
	}
	r.mu.Unlock()
	slices.SortFunc(runs, func(a, b *hostRun) int { return b.lease.Waiting - a.lease.Waiting })
	for _, h := range runs[:min(max(n, 0), len(runs))] {
		close(h.left)
	}
}

// yielded reports whether the host is to be left to another worker.
func (h *hostRun) yielded() bool {
	select {
	case <-h.left:
		return true
	default:
		return false
	}
}

// appetite is how many hosts are asked for at a time. A worker below its share asks for the rest of it at once. One that has its share
// leaves what comes due to the others for a moment, and takes what nobody wants: first little, then twice as much each time.
type appetite struct {
	crew  *crew
	extra int // that are asked for beyond the share
}

const (
	firstExtra = 4
	extraPause = 200 * time.Millisecond // between two times, so that others may come in between
)

// ask returns how many hosts to ask for, where there is room for some.
func (a *appetite) ask(room int) int {
	below, all := a.crew.below()
	switch {
	case all:
		return room
	case below > 0:
		return min(below, room)
	}
	return min(max(a.extra, firstExtra), room)
}

// fed takes in how many were given of those that were asked for.
func (a *appetite) fed(asked, given int) {
	if below, all := a.crew.below(); asked == 0 || given < asked || all || below > 0 {
		a.extra = firstExtra
	} else {
		a.extra = 2 * asked
	}
}

// politely is how long a host that is due is left to others.
func (a *appetite) politely() time.Duration {
	if below, all := a.crew.below(); all || below > 0 {
		return 0
	}
	return probe
}
