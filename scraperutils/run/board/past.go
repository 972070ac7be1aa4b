package board

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/multiscraper/multiscraper/scraperutils/run/history"
	"github.com/multiscraper/multiscraper/scraperutils/run/report"
)

// Past is what the database says of runs before the last one. Its functions only read. History may be called by any goroutine, the others are called by one at a time.
type Past struct {
	Cover     func() report.Cover // what is said of where pages come from; its links are the board's
	History   func(context.Context) (*history.History, error)
	Authority func(ctx context.Context, label string) (*history.Past, error)
	Run       func(ctx context.Context, id string) (*report.Overview, error)
	Compare   func(context.Context, history.Question) (*history.Comparison, error)
}

// handlePast adds the pages of earlier runs.
func (b *Board) handlePast(mux *http.ServeMux) {
	mux.HandleFunc("GET /history", b.limited(b.history))
	mux.HandleFunc("GET /run/{id}", b.limited(b.run))
	mux.HandleFunc("GET /compare", b.limited(b.compare))
}

// links is where the pages of the board are.
func (b *Board) links() report.Links {
	l := report.Served("/now")
	if b.config.Live == nil {
		l.Now = ""
	}
	if b.config.Workers != nil {
		l.Workers = "/workers"
	}
	if b.config.Past == nil {
		l.History, l.Compare, l.Run, l.Asks = "", "", nil, false
	}
	return l
}

// cover is what pages say of where they come from.
func (b *Board) cover() report.Cover {
	c := b.config.Past.Cover()
	c.Links = b.links()
	return c
}

func (b *Board) history(w http.ResponseWriter, r *http.Request) {
	h, err := b.config.Past.History(r.Context())
	answer(w, err, func(page *bytes.Buffer) error { return report.WriteHistory(page, b.cover(), h) })
}

// alone lets one request at a time read of earlier runs.
func (b *Board) alone(ctx context.Context, read func() error) error {
	select {
	case b.past <- struct{}{}:
		defer func() { <-b.past }()
		return read()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// ofAuthority returns what is known of an authority beyond the overview; nil: nothing.
func (b *Board) ofAuthority(ctx context.Context, label string) (past *history.Past, err error) {
	if b.config.Past == nil {
		return nil, nil
	}
	err = b.alone(ctx, func() error {
		past, err = b.config.Past.Authority(ctx, label)
		return err
	})
	return past, err
}

// run shows one run alone.
func (b *Board) run(w http.ResponseWriter, r *http.Request) {
	var o *report.Overview
	err := b.alone(r.Context(), func() (err error) {
		o, err = b.config.Past.Run(r.Context(), r.PathValue("id"))
		return err
	})
	answer(w, err, func(page *bytes.Buffer) error { return report.WriteRun(page, o, b.links()) })
}

// compare shows two runs beside each other. It has the one form that only reads.
func (b *Board) compare(w http.ResponseWriter, r *http.Request) {
	asked := history.Question{Before: r.FormValue("a"), Now: r.FormValue("b")}
	if text := r.FormValue("percent"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 1000 {
			http.Error(w, "percent: expected a number from 1 to 1000", http.StatusBadRequest)
			return
		}
		asked.Percent = n
	}
	var two *history.Comparison
	err := b.alone(r.Context(), func() (err error) {
		two, err = b.config.Past.Compare(r.Context(), asked)
		if errors.Is(err, history.ErrOneRun) {
			err = nil
		}
		return err
	})
	w.Header().Set("Content-Security-Policy", "frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'")
	answer(w, err, func(page *bytes.Buffer) error { return report.WriteComparison(page, b.cover(), two) })
}

// answer answers with a page, or says why there is none.
func answer(w http.ResponseWriter, err error, write func(*bytes.Buffer) error) {
	var unknown *report.UnknownRunError
	var page bytes.Buffer
	if err == nil {
		err = write(&page)
	}
	switch {
	case errors.As(err, &unknown):
		http.Error(w, err.Error(), http.StatusNotFound)
	case err != nil:
		fail(w, err)
	default:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page.Bytes()) // a reader that left needs no answer
	}
}
