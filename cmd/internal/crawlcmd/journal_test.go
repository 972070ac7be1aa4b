package crawlcmd_test

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// journal is the requests that hosts have seen. Its methods may be called from any goroutine.
type journal struct {
	mu   sync.Mutex // guards the rest
	seen []seen
}

// seen is one request as its host saw it.
type seen struct {
	url, host, agent string
	status           int
	began, ended     time.Time
}

func (j *journal) note(s seen) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.seen = append(j.seen, s)
}

func (j *journal) total() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.seen)
}

// byHost returns all requests, host by host, in the order of time.
func (j *journal) byHost() []seen {
	j.mu.Lock()
	defer j.mu.Unlock()
	all := slices.Clone(j.seen)
	slices.SortFunc(all, func(a, b seen) int { return cmp.Or(cmp.Compare(a.host, b.host), a.began.Compare(b.began)) })
	return all
}

// least returns the least time from an answer's end to the next request of its host; below zero they overlapped.
func (j *journal) least() time.Duration {
	all, least := j.byHost(), time.Hour
	for i := range len(all) - 1 {
		if a, b := all[i], all[i+1]; a.host == b.host {
			least = min(least, b.began.Sub(a.ended))
		}
	}
	return least
}

// silence returns the longest time without a request to any host, between two times.
func (j *journal) silence(from, until time.Time) (longest time.Duration) {
	j.mu.Lock()
	defer j.mu.Unlock()
	times := []time.Time{from, until}
	for _, s := range j.seen {
		if s.began.After(from) && s.began.Before(until) {
			times = append(times, s.began)
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	for i := range len(times) - 1 {
		longest = max(longest, times[i+1].Sub(times[i]))
	}
	return longest
}

// agents returns how many requests came from each worker.
func (j *journal) agents() map[string]int {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := map[string]int{}
	for _, s := range j.seen {
		n[s.agent]++
	}
	return n
}
