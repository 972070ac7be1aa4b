package crawl

import "strings"

// Tally counts the URLs of a host in each state.
type Tally struct {
	Pending  int // not finished, including those that retry
	Retrying int
	Done     int
	Failed   int
}

// All returns how many URLs the host has.
func (t Tally) All() int { return t.Pending + t.Done + t.Failed }

// Totals holds what a driver counts over all hosts, by name: everything in Counts that does not depend on the time.
type Totals map[string]int

// These are the names. Failures are also counted by the first word of their reason.
const (
	TotalHosts    = "hosts"
	totalPending  = "pending"
	totalRetrying = "retrying"
	totalDone     = "done"
	totalFailed   = "failed"
	failedBy      = "failed:"
)

// Count adds a URL of a host to the count of a state, or removes it if n is -1.
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

// Counts returns the totals of a frontier with the given numbers of leased hosts and ready URLs.
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
