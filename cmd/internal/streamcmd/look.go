package streamcmd

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/status"
)

// maxShards is how many shards have a line of their own.
const maxShards = 20

// behind is the time from the last record of the slowest shard to its end.
func (s sums) behind() (most time.Duration) {
	for _, shard := range s.shards {
		most = max(most, shard.behind)
	}
	return most
}

// lines says of each shard how far it is.
func (s sums) lines() (all []string) {
	for i, id := range slices.Sorted(maps.Keys(s.shards)) {
		if i == maxShards {
			return append(all, fmt.Sprintf("and %d more", len(s.shards)-maxShards))
		}
		shard := s.shards[id]
		all = append(all, fmt.Sprintf("%s  %s, %s behind", id, scraperutils.Count(shard.records, "record"), shard.behind.Round(100*time.Millisecond)))
	}
	return all
}

// works reports whether a shard had records when it was read last.
func (s sums) works() bool {
	for _, shard := range s.shards {
		if !shard.idle {
			return true
		}
	}
	return false
}

// status is what the job says to those who ask.
func (j *job) status(context.Context) (status.Status, error) {
	now, s := j.tally.now(), j.watch.About(j.consumer.Name)
	if s.State == status.Working && !now.works() {
		s.State = status.Waiting
	}
	s.Figures = []status.Figure{
		{Name: "records", Value: float64(now.records), Unit: "records", Total: true}, {Name: "dead letters", Value: float64(now.buried), Unit: "records", Total: true},
		{Name: "failed tries", Value: float64(now.failed), Unit: "tries", Total: true}, {Name: "here", Value: float64(len(now.shards)), Unit: "shards"},
		{Name: "behind", Value: now.behind().Seconds(), Unit: "s"},
	}
	s.Slow, s.Problems = now.lines(), j.troubles.Lately(time.Now())
	return s, nil
}
