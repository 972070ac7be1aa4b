package crawl

import "strings"

// Tally is how many URLs of a host are in each state.
type Tally struct {
	Pending  int // not finished, those that retry among them
	Retrying int
	Done     int
	Failed   int
}

// All is how many URLs the host has.
func (t Tally) All() int { return t.Pending + t.Done + t.Failed }

// Totals is what a driver counts of all hosts, by name: its Counts, but what depends on the time.
type Totals map[string]int

// The names. Failures are counted by the first word of their reason, too.
const (
	TotalHosts    = "hosts"
	totalPending  = "pending"
	totalRetrying = "retrying"
	totalDone     = "done"
	totalFailed   = "failed"
	failedBy      = "failed:"
)

// Count counts a URL of a host into a state, or out of it where n is -1.
func (t Totals) Count(h *Tally, state State, reason string, n int) {
	switch state {
	case StateRetry:
		h.Retrying += n
		t[totalRetrying] += n
		fallthrough
	case StateReady:
		h.Pending += n
		t[totalPending] += n
	case StateDone:
		h.Done += n
		t[totalDone] += n
	case StateFailed:
		h.Failed += n
		t[totalFailed] += n
		t[failedBy+ReasonWord(reason)] += n
	}
}

// Counts returns the totals of a frontier, in which so many hosts are leased and so many URLs are ready.
func (t Totals) Counts(leased, ready int) Counts {
	c := Counts{
		Hosts: t[TotalHosts], Leased: leased, Ready: ready, Waiting: t[totalPending] - ready,
		Retrying: t[totalRetrying], Done: t[totalDone], Failed: t[totalFailed], FailedBy: map[string]int{},
	}
	for name, n := range t {
		if word, ok := strings.CutPrefix(name, failedBy); ok && n != 0 {
			c.FailedBy[word] = n
		}
	}
	return c
}
