package crawlcmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/intake"
)

// Limits of who asks a run.
const (
	maxPosted = 1 << 30          // bytes of a list of URLs
	postTime  = 10 * time.Minute // to send it
	maxNamed  = 100              // refused lines in an answer
)

// listen begins to serve programs that watch a run and hand it URLs. Requests that need the frontier are answered from now on: it holds
// what comes before the worker runs.
func listen(s settings, j *job) (*cli.Listener, error) {
	j.tally.metrics.registry.MustRegister(newQueue(j.worker))
	mux := cli.WatchMux(promhttp.HandlerFor(j.tally.metrics.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: askTime}), j.status)
	mux.HandleFunc("POST /urls", j.posted)
	l, err := cli.ListenGuarded(s.listen, s.token, postTime, mux)
	if err != nil {
		return nil, &startError{err}
	}
	j.log.Info().Str("address", l.Address()).Msg("listening")
	return l, nil
}

// receipt answers a list of URLs. What it counts as new, known and again is durable.
type receipt struct {
	New     int      `json:"new"`
	Known   int      `json:"known"`
	Again   int      `json:"again"`
	Refused int      `json:"refused"`
	Lines   []string `json:"lines,omitempty"` // that were refused, the first of them
	Error   string   `json:"error,omitempty"` // why the rest was not read
}

// posted adds the URLs of a body, in any form that crawl add reads. Parameters: column, priority, again.
func (j *job) posted(w http.ResponseWriter, r *http.Request) {
	options, again, err := postOptions(r)
	if err != nil {
		answer(w, http.StatusBadRequest, receipt{Error: err.Error()})
		return
	}
	var done receipt
	a := adder{
		frontier: j.worker.Frontier, options: options, again: again, taken: func(added) { j.awake() },
		refused: func(_ string, err error) {
			if len(done.Lines) < maxNamed {
				done.Lines = append(done.Lines, err.Error())
			}
		},
	}
	sum, err := a.read(r.Context(), "body", http.MaxBytesReader(w, r.Body, maxPosted))
	done.New, done.Known, done.Again, done.Refused = sum.New, sum.Known, sum.Again, sum.Refused
	status := http.StatusAccepted
	switch {
	case err != nil:
		status, done.Error = statusOf(err), err.Error()
	case sum.given() == 0:
		status, done.Error = http.StatusBadRequest, "the body holds no URL"
	case sum.given() == sum.Refused:
		status, done.Error = http.StatusBadRequest, "none of its lines is a URL"
	}
	answer(w, status, done)
}

// statusOf is the answer to a body that was not taken to its end: who sent it can mend the body, or try again.
func statusOf(err error) int {
	var (
		large  *http.MaxBytesError
		unread *inputError
	)
	switch {
	case errors.As(err, &large):
		return http.StatusRequestEntityTooLarge
	case errors.As(err, &unread):
		return http.StatusBadRequest
	}
	return http.StatusServiceUnavailable
}

// postOptions reads the parameters of a request.
func postOptions(r *http.Request) (o intake.Options, again bool, err error) {
	query := r.URL.Query()
	o.Column = query.Get("column")
	if p := query.Get("priority"); p != "" {
		if o.Priority, err = strconv.Atoi(p); err != nil || o.Priority < 0 || o.Priority > 9 {
			return o, false, fmt.Errorf("priority %.20q: expected 0 to 9", p)
		}
	}
	if a := query.Get("again"); a != "" {
		if again, err = strconv.ParseBool(a); err != nil {
			return o, false, fmt.Errorf("again %.20q: expected true or false", a)
		}
	}
	return o, again, nil
}

func answer(w http.ResponseWriter, status int, r receipt) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(r) // it is gone who asked
}
