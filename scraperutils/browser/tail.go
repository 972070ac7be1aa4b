package browser

import (
	"strings"
	"sync"
)

// tail keeps the end of what a program says. Its methods may be called from any goroutine.
type tail struct {
	mu   sync.Mutex // guards text
	text string
}

// kept is how many bytes a tail keeps.
const kept = 2000

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text += string(b)
	t.text = t.text[max(len(t.text)-kept, 0):]
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(strings.TrimSpace(t.text), "")
}
