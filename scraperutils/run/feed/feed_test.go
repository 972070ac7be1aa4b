package feed_test

import (
	"errors"
	"fmt"
	"io"
	"os"
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

// What a run does is known at the other end within half a second, and its end is known at once.
func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var run operations
		run.set(feed.Status{Label: "kyogle", State: feed.Waiting, Rule: "crawl-delay"}, feed.Status{Label: "hobart", State: feed.Queued})
		reader, pipe := io.Pipe()
		hub := feed.NewHub()
		var ended error
		var reading sync.WaitGroup
		reading.Go(func() { ended = hub.Read(reader) })
		w := feed.NewWriter(pipe, feed.Run{Process: 7, Total: 2}, run.snapshot)
		time.Sleep(feed.Every)
		synctest.Wait()
		assert.Equal(t, 7, hub.Picture().Run.Process)
		assert.Equal(t, run.snapshot(), hub.Picture().Statuses)

		picture, all := hub.Subscribe("")
		assert.Len(t, picture.Statuses, 2)
		_, one := hub.Subscribe("hobart")
		w.Answered(feed.Request{Label: "hobart", URL: "http://h/", Status: 200})
		w.Answered(feed.Request{Label: "kyogle", URL: "http://k/", Status: 200})
		run.set(feed.Status{Label: "kyogle", State: feed.Asking}, feed.Status{Label: "hobart", State: feed.Queued})
		time.Sleep(feed.Every)
		synctest.Wait()
		assert.Equal(t, feed.Line{Statuses: []feed.Status{{Label: "kyogle", State: feed.Asking}}}, <-all.Lines, "only what has changed")
		assert.Equal(t, feed.Line{Requests: []feed.Request{{Label: "hobart", URL: "http://h/", Status: 200}}}, <-one.Lines, "only what is asked for")
		assert.Len(t, hub.Requests("kyogle"), 1)

		run.set(feed.Status{Label: "kyogle", State: feed.Done}, feed.Status{Label: "hobart", State: feed.Failed})
		w.End(feed.End{ExitCode: 1}, time.Minute)
		reading.Wait()
		assert.NoError(t, ended)
		assert.Equal(t, 1, hub.Picture().End.ExitCode)
		assert.Equal(t, feed.Failed, hub.Picture().Statuses[1].State)
		hub.Unsubscribe(all)
		hub.Unsubscribe(one)
	})
}

// A run does not wait for a reader that takes nothing, neither while it goes on nor when it ends.
func TestReaderThatTakesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, pipe := io.Pipe()
		w := feed.NewWriter(pipe, feed.Run{}, func() []feed.Status { return nil })
		for range 100_000 {
			w.Answered(feed.Request{Label: "kyogle"})
		}
		began := time.Now()
		w.End(feed.End{}, 2*time.Second)
		assert.Equal(t, 2*time.Second, time.Since(began))
	})
}

// What a slow reader did not get is counted.
func TestRequestsThatAreLeftOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reader, pipe := io.Pipe()
		w := feed.NewWriter(pipe, feed.Run{}, func() []feed.Status { return nil })
		for range 1500 {
			w.Answered(feed.Request{Label: "kyogle"})
		}
		go w.End(feed.End{}, time.Minute)
		text, err := io.ReadAll(reader)
		require.NoError(t, err)
		assert.Contains(t, string(text), `"dropped":500`)
	})
}

// A reader that goes away ends nothing but the feed.
func TestReaderThatGoesAway(t *testing.T) {
	reader, pipe, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, reader.Close())
	w := feed.NewWriter(pipe, feed.Run{}, func() []feed.Status { return nil })
	w.Answered(feed.Request{Label: "kyogle"})
	w.End(feed.End{}, time.Minute)
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
			assert.True(t, hub.Picture().CutOff)
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
	assert.Len(t, hub.Requests("kyogle"), 50)
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

func ExampleHub() {
	hub := feed.NewHub()
	reader, pipe := io.Pipe()
	w := feed.NewWriter(pipe, feed.Run{Total: 1}, func() []feed.Status { return []feed.Status{{Label: "kyogle", State: feed.Done, Records: 12}} })
	go w.End(feed.End{}, time.Second)
	if err := hub.Read(reader); err != nil {
		panic(err)
	}
	for _, s := range hub.Picture().Statuses {
		fmt.Println(s.Label, s.State, s.Records)
	}
	// Output: kyogle done 12
}
