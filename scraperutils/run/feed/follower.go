package feed

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"time"
)

// How often a Follower looks for a run.
const (
	lookEvery   = 200 * time.Millisecond
	expectEvery = 20 * time.Millisecond // one that is about to begin
)

// ErrNobody says that there is no run to which anything could be said.
var ErrNobody = errors.New("no run is followed")

// Follower tells a Hub of the runs of a database, one after the other, wherever they were begun. Its methods may be called from any goroutine.
type Follower struct {
	hub  *Hub
	path string
	wake chan struct{} // has room for one

	mu        sync.Mutex // guards the rest
	run       net.Conn   // that is followed; nil: none
	expecting bool       // a run is about to begin
}

// NewFollower returns a Follower of the runs that listen at a path.
func NewFollower(path string, hub *Hub) *Follower {
	return &Follower{hub: hub, path: path, wake: make(chan struct{}, 1)}
}

// Follow follows runs until the context ends.
func (f *Follower) Follow(ctx context.Context) {
	for ctx.Err() == nil {
		if c, err := dial(ctx, f.path); err == nil && f.read(ctx, c) {
			continue // it has ended, or has left this follower behind and goes on
		}
		f.hub.CutOff() // if a run went on
		select {
		case <-time.After(f.pause()):
		case <-f.wake:
		case <-ctx.Done():
		}
	}
}

// read follows one run, and reports whether it told anything, in words that were understood.
func (f *Follower) read(ctx context.Context, c net.Conn) bool {
	f.set(c)
	ended := context.AfterFunc(ctx, func() { _ = c.Close() })
	defer func() {
		ended()
		f.set(nil)
		_ = c.Close() // nothing was written since
	}()
	said := &counter{Reader: c}
	err := f.hub.Read(said)
	return err == nil || errors.Is(err, ErrCutOff) && said.bytes > 0
}

// counter counts what is read.
type counter struct {
	io.Reader
	bytes int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.bytes += int64(n)
	return n, err
}

func (f *Follower) set(c net.Conn) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.run = c
}

func (f *Follower) pause() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.expecting {
		return expectEvery
	}
	return lookEvery
}

// Expect says that a run is about to begin, or no longer, so that one that is short is not missed.
func (f *Follower) Expect(expecting bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.expecting = expecting
	select {
	case f.wake <- struct{}{}:
	default: // it is awake
	}
}

// Stop tells the run to end, or one of its operations for a label. It returns ErrNobody where no run is followed.
func (f *Follower) Stop(label string) error {
	f.mu.Lock()
	c := f.run
	f.mu.Unlock()
	if c == nil {
		return ErrNobody
	}
	if strings.ContainsAny(label, "\r\n") {
		return errors.New("a label is one line")
	}
	_ = c.SetWriteDeadline(time.Now().Add(writeTime)) // a write that fails says so
	_, err := io.WriteString(c, strings.TrimSpace("stop "+label)+"\n")
	return err
}
