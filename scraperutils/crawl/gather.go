package crawl

import (
	"iter"
	"time"
)

// Groups of visits that are stored and counted together. A commit costs little more for many than for a few, because it writes whole
// pages of the frontier's file.
const (
	groupSize  = 2048
	groupBytes = maxWaiting / 3         // of pages
	groupPause = 50 * time.Millisecond  // while it gathers
	groupLarge = 256                    // so many reports by then wait for more, unless their pages take room
	groupLong  = 150 * time.Millisecond // in all
	groupRush  = 10 * time.Millisecond  // where hosts wait for its commit
	groupHosts = 16                     // one such host in so many reports
	groupHolds = 0.125                  // of the requests that may be in flight at once: where so many wait for a commit, it does not wait
	inboxSize  = 512
)

// group is reports whose pages are stored together.
type group struct {
	reports []*pending
	waiting int   // of them: hosts that wait for the commit
	sent    int   // requests that count as in flight until then
	bytes   int   // of pages
	full    bool  // of pages: it is stored without those that are right behind, and counted with them
	err     error // why its pages are not stored
}

func (g *group) add(p *pending) {
	g.reports = append(g.reports, p)
	g.bytes += p.size()
	g.full = g.bytes >= groupBytes
	if p.reply != nil {
		g.waiting++
	}
	if p.visit != nil && p.visit.sent {
		g.sent++
	}
}

// gather waits for a report and takes those that come within the pause; none: there are no more.
func (c *committer) gather() (g group) {
	look := time.NewTicker(groupRush)
	look.Stop()
	defer look.Stop()
	defer func() { c.size = len(g.reports) }()
	g.reports = make([]*pending, 0, c.size)
	var began time.Time
	for !c.enough(&g) {
		select {
		case p, ok := <-c.inbox:
			if !ok {
				return g
			}
			g.add(p)
			if len(g.reports) == 1 {
				began = time.Now()
				look.Reset(groupRush)
			}
		case <-look.C:
			var due bool
			if due, g.full = g.due(time.Since(began)); due {
				return g
			}
		}
	}
	return g
}

// due reports whether a group that has gathered for so long is to be stored, and whether it then counts as full, as a large one with pages
// does.
func (g *group) due(gathered time.Duration) (due, full bool) {
	large := len(g.reports) >= groupLarge
	switch {
	case g.waiting*groupHosts >= len(g.reports), gathered >= groupLong:
		return true, false
	case gathered < groupPause:
		return false, false
	}
	return !large || g.bytes > 0, large && g.bytes > 0
}

// enough reports whether a group is to be stored as it is. Where so many requests are held that others wait for them, that is what is
// there.
func (c *committer) enough(g *group) bool {
	return g.full || len(g.reports) >= groupSize || c.pressing(g.sent) && len(c.inbox) == 0
}

// joined yields the reports of groups, of several where one was full, for the frontier's commits cost more than their visits.
func (c *committer) joined(groups <-chan group) iter.Seq2[[]*pending, error] {
	return func(yield func([]*pending, error) bool) {
		for g := range groups {
			reports, err := g.reports, g.err
			for timer := time.After(groupLong); err == nil && len(reports) < groupSize && c.more(g); {
				select {
				case g = <-groups: // the zero one where there are no more
					reports, err = append(reports, g.reports...), g.err
				case <-timer:
					g.full = false
				}
			}
			if !yield(reports, err) {
				return
			}
		}
	}
}

// more reports whether a commit is to wait for those that come right behind a group.
func (c *committer) more(g group) bool { return g.full && !c.pressing(c.worker.Scheduler.Held()) }

// pressing reports whether so many requests wait for a commit that others may wait for them.
func (c *committer) pressing(held int) bool {
	return float64(held) >= groupHolds*float64(c.worker.Scheduler.MaxRequests())
}
