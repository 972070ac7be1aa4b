package pagetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Window is the browser's window while a test uses it.
type Window struct {
	t testing.TB
	*browser
	loaded map[string]bool // the documents that have, by loader
	quiet  bool            // what the browser complains of is no failure
}

// Open returns the window, wide and light, once no other test uses it, or skips the test where there is no browser. What the browser
// complains of fails the test.
func Open(t testing.TB) *Window {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: the page is not tried in a browser")
	}
	b, err := chromium()
	if errors.Is(err, errNoBrowser) {
		t.Skip("no chromium in PATH: the page is not tried in a browser")
	}
	require.NoError(t, err)
	b.turn.Lock()
	t.Cleanup(b.turn.Unlock)
	w := &Window{t: t, browser: b, loaded: map[string]bool{}}
	t.Cleanup(func() { w.Visit("about:blank") }) // before its server ends
	if b.session == "" {
		w.openWindow()
	}
	w.Look(1280, false)
	return w
}

// Look makes the window so wide, and light or dark.
func (w *Window) Look(width int, dark bool) {
	w.t.Helper()
	w.Call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": false}, nil)
	w.Call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{
		{"name": "prefers-color-scheme", "value": map[bool]string{true: "dark", false: "light"}[dark]},
	}}, nil)
}

// Of returns the window for a part of a test.
func (w *Window) Of(t testing.TB) *Window {
	return &Window{t: t, browser: w.browser, loaded: w.loaded}
}

// Quietly returns the window, of which the browser may complain from now on.
func (w *Window) Quietly() *Window {
	w.quiet = true
	return w
}

func (w *Window) openWindow() {
	w.t.Helper()
	var target struct{ TargetID, SessionID string }
	w.Call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	w.Call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &target)
	w.session = target.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		w.Call(domain+".enable", map[string]any{}, nil)
	}
	w.Call("Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true}, nil)
	w.Call("Page.setLifecycleEventsEnabled", map[string]any{"enabled": true}, nil)
}

// Show shows a page, at a fragment, once its script has run.
func (w *Window) Show(page, fragment string) {
	w.t.Helper()
	file := filepath.Join(w.t.TempDir(), "page.html")
	require.NoError(w.t, os.WriteFile(file, []byte(page), 0o600))
	w.Visit((&url.URL{Scheme: "file", Path: file}).String() + "#" + fragment)
}

// Visit goes to an address, and waits until what is there has loaded.
func (w *Window) Visit(address string) {
	w.t.Helper()
	var document struct{ LoaderID string }
	w.Call("Page.navigate", map[string]any{"url": address}, &document)
	for !w.loaded[document.LoaderID] {
		w.take()
	}
}

// Run runs a script in the page and reads what it comes to.
func (w *Window) Run(script string, into any) {
	w.t.Helper()
	var value struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	w.Call("Runtime.evaluate", map[string]any{"expression": script, "awaitPromise": true, "returnByValue": true}, &value)
	if e := value.ExceptionDetails; e != nil {
		require.Fail(w.t, "the script fails", "%s %s", e.Text, e.Exception.Description)
	}
	require.NoError(w.t, json.Unmarshal(value.Result.Value, into))
}

// Call tells the browser to do something and reads its answer.
func (w *Window) Call(method string, params map[string]any, into any) {
	w.t.Helper()
	require.NoError(w.t, w.try(method, params, into))
}

// try is Call for what may be refused.
func (w *Window) try(method string, params map[string]any, into any) error {
	w.t.Helper()
	w.calls++
	id := w.calls
	text, err := json.Marshal(map[string]any{"id": id, "method": method, "params": params, "sessionId": w.session})
	require.NoError(w.t, err)
	_, err = w.to.Write(append(text, 0))
	require.NoError(w.t, err)
	for {
		a := w.take()
		switch {
		case a.ID != id:
			continue
		case a.Error != nil:
			return fmt.Errorf("%s: %s", method, a.Error.Message)
		case into == nil:
			return nil
		}
		return json.Unmarshal(a.Result, into)
	}
}

// patience is how long a window waits for anything.
const patience = 2 * time.Minute

// take waits for what the browser says next.
func (w *Window) take() answer {
	w.t.Helper()
	select {
	case a, ok := <-w.answers:
		require.True(w.t, ok, "the browser has ended")
		w.notice(a)
		return a
	case <-time.After(patience):
		require.Fail(w.t, "the browser does not answer")
		return answer{}
	}
}

// notice keeps which documents of this window have loaded, and tells of complaints.
func (w *Window) notice(a answer) {
	if a.SessionID != w.session {
		return
	}
	switch a.Method {
	case "Page.lifecycleEvent":
		var event struct{ Name, LoaderID string }
		require.NoError(w.t, json.Unmarshal(a.Params, &event))
		w.loaded[event.LoaderID] = w.loaded[event.LoaderID] || event.Name == "load"
	case "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded":
		if w.quiet {
			return
		}
		w.t.Errorf("the browser says: %s", a.Params)
	}
}
