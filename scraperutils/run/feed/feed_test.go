package feed_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/run/feed"
)

// operations are what a run is doing, as a test says.
type operations struct {
	mu  sync.Mutex
	all []feed.Status
}

func (o *operations) set(all ...feed.Status) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all = all
}

func (o *operations) snapshot() []feed.Status {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]feed.Status(nil), o.all...)
}

// listener has connections without a system in between.
type listener struct {
	come   chan net.Conn
	closed chan struct{}
}

func newListener() *listener {
	return &listener{come: make(chan net.Conn), closed: make(chan struct{})}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.come:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error   { close(l.closed); return nil }
func (l *listener) Addr() net.Addr { return nil }

// connect returns the follower's end of a connection.
func (l *listener) connect() net.Conn {
	theirs, ours := net.Pipe()
	l.come <- ours
	return theirs
}

func nobody(string) {}

// What a run does is known at the other end within half a second, and its end is known at once. One that comes late knows the rest too.
func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var run operations
		run.set(feed.Status{Label: "kyogle", State: feed.Waiting, Rule: "crawl-delay"}, feed.Status{Label: "hobart", State: feed.Queued})
		l, hub, late := newListener(), feed.NewHub(), feed.NewHub()
		var reading sync.WaitGroup
		follow := func(hub *feed.Hub) {
			c := l.connect()
			reading.Go(func() { assert.NoError(t, hub.Read(c)) })
		}
		teller := feed.NewTeller(l, feed.Run{Process: 7, Total: 2}, run.snapshot, nobody)
		follow(hub)
		time.Sleep(feed.Every)
		synctest.Wait()
		assert.Equal(t, 7, hub.Picture().Run.Process)
		assert.Equal(t, run.snapshot(), hub.Picture().Statuses)

		first, all := hub.Subscribe("")
		assert.Len(t, first.Statuses, 2)
		_, one := hub.Subscribe("hobart")
		teller.Answered(feed.Request{Label: "hobart", URL: "http://h/", Status: 200})
		teller.Answered(feed.Request{Label: "kyogle", URL: "http://k/", Status: 200})
		run.set(feed.Status{Label: "kyogle", State: feed.Asking}, feed.Status{Label: "hobart", State: feed.Queued})
		time.Sleep(feed.Every)
		synctest.Wait()
		assert.Equal(t, feed.Line{Statuses: []feed.Status{{Label: "kyogle", State: feed.Asking}}}, (<-all.Lines).Line, "only what has changed")
		assert.Equal(t, []feed.Request{{Label: "hobart", URL: "http://h/", Status: 200}}, (<-one.Lines).Requests, "only what is asked for")
		first, other := hub.Subscribe("")
		assert.Equal(t, feed.Asking, first.Statuses[0].State, "as it is now")
		hub.Unsubscribe(other)
		follow(late)
		synctest.Wait()
		assert.Equal(t, hub.Picture(), late.Picture())
		assert.Equal(t, hub.Requests("kyogle"), late.Requests("kyogle"))
		assert.Len(t, late.Requests("kyogle"), 1)

		run.set(feed.Status{Label: "kyogle", State: feed.Done}, feed.Status{Label: "hobart", State: feed.Failed})
		teller.End(feed.End{ExitCode: 1}, time.Minute)
		reading.Wait()
		for _, h := range []*feed.Hub{hub, late} {
			assert.Equal(t, 1, h.Picture().End.ExitCode)
			assert.Equal(t, feed.Failed, h.Picture().Statuses[1].State)
		}
		hub.Unsubscribe(all)
		hub.Unsubscribe(one)
	})
}

// A run of many sites with many requests is told in lines that a reader takes.
func TestManySites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var run operations
		for i := range 5000 {
			run.all = append(run.all, feed.Status{Label: fmt.Sprint(i), State: feed.Asking, Error: strings.Repeat("x", 1000)})
		}
		l, hub := newListener(), feed.NewHub()
		teller := feed.NewTeller(l, feed.Run{}, run.snapshot, nobody)
		for i := range 2500 {
			teller.Answered(feed.Request{Label: fmt.Sprint(i), URL: strings.Repeat("u", 1000)})
			if i%500 == 0 {
				time.Sleep(feed.Every)
			}
		}
		var reading sync.WaitGroup
		c := l.connect()
		longest := &longest{Reader: c}
		reading.Go(func() { assert.NoError(t, hub.Read(longest)) })
		synctest.Wait()
		teller.End(feed.End{}, time.Minute)
		reading.Wait()
		assert.Len(t, hub.Picture().Statuses, 5000)
		assert.Len(t, hub.Requests("2499"), 1)
		assert.Less(t, longest.line, 4<<20, "half of what a reader takes")
	})
}

// longest knows the longest line that was read.
type longest struct {
	io.Reader
	line, now int
}

func (l *longest) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	for _, b := range p[:n] {
		if l.now++; b == '\n' {
			l.line, l.now = max(l.line, l.now), 0
		}
	}
	return n, err
}

// A follower stops the run, or one of its sites; nonsense does nothing, and a line without end ends the connection.
func TestCommands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newListener()
		var stopped []string
		teller := feed.NewTeller(l, feed.Run{}, func() []feed.Status { return nil }, func(label string) { stopped = append(stopped, label) })
		c := l.connect()
		go func() { _, _ = io.Copy(io.Discard, c) }()
		_, err := io.WriteString(c, "stop kyogle\nstart\nSTOP\nstop \nstop\n\n")
		require.NoError(t, err)
		_, err = io.WriteString(c, strings.Repeat("stop ", 10_000))
		assert.Error(t, err)
		teller.End(feed.End{}, time.Minute)
		assert.Equal(t, []string{"kyogle", ""}, stopped)
	})
}

// A run does not wait for followers that take nothing, neither while it goes on nor when it ends; only so many may follow.
func TestFollowersThatTakeNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newListener()
		teller := feed.NewTeller(l, feed.Run{}, func() []feed.Status { return nil }, nobody)
		for range 8 {
			l.connect()
		}
		_, err := l.connect().Read(make([]byte, 1))
		assert.ErrorIs(t, err, io.EOF, "the ninth")
		for range 100_000 {
			teller.Answered(feed.Request{Label: "kyogle"})
		}
		began := time.Now()
		teller.End(feed.End{}, 2*time.Second)
		assert.Equal(t, 2*time.Second, time.Since(began))
	})
}

// What comes too fast is counted.
func TestRequestsThatAreLeftOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newListener()
		teller := feed.NewTeller(l, feed.Run{}, func() []feed.Status { return nil }, nobody)
		c := l.connect()
		go func() {
			synctest.Wait() // the first line has been written
			for range 1500 {
				teller.Answered(feed.Request{Label: "kyogle"})
			}
			teller.End(feed.End{}, time.Minute)
		}()
		text, err := io.ReadAll(c)
		require.NoError(t, err)
		assert.Contains(t, string(text), `"dropped":500`)
	})
}

func TestReadRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want string
	}{
		"a process that was killed": {`{"run":{"process":1}}` + "\n", feed.ErrCutOff.Error()},
		"half a line":               {`{"run":{"proc`, "unexpected end"},
		"no JSON":                   {"hello\n", "invalid character"},
		"a line without end":        {strings.Repeat("x", 9<<20), "token too long"},
		"nothing":                   {"", feed.ErrCutOff.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			hub := feed.NewHub()
			assert.ErrorContains(t, hub.Read(strings.NewReader(c.text)), c.want)
			assert.Nil(t, hub.Picture().End)
		})
	}
}

// A subscriber that takes nothing is left behind; the others and the hub go on, and what is kept is bounded.
func TestSubscriberThatTakesNothing(t *testing.T) {
	hub := feed.NewHub()
	_, slow := hub.Subscribe("")
	reader, pipe := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- hub.Read(reader) }()
	for i := range 1000 {
		_, err := fmt.Fprintf(pipe, `{"statuses":[{"label":"kyogle","state":"asking","requests":%d}],"requests":[{"label":"kyogle"}]}`+"\n", i)
		require.NoError(t, err)
	}
	require.NoError(t, pipe.Close())
	require.True(t, errors.Is(<-ended, feed.ErrCutOff))
	n := 0
	for range slow.Lines { // it ends
		n++
	}
	assert.Less(t, n, 100)
	assert.Len(t, hub.Requests("kyogle"), 20)
	assert.Equal(t, 999, hub.Picture().Statuses[0].Requests)
}

func FuzzRead(f *testing.F) {
	f.Add(`{"run":{"process":1}}` + "\n" + `{"statuses":[{"label":"a"}]}` + "\n" + `{"end":{}}`)
	f.Add(`{"statuses":null,"requests":[{}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		hub := feed.NewHub()
		_ = hub.Read(strings.NewReader(text))
		_ = hub.Picture()
	})
}

func ExampleFollower() {
	folder, err := os.MkdirTemp("", "run")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "data.sqlite"+feed.Suffix)

	// One process runs.
	listener, err := feed.Listen(path)
	if err != nil {
		panic(err)
	}
	stop := make(chan string)
	teller := feed.NewTeller(listener, feed.Run{Total: 1}, func() []feed.Status {
		return []feed.Status{{Label: "kyogle", State: feed.Done, Records: 12}}
	}, func(label string) { stop <- label })

	// Another one follows it.
	hub := feed.NewHub()
	_, news := hub.Subscribe("")
	follower := feed.NewFollower(path, hub)
	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	go follower.Follow(ctx)
	<-news.Lines // the run has begun
	if err := follower.Stop("kyogle"); err != nil {
		panic(err)
	}

	fmt.Println("stop", <-stop)
	teller.End(feed.End{}, time.Second)
	for message := range news.Lines {
		for _, s := range message.Statuses {
			fmt.Println(s.Label, s.State, s.Records)
		}
		if message.End != nil {
			break
		}
	}
	// Output:
	// stop kyogle
	// kyogle done 12
}
