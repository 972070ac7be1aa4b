package live

import (
	"context"
	"embed"
	"errors"
	"html/template"
	"net/http"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/run/feed"
	"github.com/multiscraper/multiscraper/scraperutils/run/report"
)

//go:embed *.html *.css *.js
var files embed.FS

// Config is what the page shows, and whom it asks.
type Config struct {
	Name    string                    // of the command, as titles have it
	Site    string                    // what one of its sites is called, such as authority
	Hub     *feed.Hub                 // what the run is doing, wherever it was begun
	Runner  Runner                    // begins runs and stops them; nil: nothing can be done here
	Next    func() time.Time          // when the next run is due; nil or zero: none is
	History func(label string) string // the path of a site's history; nil: there is none
	// Last returns what the database says of the last run, for when no other was followed since; nil: nothing is known. Its error is
	// report.ErrNoRun where there was none.
	Last    func(context.Context) (report.Run, error)
	Workers func() template.HTML // workers elsewhere, as a section of their own that keeps itself up to date; nil: there are none
	Problem func() string        // why the last run came to nothing before it began, or ""; nil: nobody knows
	Acted   func(Action)         // is told of all that was asked of the Runner; nil: nobody is
	Actions func() []Action      // the latest of them, the last first; nil: they are not shown
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

// handler serves a Config.
type handler struct {
	Config
	pages *template.Template
}

// New returns the handler of the page, of what it has beside it, and of what is done there. It does not ask who calls: that is its caller's.
func New(c Config) http.Handler {
	h := &handler{Config: c, pages: template.Must(template.New("").Funcs(words).ParseFS(files, "*.html"))}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /now", h.now)
	mux.HandleFunc("GET /site/{label}", h.site)
	mux.HandleFunc("GET /live", h.live)
	mux.HandleFunc("GET /live/{label}", h.live)
	mux.HandleFunc("POST /run", h.run)
	mux.HandleFunc("POST /stop", h.stop)
	mux.Handle("GET /live.css", http.FileServerFS(files))
	mux.Handle("GET /live.js", http.FileServerFS(files))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		mux.ServeHTTP(w, r)
	})
}

// policy lets a page have its own script, style, events and forms, and nothing else.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
