package feed

import (
	"bufio"
	"net"
	"slices"
	"strings"
	"sync"
	"time"
)

// Every is how often a Teller tells what has changed.
const Every = 500 * time.Millisecond

// What a Teller bears.
const (
	mostFollowers  = 8
	mostPending    = 1000             // requests between two lines
	longestCommand = 4 << 10          // bytes
	writeTime      = 10 * time.Second // that a follower may take for one line
)

// Teller tells followers of a run. Its methods may be called from any goroutine; only End waits.
type Teller struct {
	hub      *Hub
	listener net.Listener
	snapshot func() []Status
	obey     func(label string)
	end      chan End          // has room for the one
	all      sync.WaitGroup    // goroutines
	told     map[string]Status // what the hub knows; owned by the goroutine that tells

	mu          sync.Mutex // guards the rest
	requests    []Request
	dropped     int
	connections []net.Conn
}

// NewTeller begins to tell of a run all who connect to the listener, a few at a time. The teller's own goroutine asks snapshot what all
// operations are doing. For the command "stop" it calls obey with "", for "stop LABEL" with the label, one at a time for each follower. The
// owner must call End, which closes the listener.
func NewTeller(listener net.Listener, run Run, snapshot func() []Status, obey func(label string)) *Teller {
	t := &Teller{hub: NewHub(), listener: listener, snapshot: snapshot, obey: obey, end: make(chan End, 1), told: map[string]Status{}}
	t.hub.take(Line{Run: &run})
	t.all.Go(t.tell)
	t.all.Go(t.accept)
	return t
}

// Answered tells of a request that was answered.
func (t *Teller) Answered(r Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.requests) >= mostPending {
		t.dropped++
		return
	}
	t.requests = append(t.requests, r)
}

// End closes the listener, tells the rest and how the run ended, and waits until followers know. One that does not take it in time is left
// without.
func (t *Teller) End(end End, patience time.Duration) {
	_ = t.listener.Close() // who comes now is too late
	t.end <- end
	impatience := time.AfterFunc(patience, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		for _, c := range t.connections {
			_ = c.Close()
		}
	})
	defer impatience.Stop()
	t.all.Wait()
}

// tell tells the hub what has changed until the run ends.
func (t *Teller) tell() {
	ticker := time.NewTicker(Every)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			t.take()
		case end := <-t.end:
			t.take()
			t.hub.take(Line{End: &end})
			return
		}
	}
}

// take tells what has come since it was called before.
func (t *Teller) take() {
	line := Line{}
	for _, s := range t.snapshot() {
		if t.told[s.Label] != s {
			t.told[s.Label] = s
			line.Statuses = append(line.Statuses, s)
		}
	}
	t.mu.Lock()
	line.Requests, line.Dropped = t.requests, t.dropped
	t.requests, t.dropped = nil, 0
	t.mu.Unlock()
	if !line.says() {
		return
	}
	for _, part := range line.inParts() {
		t.hub.take(part)
	}
}

// accept takes followers in until the listener is closed.
func (t *Teller) accept() {
	for {
		c, err := t.listener.Accept()
		if err != nil {
			return
		}
		if !t.add(c) {
			_ = c.Close() // it may come again
			continue
		}
		t.all.Go(func() {
			t.serve(c)
			t.remove(c)
		})
	}
}

func (t *Teller) add(c net.Conn) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.connections) >= mostFollowers {
		return false
	}
	t.connections = append(t.connections, c)
	return true
}

func (t *Teller) remove(c net.Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.connections = slices.DeleteFunc(t.connections, func(other net.Conn) bool { return other == c })
}

// serve tells a follower all that is known and what comes, and does what it says, until the run ends or the follower has gone.
func (t *Teller) serve(c net.Conn) {
	gone := make(chan struct{})
	defer func() {
		_ = c.Close() // which ends the reading
		<-gone
	}()
	go func() {
		defer close(gone)
		t.listen(c)
	}()
	first, s := t.hub.subscribeWhole()
	defer t.hub.Unsubscribe(s)
	for _, part := range first {
		if !write(c, newMessage(part)) || part.End != nil {
			return
		}
	}
	for {
		select {
		case m, ok := <-s.Lines:
			if !ok || !write(c, m) || m.End != nil {
				return
			}
		case <-gone:
			return
		}
	}
}

// write writes a line, and reports whether the follower has taken it.
func write(c net.Conn, m *Message) bool {
	_ = c.SetWriteDeadline(time.Now().Add(writeTime)) // a write that fails says so
	_, err := c.Write(append(slices.Clone(m.JSON()), '\n'))
	return err == nil
}

// listen does what a follower says. Other lines do nothing; one that is too long ends the connection.
func (t *Teller) listen(c net.Conn) {
	lines := bufio.NewScanner(c)
	lines.Buffer(nil, longestCommand)
	for lines.Scan() {
		if label, one := strings.CutPrefix(lines.Text(), "stop "); one && label != "" {
			t.obey(label)
		} else if lines.Text() == "stop" {
			t.obey("")
		}
	}
}
