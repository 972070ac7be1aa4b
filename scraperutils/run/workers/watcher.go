package workers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/status"
)

// How workers are asked.
const (
	every    = 3 * time.Second
	askTime  = 5 * time.Second // for an answer
	maxHead  = 16 << 10        // bytes of the head of an answer
	samples  = 4               // answers by which rates are reckoned
	longWord = 200             // bytes of why a worker does not answer
)

// Worker is what is known of a worker.
type Worker struct {
	Address string
	Asked   bool               // it was asked
	Up      bool               // it answered when it was asked last
	Since   time.Time          // from when on it answers, or does not
	Why     string             // it does not answer
	Status  status.Status      // that it told last; zero: it has told none
	Rates   map[string]float64 // of figures that are totals: how much they grew in the last seconds, a second
}

// Watcher asks workers what they do. Its methods may be called from any goroutine.
type Watcher struct {
	addresses []*url.URL
	token     string
	client    *http.Client

	mu      sync.Mutex // guards the rest
	workers []Worker   // in the order of the addresses
}

// New returns a Watcher of workers that listen at these addresses, which Address has read. token is theirs, or "".
func New(addresses []*url.URL, token string) *Watcher {
	w := &Watcher{addresses: addresses, token: token, client: &http.Client{
		Timeout:       askTime,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the token is for nobody else
		Transport:     &http.Transport{MaxResponseHeaderBytes: maxHead, DisableCompression: true, MaxIdleConnsPerHost: 1, IdleConnTimeout: time.Minute},
	}}
	for _, a := range addresses {
		w.workers = append(w.workers, Worker{Address: a.String()})
	}
	return w
}

// Watch asks all workers until ctx ends.
func (w *Watcher) Watch(ctx context.Context) {
	var all sync.WaitGroup
	for i, address := range w.addresses {
		all.Go(func() { w.follow(ctx, i, address.JoinPath("status").String()) })
	}
	all.Wait()
	w.client.CloseIdleConnections()
}

// follow asks one worker until ctx ends.
func (w *Watcher) follow(ctx context.Context, i int, address string) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	var past meter
	for {
		s, err := w.ask(ctx, address)
		if ctx.Err() != nil {
			return
		}
		at := time.Now()
		var rates map[string]float64
		if err == nil {
			rates = past.add(at, s)
		}
		w.told(i, at, s, rates, err)
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// ask asks a worker once.
func (w *Watcher) ask(ctx context.Context, address string) (status.Status, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return status.Status{}, err
	}
	if w.token != "" {
		r.Header.Set("Authorization", "Bearer "+w.token)
	}
	response, err := w.client.Do(r)
	if err != nil {
		return status.Status{}, err
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusOK:
		return status.Read(response.Body)
	case http.StatusUnauthorized:
		return status.Status{}, errors.New("it wants a token, and got none or another")
	}
	return status.Status{}, fmt.Errorf("it answered %d %s", response.StatusCode, http.StatusText(response.StatusCode))
}

// told takes in an answer, or that there was none.
func (w *Watcher) told(i int, at time.Time, s status.Status, rates map[string]float64, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	worker := &w.workers[i]
	if up := err == nil; !worker.Asked || worker.Up != up {
		worker.Asked, worker.Up, worker.Since = true, up, at
	}
	worker.Why = why(err)
	worker.Rates = rates
	if err == nil {
		worker.Status = s
	}
}

// why is why a worker does not answer, without the address, which is known; "" where it does.
func why(err error) string {
	var failed *url.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &failed) && failed.Timeout():
		return fmt.Sprintf("no answer within %s", askTime)
	case errors.As(err, &failed):
		err = failed.Err
	}
	return scraperutils.Shortened(scraperutils.CleanLine(scraperutils.WithoutUser(err.Error())), longWord)
}

// Workers returns what is known, in the order of the addresses.
func (w *Watcher) Workers() []Worker {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.workers)
}

// Up returns whether each worker answered when it was asked last, by its address. Those that were not asked yet are left out.
func (w *Watcher) Up() map[string]bool {
	all := map[string]bool{}
	for _, worker := range w.Workers() {
		if worker.Asked {
			all[worker.Address] = worker.Up
		}
	}
	return all
}
