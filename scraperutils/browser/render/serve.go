package render

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// maxHTML is how large a document may be, in bytes.
const maxHTML = 64 << 20

// Serve answers what comes from in until in or ctx ends. If ctx ends, it returns the cause. Get gets a document; any number of goroutines
// call it.
func Serve(ctx context.Context, in io.Reader, out io.Writer, get func(context.Context, Ask) (*Document, error)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &server{get: get, out: json.NewEncoder(out), asked: map[int]context.CancelFunc{}}
	s.say(line{Version: version})
	defer s.pages.Wait()
	defer cancel()
	lines, failed := make(chan line), make(chan error, 1)
	go func() { failed <- read(ctx, in, lines) }() // ends with in, which nobody waits for
	for {
		select {
		case l := <-lines:
			s.take(ctx, l)
		case err := <-failed:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func read(ctx context.Context, in io.Reader, to chan<- line) error {
	for decoder := json.NewDecoder(in); ; {
		var l line
		if err := decoder.Decode(&l); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read what to render: %w", err)
		}
		select {
		case to <- l:
		case <-ctx.Done():
			return nil
		}
	}
}

// server answers one program.
type server struct {
	get   func(context.Context, Ask) (*Document, error)
	pages sync.WaitGroup

	mu    sync.Mutex // guards the rest
	out   *json.Encoder
	asked map[int]context.CancelFunc // pages that are open, by ID
}

func (s *server) take(ctx context.Context, l line) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.Ask == nil {
		if giveUp := s.asked[l.ID]; giveUp != nil {
			giveUp()
		}
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	s.asked[l.ID] = cancel
	s.pages.Go(func() {
		defer cancel()
		answer := line{ID: l.ID}
		var err error
		answer.Document, err = s.get(ctx, *l.Ask)
		if err == nil && len(answer.Document.HTML) > maxHTML {
			err = fmt.Errorf("the document has %d bytes, expected %d at most", len(answer.Document.HTML), maxHTML)
		}
		if err != nil {
			answer.Document, answer.Error = nil, &Error{Reason: err.Error(), Kind: scraperutils.ClassOf(err)}
		}
		s.mu.Lock()
		delete(s.asked, l.ID)
		s.mu.Unlock()
		s.say(answer)
	})
}

// say writes a line. Where nobody reads any more, in ends too.
func (s *server) say(l line) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.out.Encode(l)
}
