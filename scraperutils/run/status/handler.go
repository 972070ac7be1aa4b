package status

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// Limits of those who ask.
const (
	maxAsking = 4
	askTime   = 5 * time.Second // for an answer
)

// Handler answers with what look returns. It does not ask who calls: that is its caller's. look may be called by several goroutines at once,
// and returns an error where nothing can be said now.
func Handler(look func(context.Context) (Status, error)) http.Handler {
	asking := make(chan struct{}, maxAsking)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case asking <- struct{}{}:
			defer func() { <-asking }()
		default:
			w.Header().Set("Retry-After", "1")
			http.Error(w, "too many ask at once: try again", http.StatusServiceUnavailable)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), askTime)
		defer cancel()
		s, err := look(ctx)
		if err != nil { // what went wrong may name files, and is in the worker's log
			w.Header().Set("Retry-After", "5")
			http.Error(w, "nothing can be said now", http.StatusServiceUnavailable)
			return
		}
		s.Figures, s.Slow, s.Problems = filled(s.Figures), filled(lines(s.Slow)), filled(lines(s.Problems))
		w.Header().Set("Content-Type", "application/json")
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", " ")
		_ = encoder.Encode(s) // who asked may be gone
	})
}

// filled is a list that JSON has as [] where it is empty.
func filled[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}
