// Package sinktest is the test suite for sinks: a page counts when it is durable, and only then.
package sinktest

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// Store is a place where a sink puts pages.
type Store interface {
	// Open opens a sink on the place. What was stored before stays.
	Open() (crawl.Sink, error)
	// Pages returns all pages that a reader finds there now, including repeats. A sink may be open meanwhile. The pages need an ID, a
	// URL, and a Body.
	Pages() ([]*crawl.Page, error)
}

// Run runs the suite. Each test gets a new place.
func Run(t *testing.T, place func(t *testing.T) Store) {
	for name, test := range map[string]func(*suite){
		"pages are there when Store returns":      (*suite).durable,
		"no pages are no error":                   (*suite).nothing,
		"what was stored before stays":            (*suite).reopened,
		"a failed group may come again with more": (*suite).again,
		"an ended context stores nothing":         (*suite).ended,
		"a context that ends on the way":          (*suite).endsOnTheWay,
		"Close beside Store":                      (*suite).closedBeside,
		"Close twice, Store after it":             (*suite).closed,
	} {
		t.Run(name, func(t *testing.T) {
			s := &suite{T: t, store: place(t), want: map[string]*crawl.Page{}}
			test(s)
			s.check()
		})
	}
}

// suite is one test: what is to be found in the end.
type suite struct {
	*testing.T
	store Store
	want  map[string]*crawl.Page // by ID: what counts
	maybe map[string]*crawl.Page // and what may be there too
}

func (s *suite) open() crawl.Sink {
	s.Helper()
	sink, err := s.store.Open()
	if err != nil {
		s.Fatalf("open: %v", err)
	}
	s.Cleanup(func() { _ = sink.Close() })
	return sink
}

func (s *suite) put(sink crawl.Sink, pages []*crawl.Page) {
	s.Helper()
	if err := sink.Store(s.Context(), pages); err != nil {
		s.Fatalf("store: %v", err)
	}
	s.counts(pages)
}

func (s *suite) counts(pages []*crawl.Page) {
	for _, p := range pages {
		s.want[p.ID] = p
	}
}

func (s *suite) close(sink crawl.Sink) {
	s.Helper()
	if err := sink.Close(); err != nil {
		s.Fatalf("close: %v", err)
	}
}

// check compares what a reader that drops repeats finds with what is to be there.
func (s *suite) check() {
	s.Helper()
	found, err := s.store.Pages()
	if err != nil {
		s.Fatalf("read: %v", err)
	}
	seen := map[string]bool{}
	for _, p := range found {
		want, ok := s.want[p.ID]
		if !ok {
			want, ok = s.maybe[p.ID]
		}
		switch {
		case !ok:
			s.Errorf("%s was never stored", p.URL)
		case p.URL != want.URL || !bytes.Equal(p.Body, want.Body):
			s.Errorf("%s %q came as %s %q", want.URL, head(want.Body), p.URL, head(p.Body))
		}
		seen[p.ID] = true
	}
	for id, p := range s.want {
		if !seen[id] {
			s.Errorf("%s is lost", p.URL)
		}
	}
}

func head(b []byte) []byte { return b[:min(len(b), 40)] }

func (s *suite) durable() {
	sink := s.open()
	for i := range 4 {
		s.put(sink, Pages(20*i, 20))
		s.check()
	}
	s.put(sink, Pages(100, 1))
	s.close(sink)
}

func (s *suite) nothing() {
	sink := s.open()
	s.put(sink, nil)
	s.check()
	s.close(sink)
}

func (s *suite) reopened() {
	for i := range 3 {
		sink := s.open()
		s.put(sink, Pages(10*i, 10))
		s.close(sink)
	}
}

func (s *suite) again() {
	sink := s.open()
	ended, end := context.WithCancel(s.Context())
	end()
	if err := sink.Store(ended, Pages(0, 10)); !errors.Is(err, context.Canceled) {
		s.Errorf("error %v, expected one that is context.Canceled", err)
	}
	s.put(sink, Pages(0, 15))
	s.put(sink, Pages(0, 15))
	s.close(sink)
}

func (s *suite) ended() {
	sink := s.open()
	ended, end := context.WithCancel(s.Context())
	end()
	if err := sink.Store(ended, Pages(0, 10)); !errors.Is(err, context.Canceled) {
		s.Errorf("error %v, expected one that is context.Canceled", err)
	}
	s.check()
	s.close(sink)
}

// endsOnTheWay ends contexts at whatever moment: what Store acknowledged is there, and the next sink goes on.
func (s *suite) endsOnTheWay() {
	s.maybe = map[string]*crawl.Page{}
	sink := s.open()
	for i := range 20 {
		ctx, end := context.WithCancel(s.Context())
		pages := Pages(30*i, 30)
		done := make(chan struct{})
		go func() { defer close(done); end() }()
		if err := sink.Store(ctx, pages); err == nil {
			s.counts(pages)
		}
		for _, p := range pages {
			s.maybe[p.ID] = p
		}
		<-done
	}
	_ = sink.Close()
	sink = s.open()
	s.put(sink, Pages(1000, 10))
	s.close(sink)
}

func (s *suite) closedBeside() {
	s.maybe = map[string]*crawl.Page{}
	sink := s.open()
	started := make(chan struct{})
	var once sync.Once
	var all sync.WaitGroup
	all.Go(func() {
		for i := range 50 {
			pages := Pages(10*i, 10)
			for _, p := range pages {
				s.maybe[p.ID] = p
			}
			err := sink.Store(s.Context(), pages)
			once.Do(func() { close(started) })
			if err != nil {
				return
			}
			s.counts(pages)
		}
	})
	<-started
	s.close(sink)
	all.Wait()
}

func (s *suite) closed() {
	sink := s.open()
	s.put(sink, Pages(0, 5))
	s.close(sink)
	s.close(sink)
	if err := sink.Store(s.Context(), Pages(5, 5)); err == nil {
		s.Error("a closed sink took pages")
	}
}
