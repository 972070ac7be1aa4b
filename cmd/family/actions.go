package family

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/multiscraper/multiscraper/scraperutils/run/live"
)

// What is kept in memory of the log of actions, and read of its file.
const (
	shownActions = 20
	actionsTail  = 64 << 10 // bytes
)

// actions is the log of what people did with a server: a JSON object a line, in a file beside the database. Its methods may be called from any
// goroutine.
type actions struct {
	path string

	mu     sync.Mutex // guards the rest
	latest []live.Action
}

// openActions reads the latest actions. A file that can't be read has none; add says what is wrong with it.
func openActions(database string) *actions {
	a := &actions{path: database + ".actions.jsonl"}
	f, err := os.Open(a.path)
	if err != nil {
		return a
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > actionsTail {
		_, _ = f.Seek(-actionsTail, io.SeekEnd) // a line that is cut is none
	}
	tail := make([]byte, actionsTail)
	n, _ := f.Read(tail)
	for line := range bytes.Lines(tail[:n]) {
		var action live.Action
		if json.Unmarshal(line, &action) == nil {
			a.latest = append(a.latest, action)
		}
	}
	a.latest = a.latest[max(0, len(a.latest)-shownActions):]
	return a
}

// add writes an action down.
func (a *actions) add(action live.Action) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.latest = append(slices.Clone(a.latest[max(0, len(a.latest)+1-shownActions):]), action)
	line, err := json.Marshal(action)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(a.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	if _, err = f.Write(append(line, '\n')); err != nil {
		_ = f.Close() // that is wrong already
		return err
	}
	return f.Close()
}

// shown is the latest actions, the last first.
func (a *actions) shown() []live.Action {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := slices.Clone(a.latest)
	slices.Reverse(all)
	return all
}
