package browsecmd

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/multiscraper/multiscraper/scraperutils/browser/umbra"
)

// askTime is how long who asks may take.
const askTime = 10 * time.Second

// metrics is what Prometheus is told.
type metrics struct {
	registry *prometheus.Registry
	pages    *prometheus.CounterVec
	took     prometheus.Histogram
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		pages:    prometheus.NewCounterVec(prometheus.CounterOpts{Name: "browse_messages_total", Help: "Messages that were settled, by their fate: done, retry or dead."}, []string{"fate"}),
		took:     prometheus.NewHistogram(prometheus.HistogramOpts{Name: "browse_page_seconds", Help: "Time from a message to the end of its page, waiting for the host included.", Buckets: prometheus.ExponentialBuckets(0.5, 2, 10)}),
	}
	m.registry.MustRegister(m.pages, m.took)
	for _, fate := range []umbra.Fate{umbra.FateDone, umbra.FateRetry, umbra.FateDead} {
		m.pages.WithLabelValues(string(fate))
	}
	return m
}

// page counts a message.
func (m *metrics) page(p umbra.PageDone) {
	m.pages.WithLabelValues(string(p.Fate)).Inc()
	m.took.Observe(p.Took.Seconds())
}

// watch has what a worker counts by itself told too.
func (m *metrics) watch(w *umbra.Worker) {
	counter := func(name, help string, of func(umbra.Stats) int) {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, func() float64 { return float64(of(w.Stats())) }))
	}
	gauge := func(name, help string, of func(umbra.Stats) int) {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return float64(of(w.Stats())) }))
	}
	counter("browse_pages_opened_total", "Pages that were opened, each try of them.", func(s umbra.Stats) int { return s.Begun })
	counter("browse_results_total", "Requests of pages that were handed to the broker.", func(s umbra.Stats) int { return s.Results })
	counter("browse_results_unrouted_total", "Of them, those that no queue took.", func(s umbra.Stats) int { return s.Unrouted })
	counter("browse_messages_returned_total", "Messages that went back to the queue unsettled.", func(s umbra.Stats) int { return s.Returned })
	counter("browse_acks_lost_total", "Acknowledgments that may be lost with their connections.", func(s umbra.Stats) int { return s.Lost })
	counter("browse_messages_again_total", "Messages that came again while their pages were open or done.", func(s umbra.Stats) int { return s.Joined + s.Known })
	counter("browse_connection_troubles_total", "Connections that were lost or could not be made.", func(s umbra.Stats) int { return s.Troubles })
	gauge("browse_results_waiting", "Requests of pages that are not on their way to the broker.", func(s umbra.Stats) int { return s.Waiting })
	gauge("browse_broker_blocked", "Whether the broker takes nothing now.", func(s umbra.Stats) int { return min(len(s.Blocked), 1) })
	for _, phase := range []umbra.Phase{umbra.PhaseWaiting, umbra.PhaseOpen, umbra.PhaseSending, umbra.PhaseAcking} {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "browse_pages", Help: "Pages by what is done about them.", ConstLabels: prometheus.Labels{"phase": string(phase)},
		}, func() float64 { return float64(count(w.Pages(), phase)) }))
	}
}

func count(pages []umbra.PageStatus, phase umbra.Phase) (n int) {
	for _, p := range pages {
		if p.Phase == phase {
			n++
		}
	}
	return n
}

// handler answers Prometheus.
func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: askTime})
}
