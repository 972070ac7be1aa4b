package cdp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/browser/cdp"
)

// fake is the browser's side of a connection.
type fake struct {
	t        *testing.T
	commands *bufio.Reader
	to       io.WriteCloser
}

// connect returns both sides of a connection.
func connect(t *testing.T) (*cdp.Conn, *fake) {
	theirs, ours := io.Pipe()
	back, to := io.Pipe()
	c := cdp.NewConn(back, ours)
	f := &fake{t, bufio.NewReader(theirs), to}
	t.Cleanup(func() { _ = to.Close(); c.Close() })
	return c, f
}

// take returns the next command.
func (f *fake) take() (command struct {
	ID        int
	SessionID string
	Method    string
	Params    map[string]any
}) {
	text, err := f.commands.ReadString(0)
	require.NoError(f.t, err)
	require.NoError(f.t, json.Unmarshal([]byte(strings.TrimSuffix(text, "\x00")), &command))
	return command
}

func (f *fake) say(text string) {
	_, err := io.WriteString(f.to, text+"\x00")
	require.NoError(f.t, err)
}

// Answers find their calls whatever their order, and a refusal is an error that says of what.
func TestCall(t *testing.T) {
	c, f := connect(t)
	navigated := make(chan error, 1)
	go func() {
		_, err := cdp.Call(t.Context(), c.Session("S"), page.Navigate, page.NavigateParams{URL: "http://a/"})
		navigated <- err
	}()
	first := f.take()
	assert.Equal(t, "S", first.SessionID)
	assert.Equal(t, "Page.navigate", first.Method)
	assert.Equal(t, "http://a/", first.Params["url"])
	version := make(chan string, 1)
	go func() {
		v, _ := cdp.Call(t.Context(), c.Browser(), browser.GetVersion, protocol.Empty{})
		version <- v.Product
	}()
	second := f.take()
	assert.Empty(t, second.SessionID)
	f.say(fmt.Sprintf(`{"id":%d,"result":{"product":"Chrome/1 \ud800","unheardOf":{"a":[1]}}}`, second.ID))
	assert.Equal(t, "Chrome/1 \ufffd", <-version, "text that is no Unicode, and names that are new")
	f.say(fmt.Sprintf(`{"id":%d,"error":{"code":-32000,"message":"Cannot navigate"},"sessionId":"S"}`, first.ID))
	var refused *cdp.Error
	require.ErrorAs(t, <-navigated, &refused)
	assert.Equal(t, "Page.navigate: Cannot navigate (-32000)", refused.Error())
}

// A call that is given up leaves nothing, and its answer harms nobody.
func TestCallIsGivenUp(t *testing.T) {
	c, f := connect(t)
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { _, err := cdp.Call(ctx, c.Browser(), browser.GetVersion, protocol.Empty{}); over <- err }()
	command := f.take()
	cancel()
	assert.ErrorIs(t, <-over, context.Canceled)
	f.say(fmt.Sprintf(`{"id":%d,"result":{}}`, command.ID))
	f.say(`{"id":99,"result":{}}`)
	go func() {
		_, err := cdp.Call(t.Context(), c.Browser(), browser.GetVersion, protocol.Empty{})
		over <- err
	}()
	f.say(fmt.Sprintf(`{"id":%d,"result":{}}`, f.take().ID))
	assert.NoError(t, <-over)
}

// Where the browser goes, every call ends, and every inbox says so.
func TestBrowserGoes(t *testing.T) {
	for name, end := range map[string]func(*fake){
		"closed":  func(f *fake) { _ = f.to.Close() },
		"no JSON": func(f *fake) { f.say("this is not JSON") },
	} {
		t.Run(name, func(t *testing.T) {
			c, f := connect(t)
			in := c.Route("C")
			over := make(chan error, 1)
			go func() {
				_, err := cdp.Call(t.Context(), c.Browser(), browser.GetVersion, protocol.Empty{})
				over <- err
			}()
			f.take()
			end(f)
			assert.ErrorIs(t, <-over, cdp.ErrClosed)
			<-in.Ready()
			_, more := in.Take()
			assert.False(t, more)
			<-c.Done()
			_, err := cdp.Call(t.Context(), c.Browser(), browser.GetVersion, protocol.Empty{})
			assert.ErrorIs(t, err, cdp.ErrClosed)
			_, more = c.Route("late").Take()
			assert.False(t, more)
		})
	}
}

const attached = `{"method":"Target.attachedToTarget","params":{"sessionId":"%s","waitingForDebugger":true,"targetInfo":{"targetId":"T","type":"page","title":"","url":"","attached":true,"canAccessOpener":false,"browserContextId":"%s"}}%s}`

// Events go to the context that their session's target is in, those of sessions below it included.
func TestEvents(t *testing.T) {
	c, f := connect(t)
	a, b := c.Route("A"), c.Route("B")
	f.say(fmt.Sprintf(attached, "a", "A", ""))
	f.say(fmt.Sprintf(attached, "b", "B", ""))
	f.say(fmt.Sprintf(attached, "a-worker", "", `,"sessionId":"a"`))
	f.say(fmt.Sprintf(attached, "x", "X", ""))
	for _, session := range []string{"a", "b", "a-worker", "x", "nobody"} {
		f.say(`{"method":"Network.loadingFinished","params":{"requestId":"` + session + `"},"sessionId":"` + session + `"}`)
	}
	f.say(`{"method":"Target.detachedFromTarget","params":{"sessionId":"a-worker"},"sessionId":"a"}`)
	f.say(`{"method":"Network.loadingFinished","params":{"requestId":"late"},"sessionId":"a-worker"}`)
	f.say(`{"method":"Network.loadingFinished","params":{"requestId":"end"},"sessionId":"b"}`)
	assert.Equal(t, []string{" Target.attachedToTarget", "b Network.loadingFinished", "b Network.loadingFinished"}, collect(t, b, 3))
	assert.Equal(t, []string{
		" Target.attachedToTarget", "a Target.attachedToTarget", "a Network.loadingFinished", "a-worker Network.loadingFinished", "a Target.detachedFromTarget",
	}, collect(t, a, 5))
	c.Forget("A")
	f.say(`{"method":"Network.loadingFinished","params":{},"sessionId":"a"}`)
	f.say(`{"method":"Network.loadingFinished","params":{},"sessionId":"b"}`)
	collect(t, b, 1)
	events, more := a.Take()
	assert.Empty(t, events)
	assert.True(t, more)
}

// collect takes n events.
func collect(t *testing.T, in *cdp.Inbox, n int) []string {
	var all []string
	for len(all) < n {
		select {
		case <-in.Ready():
		case <-time.After(time.Minute):
			require.Fail(t, "no event", "%v", all)
		}
		events, more := in.Take()
		require.True(t, more)
		for _, e := range events {
			all = append(all, string(e.Session)+" "+e.Method)
		}
	}
	return all
}

// An inbox that nobody empties does not take the machine's memory.
func TestInboxIsBounded(t *testing.T) {
	c, f := connect(t)
	in := c.Route("A")
	f.say(fmt.Sprintf(attached, "a", "A", ""))
	large := strings.Repeat("x", 4<<20)
	for range 10 {
		f.say(`{"method":"Network.dataReceived","params":{"data":"` + large + `"},"sessionId":"a"}`)
	}
	require.Eventually(t, in.Overflow, time.Minute, time.Millisecond)
	_, more := in.Take()
	assert.False(t, more)
}
