package report_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// One browser serves all tests of the package. It starts with the first that asks for it.
var chromium = sync.OnceValues(startBrowser)

// browserDir has what the browser writes, and the pages; "" while there is none. TestMain removes it.
var browserDir string

func TestMain(m *testing.M) {
	code := m.Run()
	if browserDir != "" {
		if b, err := chromium(); err == nil {
			b.close()
		}
		_ = os.RemoveAll(browserDir) // a helper of the browser may still be writing
	}
	os.Exit(code)
}

// browser is a Chromium that is told what to do over its DevTools pipe: JSON with a zero byte behind it. One test at a time
// uses it.
type browser struct {
	cmd     *exec.Cmd
	to      io.WriteCloser
	answers chan answer // closed when the browser ends
	calls   int
	session string // of its one window; "" until a test has asked for it
}

// answer is what the browser says: of a call (ID), or that something has happened (Method).
type answer struct {
	ID        int
	SessionID string
	Method    string
	Params    json.RawMessage
	Result    json.RawMessage
	Error     *struct{ Message string }
}

var errNoBrowser = errors.New("no chromium in PATH")

func startBrowser() (_ *browser, err error) {
	binary, err := exec.LookPath("chromium-headless-shell") // starts in a third of the time
	if err != nil {
		binary, err = exec.LookPath("chromium")
	}
	if err != nil {
		return nil, errNoBrowser
	}
	if browserDir, err = os.MkdirTemp("", "page"); err != nil {
		return nil, err
	}
	reads, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	from, writes, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	b := &browser{to: to, answers: make(chan answer, 1000), cmd: exec.Command(binary,
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--hide-scrollbars", "--remote-debugging-pipe",
		"--user-data-dir="+filepath.Join(browserDir, "profile"), "about:blank")}
	b.cmd.ExtraFiles = []*os.File{reads, writes}
	if err := b.cmd.Start(); err != nil {
		return nil, err
	}
	_, _ = reads.Close(), writes.Close() // they are the browser's now
	go b.listen(from)
	return b, nil
}

// listen passes on what the browser says, until it ends.
func (b *browser) listen(from io.Reader) {
	defer close(b.answers)
	for r := bufio.NewReader(from); ; {
		text, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		var a answer
		if json.Unmarshal(text[:len(text)-1], &a) == nil {
			b.answers <- a
		}
	}
}

func (b *browser) close() {
	_ = b.to.Close() // it ends by that
	ended := time.AfterFunc(10*time.Second, func() { _ = b.cmd.Process.Kill() })
	defer ended.Stop()
	for range b.answers {
	}
	_ = b.cmd.Wait()
}

// tab is the browser's window while a test uses it.
type tab struct {
	t *testing.T
	*browser
	loaded map[string]bool // the documents that have, by loader
	quiet  bool            // what the browser complains of is no failure
}

// newTab returns the window, wide and light, or skips the test where there is no browser. What the browser complains of fails
// the test.
func newTab(t *testing.T) *tab {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: the page is not tried in a browser")
	}
	b, err := chromium()
	if errors.Is(err, errNoBrowser) {
		t.Skip("no chromium in PATH: the page is not tried in a browser")
	}
	require.NoError(t, err)
	w := &tab{t: t, browser: b, loaded: map[string]bool{}}
	if b.session == "" {
		w.openWindow()
	}
	w.look(1280, false)
	return w
}

// look makes the window so wide, and light or dark.
func (w *tab) look(width int, dark bool) {
	w.t.Helper()
	w.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": false}, nil)
	w.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{
		{"name": "prefers-color-scheme", "value": map[bool]string{true: "dark", false: "light"}[dark]},
	}}, nil)
}

// of returns the window for a part of a test.
func (w *tab) of(t *testing.T) *tab { return &tab{t: t, browser: w.browser, loaded: w.loaded} }

func (w *tab) openWindow() {
	w.t.Helper()
	var target struct{ TargetID, SessionID string }
	w.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	w.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &target)
	w.session = target.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		w.call(domain+".enable", map[string]any{}, nil)
	}
	w.call("Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true}, nil)
	w.call("Page.setLifecycleEventsEnabled", map[string]any{"enabled": true}, nil)
}

// open shows a page, at a fragment, once its script has run.
func (w *tab) open(page, fragment string) {
	w.t.Helper()
	file := filepath.Join(w.t.TempDir(), "page.html")
	require.NoError(w.t, os.WriteFile(file, []byte(page), 0o600))
	w.visit((&url.URL{Scheme: "file", Path: file}).String() + "#" + fragment)
}

// visit goes to an address, and waits until what is there has loaded.
func (w *tab) visit(address string) {
	w.t.Helper()
	var document struct{ LoaderID string }
	w.call("Page.navigate", map[string]any{"url": address}, &document)
	for !w.loaded[document.LoaderID] {
		w.take()
	}
}

// run runs a script in the page and reads what it comes to.
func (w *tab) run(script string, into any) {
	w.t.Helper()
	var value struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	w.call("Runtime.evaluate", map[string]any{"expression": script, "awaitPromise": true, "returnByValue": true}, &value)
	if e := value.ExceptionDetails; e != nil {
		require.Fail(w.t, "the script fails", "%s %s", e.Text, e.Exception.Description)
	}
	require.NoError(w.t, json.Unmarshal(value.Result.Value, into))
}

// call tells the browser to do something and reads its answer.
func (w *tab) call(method string, params map[string]any, into any) {
	w.t.Helper()
	w.calls++
	id := w.calls
	text, err := json.Marshal(map[string]any{"id": id, "method": method, "params": params, "sessionId": w.session})
	require.NoError(w.t, err)
	_, err = w.to.Write(append(text, 0))
	require.NoError(w.t, err)
	for {
		a := w.take()
		if a.ID != id {
			continue
		}
		if a.Error != nil {
			require.Fail(w.t, method, a.Error.Message)
		}
		if into != nil {
			require.NoError(w.t, json.Unmarshal(a.Result, into))
		}
		return
	}
}

// take waits for what the browser says next.
func (w *tab) take() answer {
	w.t.Helper()
	select {
	case a, ok := <-w.answers:
		require.True(w.t, ok, "the browser has ended")
		w.notice(a)
		return a
	case <-time.After(time.Minute):
		require.Fail(w.t, "the browser does not answer")
		return answer{}
	}
}

// notice keeps which documents of this window have loaded, and tells of complaints.
func (w *tab) notice(a answer) {
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
