package cli

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/run/guard"
	"github.com/multiscraper/multiscraper/scraperutils/run/status"
)

// Watch is what a process tells of itself to programs that watch it. Its methods may be called from any goroutine.
type Watch struct {
	program  string
	began    time.Time
	stopping atomic.Bool
}

// NewWatch returns the Watch of a process that begins to work now.
func NewWatch(program string) *Watch { return &Watch{program: program, began: time.Now()} }

// Until has the process be one that stops from the end of ctx on.
func (w *Watch) Until(ctx context.Context) {
	context.AfterFunc(ctx, func() { w.stopping.Store(true) })
}

// About begins a status with what is known of a process before it is looked at. worker names it among those that share its work.
func (w *Watch) About(worker string) status.Status {
	s := status.Status{Program: w.program, Version: version(), Worker: worker, Began: w.began, State: status.Working}
	if w.stopping.Load() {
		s.State = status.Stopping
	}
	return s
}

// version is that of the module that the process was built from.
func version() string {
	if built, ok := debug.ReadBuildInfo(); ok {
		return cmp.Or(built.Main.Version, "unknown")
	}
	return "unknown"
}

// WatchMux has /metrics, /status and /healthz. look returns the status.
func WatchMux(metrics http.Handler, look func(context.Context) (status.Status, error)) *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics)
	mux.Handle("GET /status", status.Handler(look))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	return mux
}

// ListenGuarded listens as Listen does, and answers those who may ask: see guard.Handler.
func ListenGuarded(address, token string, limit time.Duration, handler http.Handler) (*Listener, error) {
	return Listen(address, limit, guard.Handler(token, handler))
}
