package live

import (
	"context"
	"embed"
	"errors"
	"html/template"
	"net/http"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/run/feed"
)

//go:embed *.html *.css *.js
var files embed.FS

// Config is what a board shows, and whom it asks.
type Config struct {
	Name    string                      // of the command, as titles have it
	Site    string                      // what one of its sites is called, such as authority
	Hub     *feed.Hub                   // what the run is doing
	Runner  Runner                      // nil: runs are begun elsewhere, and nothing can be done here
	Next    func() time.Time            // when the next run is due; nil or zero: none is
	Report  http.Handler                // of the paths below /report/; nil: there is none
	Metrics http.Handler                // of /metrics; nil: there is none
	Ready   func(context.Context) error // why it can't serve, nil where it can
	Acted   func(Action)                // is told of all that was asked of the Runner; nil: nobody is
}

// Runner begins runs and stops them.
type Runner interface {
	// Begin begins a run: of all, of those that failed last time, or of one site. It returns ErrRunning while one goes on.
	Begin(which Which) error
	// Stop ends the run politely, or one site of it, whose scraper gets no further page. It returns ErrIdle where there is nothing to stop.
	Stop(label string) error
}

// Which is what a run is of.
type Which struct {
	Failed bool   // those that failed last time
	Label  string // one site; "": all
}

// Errors of a Runner.
var (
	ErrRunning = errors.New("a run goes on already")
	ErrIdle    = errors.New("nothing runs that could be stopped")
)

// Action is something that somebody did here.
type Action struct {
	At   time.Time `json:"at"`
	Who  string    `json:"who"`  // the address, and the name that was given with the password
	What string    `json:"what"` // run or stop
	Of   string    `json:"of"`   // all, failed or a label
	Err  string    `json:"error,omitempty"`
}

// board serves a Config.
type board struct {
	Config
	pages *template.Template
}

// New returns the handler of a board. It does not ask who calls: see Guard.
func New(c Config) http.Handler {
	b := &board{Config: c, pages: template.Must(template.New("").Funcs(words).ParseFS(files, "*.html"))}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", b.now)
	mux.HandleFunc("GET /site/{label}", b.site)
	mux.HandleFunc("GET /live", b.live)
	mux.HandleFunc("GET /live/{label}", b.live)
	mux.HandleFunc("POST /run", b.run)
	mux.HandleFunc("POST /stop", b.stop)
	mux.Handle("GET /live.css", http.FileServerFS(files))
	mux.Handle("GET /live.js", http.FileServerFS(files))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) })
	mux.HandleFunc("GET /readyz", b.ready)
	if c.Report != nil {
		mux.Handle("GET /report/", http.StripPrefix("/report", c.Report))
	}
	if c.Metrics != nil {
		mux.Handle("GET /metrics", c.Metrics)
	}
	return secured(mux)
}

// ready says whether the board can serve.
func (b *board) ready(w http.ResponseWriter, r *http.Request) {
	if b.Ready != nil {
		if err := b.Ready(r.Context()); err != nil {
			http.Error(w, "not ready", http.StatusServiceUnavailable) // why is for the log, not for those who ask
			return
		}
	}
	_, _ = w.Write([]byte("ready\n"))
}

// secured adds what keeps a page from being used by others.
func secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}
