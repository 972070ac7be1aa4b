package streamcmd

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/stream"
)

// follow shows what the job does until the function that it returns is called.
func (j *job) follow() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var shown sync.WaitGroup
	shown.Go(func() {
		ticker := time.NewTicker(j.screen.Every())
		defer ticker.Stop()
		for before, at := j.tally.now(), time.Now(); ; {
			select {
			case <-ticker.C:
			case <-ctx.Done():
				return
			}
			now := j.tally.now()
			j.report(now, float64(now.records-before.records)/time.Since(at).Seconds())
			before, at = now, time.Now()
		}
	})
	return func() {
		cancel()
		shown.Wait()
		j.screen.Show(nil)
	}
}

// report says how far the job is.
func (j *job) report(now sums, rate float64) {
	if !j.screen.Terminal {
		j.log.Info().Int("records", now.records).Float64("records_a_second", float64(int(rate*10+0.5))/10).Int("dead_letters", now.buried).
			Int("shards", len(now.shards)).Float64("behind_s", now.behind().Seconds()).Msg("progress")
		return
	}
	panel := []string{fmt.Sprintf("%s, %.1f a second; %s, %s here", scraperutils.Count(now.records, "record"), rate,
		scraperutils.Count(now.buried, "dead letter"), scraperutils.Count(len(now.shards), "shard"))}
	for _, line := range now.lines() {
		panel = append(panel, "  "+line)
	}
	j.screen.Show(panel)
}

// happened counts an event, and logs what a person wants to know.
func (j *job) happened(e stream.Event) {
	j.tally.happened(e)
	switch e.What {
	case stream.Handled:
		j.log.Debug().Str("shard", e.Shard).Int("records", e.Records).Str("sequence", e.Sequence).Dur("took_ms", e.Took).Dur("behind_ms", e.Behind).Msg("handled")
	case stream.Idle:
	case stream.Started:
		j.log.Info().Str("stream", j.settings.name).Str("start", e.Text).Msg("shards without a checkpoint start there")
	case stream.Waiting:
		j.log.Info().Str("shard", e.Shard).Str("until", e.Text).Msg("the start is in the future: waiting")
	case stream.Troubled:
		if text := fmt.Sprintf("%s: %s: %v", e.Shard, e.Reason, e.Err); j.troubles.News(text, time.Now()) {
			j.log.Warn().Str("shard", e.Shard).Str("kind", string(e.Reason)).Err(e.Err).Msg("trouble, tried again")
		}
	case stream.Failed:
		j.log.Warn().Str("shard", e.Shard).Str("sequence", e.Sequence).Err(e.Err).Msg("record failed")
	case stream.Buried:
		j.log.Error().Str("shard", e.Shard).Str("sequence", e.Sequence).Err(e.Err).Msg("record is a dead letter")
	case stream.Jumped:
		j.log.Error().Str("shard", e.Shard).Str("to", e.Text).Err(e.Err).Msg("records are lost: going on")
	case stream.Lost:
		j.log.Warn().Str("shard", e.Shard).Msg("another process has the shard")
	default:
		j.log.Info().Str("shard", e.Shard).Msg(e.What)
	}
}
