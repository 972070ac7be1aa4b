package streamcmd

import (
	"maps"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/multiscraper/multiscraper/scraperutils/stream"
)

// tally is what a run has done so far. Its methods may be called from any goroutine.
type tally struct {
	registry *prometheus.Registry
	records  *prometheus.CounterVec // by shard
	batches  prometheus.Counter
	buried   prometheus.Counter
	failed   prometheus.Counter
	troubles *prometheus.CounterVec // by kind
	behind   *prometheus.GaugeVec   // by shard
	leases   prometheus.Gauge

	mu sync.Mutex // guards the rest
	sums
}

// sums is what was counted.
type sums struct {
	records, batches, buried, failed int
	shards                           map[string]shardSum // that are ours
}

// shardSum is what was counted of a shard.
type shardSum struct {
	records  int
	idle     bool // there was no record when it was read last
	behind   time.Duration
	sequence string
}

func newTally() *tally {
	t := &tally{
		registry: prometheus.NewRegistry(),
		records:  prometheus.NewCounterVec(prometheus.CounterOpts{Name: "stream_records_total", Help: "Records that are done and checkpointed."}, []string{"shard"}),
		batches:  prometheus.NewCounter(prometheus.CounterOpts{Name: "stream_batches_total", Help: "Checkpoints that were moved."}),
		buried:   prometheus.NewCounter(prometheus.CounterOpts{Name: "stream_dead_letters_total", Help: "Records that became dead letters."}),
		failed:   prometheus.NewCounter(prometheus.CounterOpts{Name: "stream_failed_tries_total", Help: "Tries of records that failed."}),
		troubles: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "stream_errors_total", Help: "Errors of the stream and of leases that were tried again, by kind; lost counts leases that others took."}, []string{"kind"}),
		behind:   prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "stream_behind_seconds", Help: "From the last record that was read to the end of the shard, for shards that are ours."}, []string{"shard"}),
		leases:   prometheus.NewGauge(prometheus.GaugeOpts{Name: "stream_leases", Help: "Shards that are ours."}),
		sums:     sums{shards: map[string]shardSum{}},
	}
	t.registry.MustRegister(t.records, t.batches, t.buried, t.failed, t.troubles, t.behind, t.leases)
	return t
}

// happened counts an event.
func (t *tally) happened(e stream.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, ours := t.shards[e.Shard]
	switch e.What {
	case stream.Taken:
		ours = true
	case stream.Handled:
		t.sums.records += e.Records
		t.sums.batches++
		t.records.WithLabelValues(e.Shard).Add(float64(e.Records))
		t.batches.Inc()
		s.records, s.idle, s.behind, s.sequence = s.records+e.Records, false, e.Behind, e.Sequence
		t.behind.WithLabelValues(e.Shard).Set(e.Behind.Seconds())
	case stream.Idle:
		s.idle, s.behind = true, e.Behind
		t.behind.WithLabelValues(e.Shard).Set(e.Behind.Seconds())
	case stream.Failed:
		t.sums.failed++
		t.failed.Inc()
	case stream.Buried:
		t.sums.buried++
		t.buried.Inc()
	case stream.Troubled:
		t.troubles.WithLabelValues(string(e.Reason)).Inc()
	case stream.Released, stream.Lost:
		ours = false
		t.behind.DeleteLabelValues(e.Shard)
		delete(t.shards, e.Shard)
		if e.What == stream.Lost {
			t.troubles.WithLabelValues("lost").Inc()
		}
	case stream.Ended:
		t.records.DeleteLabelValues(e.Shard) // shards come and go for as long as a stream lives
	}
	if ours {
		t.shards[e.Shard] = s
	}
	t.leases.Set(float64(len(t.shards)))
}

// now returns what was counted so far.
func (t *tally) now() sums {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.sums
	s.shards = maps.Clone(t.shards)
	return s
}
