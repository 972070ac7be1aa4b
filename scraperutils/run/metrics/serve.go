package metrics

import (
	"context"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/multiscraper/multiscraper/scraperutils/run/feed"
)

// Limits of those who ask a server.
const (
	maxAsking = 4
	askTime   = 10 * time.Second
	readTime  = 8 * time.Second // for the database
	fresh     = time.Second     // how old what the database says may be
)

// Config is what a server tells.
type Config struct {
	// Last reads the last run; known is what it returned before. It is called by one goroutine at a time.
	Last func(ctx context.Context, known Last) (Last, error)
	// Now returns what is known of the run that goes on; nil: nothing is told of it.
	Now func() feed.Picture
	// Workers returns whether each worker elsewhere answers, by its address; nil: there are none.
	Workers func() map[string]bool
}

// Handler answers Prometheus. It does not ask who calls: that is its caller's.
func Handler(c Config) http.Handler {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), &lastRun{read: c.Last, turn: make(chan struct{}, 1)})
	if c.Now != nil {
		r.MustRegister(unchecked(func() *prometheus.Registry { return current(c.Now()) }))
	}
	if c.Workers != nil {
		r.MustRegister(unchecked(func() *prometheus.Registry { return up(c.Workers()) }))
	}
	return promhttp.HandlerFor(r, promhttp.HandlerOpts{MaxRequestsInFlight: maxAsking, Timeout: askTime})
}

// unchecked collects what another registry, made anew for each who asks, holds.
type unchecked func() *prometheus.Registry

// Describe implements prometheus.Collector.
func (unchecked) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (u unchecked) Collect(to chan<- prometheus.Metric) { u().Collect(to) }

// current is the metrics of the run that goes on.
func current(p feed.Picture) *prometheus.Registry {
	r := prometheus.NewRegistry()
	active := gauge(r, "multiscraper_current_run_active", "1 while a run goes on; what else is said of the current run is there only then.")
	add(active, 0)
	if p.Run == nil || p.End != nil || p.CutOff {
		return r
	}
	add(active, 1)
	add(gauge(r, "multiscraper_current_run_start_timestamp_seconds", "When the run began, in Unix time.", "source"), float64(p.Run.At.UnixMilli())/1000, p.Run.Source)
	states := gauge(r, "multiscraper_current_run_authorities", "Authorities by what they are doing.", "state")
	for _, s := range feed.States() { // 0 too
		add(states, 0, string(s))
	}
	requests := gauge(r, "multiscraper_current_run_requests", "Requests that scrapers have sent, in the latest attempt of each.")
	records := gauge(r, "multiscraper_current_run_records", "Records that are saved, in the latest attempt of each authority.")
	add(requests, 0)
	add(records, 0)
	for _, s := range p.Statuses {
		add(states, 1, string(s.State))
		add(requests, float64(s.Requests))
		add(records, float64(s.Records))
	}
	return r
}

// up says which workers answer.
func up(workers map[string]bool) *prometheus.Registry {
	r := prometheus.NewRegistry()
	g := gauge(r, "multiscraper_worker_up", "Whether a worker answers, by its address.", "url")
	for address, answers := range workers {
		add(g, map[bool]float64{true: 1}[answers], address)
	}
	return r
}

// lastRun is what the database says, read when somebody asks.
type lastRun struct {
	read func(context.Context, Last) (Last, error)

	turn  chan struct{} // holds one while somebody has the rest
	known Last
	err   error
	at    time.Time
}

// Describe implements prometheus.Collector.
func (l *lastRun) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (l *lastRun) Collect(to chan<- prometheus.Metric) {
	l.turn <- struct{}{} // whoever has it gives it back after readTime at the latest
	defer func() { <-l.turn }()
	if time.Since(l.at) >= fresh {
		l.look()
	}
	r := prometheus.NewRegistry()
	if l.known.Run != nil && l.err == nil {
		r = of(l.known.Run, l.known.Runs)
	}
	add(gauge(r, "multiscraper_database_readable", "Whether the database can be read; one without a run can."), map[bool]float64{true: 1}[l.err == nil])
	r.Collect(to)
}

// look reads the database. What it knew stays known where that fails.
func (l *lastRun) look() {
	ctx, cancel := context.WithTimeout(context.Background(), readTime)
	defer cancel()
	last, err := l.read(ctx, l.known)
	if l.at, l.err = time.Now(), err; err == nil {
		l.known = last
	}
}
