package crawlcmd

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// metrics is what Prometheus is told. The library is Prometheus' own: it is what its users expect, to the last detail of a histogram.
type metrics struct {
	registry *prometheus.Registry
	pages    prometheus.Counter
	requests *prometheus.CounterVec
	bytes    prometheus.Counter
	fetch    prometheus.Histogram
	commit   prometheus.Histogram
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		pages:    prometheus.NewCounter(prometheus.CounterOpts{Name: "crawl_pages_total", Help: "Pages that were handed to the sinks."}),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "crawl_requests_total", Help: "Fetches that counted, by what became of the URL: done, retry or failed, and why."}, []string{"outcome", "reason"}),
		bytes:    prometheus.NewCounter(prometheus.CounterOpts{Name: "crawl_bytes_total", Help: "Bytes of bodies, decoded."}),
		fetch:    prometheus.NewHistogram(prometheus.HistogramOpts{Name: "crawl_fetch_seconds", Help: "Time that an answer took.", Buckets: prometheus.ExponentialBuckets(0.01, 2, 14)}),
		commit:   prometheus.NewHistogram(prometheus.HistogramOpts{Name: "crawl_commit_seconds", Help: "Time that a commit of results took.", Buckets: prometheus.ExponentialBuckets(0.001, 2, 14)}),
	}
	m.registry.MustRegister(m.pages, m.requests, m.bytes, m.fetch, m.commit)
	return m
}

// visited counts a fetch.
func (m *metrics) visited(v crawl.Visit) {
	m.requests.WithLabelValues(string(v.Result.State), crawl.ReasonWord(v.Result.Reason)).Inc()
	m.bytes.Add(float64(v.Result.Bytes))
	if v.Page != nil {
		m.pages.Inc()
	}
	if v.Result.Took > 0 {
		m.fetch.Observe(v.Result.Took.Seconds())
	}
}

// queue describes a frontier, when it is asked.
type queue struct {
	worker *crawl.Worker
	leased *prometheus.Desc
	urls   *prometheus.Desc
	hosts  *prometheus.Desc
}

func newQueue(w *crawl.Worker) *queue {
	return &queue{
		worker: w,
		leased: prometheus.NewDesc("crawl_hosts_leased", "Hosts that this process fetches now.", nil, nil),
		urls:   prometheus.NewDesc("crawl_queue", "URLs by state: ready, waiting, done, failed; retrying is part of ready and waiting.", []string{"state"}, nil),
		hosts:  prometheus.NewDesc("crawl_hosts", "Hosts that are known.", nil, nil),
	}
}

// Describe implements prometheus.Collector.
func (q *queue) Describe(to chan<- *prometheus.Desc) { to <- q.leased; to <- q.urls; to <- q.hosts }

// askTime is how long the frontier may take to say how much it holds.
const askTime = 5 * time.Second

// Collect implements prometheus.Collector.
func (q *queue) Collect(to chan<- prometheus.Metric) {
	to <- prometheus.MustNewConstMetric(q.leased, prometheus.GaugeValue, float64(q.worker.Active()))
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	counts, err := q.worker.Frontier.Counts(ctx, time.Now())
	if err != nil {
		to <- prometheus.NewInvalidMetric(q.urls, err)
		return
	}
	to <- prometheus.MustNewConstMetric(q.hosts, prometheus.GaugeValue, float64(counts.Hosts))
	for state, n := range map[string]int{"ready": counts.Ready, "waiting": counts.Waiting, "retrying": counts.Retrying, "done": counts.Done, "failed": counts.Failed} {
		to <- prometheus.MustNewConstMetric(q.urls, prometheus.GaugeValue, float64(n), state)
	}
}
