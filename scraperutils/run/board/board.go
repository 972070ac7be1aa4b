package board

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/multiscraper/multiscraper/scraperutils/run/guard"
	"github.com/multiscraper/multiscraper/scraperutils/run/report"
	"github.com/multiscraper/multiscraper/scraperutils/run/workers"
)

// Limits of who looks.
const (
	maxReading = 64  // requests that are answered at once
	maxEvents  = 512 // readers of events at once
)

// Config is what a board shows.
type Config struct {
	// Read returns what the database says now, as Fresh has it. It is called from many goroutines. report.ErrNoRun is no failure.
	Read func(context.Context) (*report.Overview, error)
	// Recordings returns what is kept of an authority; nil: nothing is shown of it.
	Recordings func(*report.Authority) report.Recordings
	// Past is what is known of earlier runs; nil: nothing of them is shown.
	Past *Past
	// Metrics answers /metrics; nil: there are none.
	Metrics http.Handler
	// Workers answers /workers and what belongs to it, as workers.Watcher does; nil: there are none.
	Workers http.Handler
	// Live answers /now and what belongs to it, and the forms that begin and stop runs, as live.New has them; nil: there is no such page.
	Live http.Handler
	// Token is what a reader has to know: the password that a browser asks for, or a bearer's token. "": nobody is asked, and only the names of
	// this machine are answered.
	Token string
}

// Board is an http.Handler. Its methods may be called from any goroutine.
type Board struct {
	config  Config
	handler http.Handler
	reading chan struct{} // holds one for each request that is answered
	events  chan struct{} // holds one for each reader of events

	past chan struct{} // holds one while something of earlier runs is read
}

// New returns a board.
func New(c Config) *Board {
	b := &Board{config: c, reading: make(chan struct{}, maxReading), events: make(chan struct{}, maxEvents), past: make(chan struct{}, 1)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", b.limited(b.index))
	mux.HandleFunc("GET /index.html", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", http.StatusMovedPermanently) })
	mux.HandleFunc("GET /"+report.AuthorityFolder+"/{page}", b.limited(b.authority))
	mux.HandleFunc("GET /report.json", b.limited(b.json))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", b.limited(b.ready))
	if c.Past != nil {
		b.handlePast(mux)
	}
	if c.Metrics != nil {
		mux.Handle("GET /metrics", c.Metrics)
	}
	if c.Workers != nil {
		for _, pattern := range workers.Patterns() {
			mux.HandleFunc(pattern, b.limited(c.Workers.ServeHTTP))
		}
	}
	if c.Live != nil {
		for _, pattern := range []string{"GET /now", "GET /site/{label}", "GET /live.css", "GET /live.js", "POST /run", "POST /stop"} {
			mux.HandleFunc(pattern, b.limited(c.Live.ServeHTTP))
		}
		for _, pattern := range []string{"GET /live", "GET /live/{label}"} {
			mux.HandleFunc(pattern, b.following(c.Live.ServeHTTP))
		}
	}
	b.handler = guard.Handler(c.Token, bodies(c.Live != nil, mux))
	return b
}

// ServeHTTP answers a request.
func (b *Board) ServeHTTP(w http.ResponseWriter, r *http.Request) { b.handler.ServeHTTP(w, r) }

// limited answers so many requests at once, and turns the others away.
func (b *Board) limited(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case b.reading <- struct{}{}:
			defer func() { <-b.reading }()
			next(w, r)
		default:
			w.Header().Set("Retry-After", "1")
			http.Error(w, "too many readers at once: try again", http.StatusServiceUnavailable)
		}
	}
}

// following answers so many readers of events at once, and turns the others away.
func (b *Board) following(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case b.events <- struct{}{}:
			defer func() { <-b.events }()
			next(w, r)
		default:
			w.Header().Set("Retry-After", "10")
			http.Error(w, "too many readers at once: try again", http.StatusServiceUnavailable)
		}
	}
}

func (b *Board) index(w http.ResponseWriter, r *http.Request) {
	if b.config.Live != nil {
		if _, err := b.config.Read(r.Context()); errors.Is(err, report.ErrNoRun) { // the first may be begun there
			http.Redirect(w, r, "/now", http.StatusSeeOther)
			return
		}
	}
	b.page(w, r, func(page *bytes.Buffer, o *report.Overview) error { return report.WriteIndex(page, o, b.links()) })
}

func (b *Board) authority(w http.ResponseWriter, r *http.Request) {
	b.page(w, r, func(page *bytes.Buffer, o *report.Overview) error {
		for i := range o.Authorities {
			a := &o.Authorities[i]
			if report.PageName(a.Label) != r.PathValue("page") {
				continue
			}
			var kept report.Recordings
			if b.config.Recordings != nil {
				kept = b.config.Recordings(a)
			}
			past, err := b.ofAuthority(r.Context(), a.Label)
			if err != nil {
				return err
			}
			return report.WriteAuthority(page, o, a, kept, past, b.links())
		}
		return errNotThere
	})
}

func (b *Board) json(w http.ResponseWriter, r *http.Request) {
	o, err := b.config.Read(r.Context())
	if err != nil {
		fail(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", " ")
	_ = encoder.Encode(o) // a reader that left needs no answer
}

func (b *Board) ready(w http.ResponseWriter, r *http.Request) {
	if _, err := b.config.Read(r.Context()); err != nil && !errors.Is(err, report.ErrNoRun) {
		fail(w, err)
		return
	}
	fmt.Fprintln(w, "ok")
}

// errNotThere says that there is no such page.
var errNotThere = errors.New("there is no such page")

// page answers with a page, or says why there is none.
func (b *Board) page(w http.ResponseWriter, r *http.Request, write func(*bytes.Buffer, *report.Overview) error) {
	o, err := b.config.Read(r.Context())
	answer(w, err, func(page *bytes.Buffer) error { return write(page, o) })
}

// fail answers with an error. What a database's error says of files stays here.
func fail(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, errNotThere):
		http.Error(w, err.Error(), http.StatusNotFound)
	case errors.Is(err, report.ErrNoRun):
		w.Header().Set("Retry-After", "10")
		http.Error(w, "no run has been logged in this database yet", http.StatusNotFound)
	default:
		w.Header().Set("Retry-After", "10")
		http.Error(w, "the database can't be read now", http.StatusServiceUnavailable)
	}
}
