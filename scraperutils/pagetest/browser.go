package pagetest

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// One browser serves all tests of a process. It starts with the first that asks for it.
var chromium = sync.OnceValues(startBrowser)

// browserDir has what the browser writes; "" while there is none. Close removes it.
var browserDir string

// Close ends the browser, if a test has asked for it. TestMain calls it after all tests.
func Close() {
	if browserDir == "" {
		return
	}
	if b, err := chromium(); err == nil {
		b.close()
	}
	_ = os.RemoveAll(browserDir) // a helper of the browser may still be writing
}

// browser is a Chromium that is told what to do over its DevTools pipe: JSON with a zero byte behind it.
type browser struct {
	turn    sync.Mutex // of the test that uses it, which owns the rest
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
