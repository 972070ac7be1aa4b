package crawlcmd

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
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
			now, err := j.look(ctx)
			if err != nil {
				continue // it is asked again soon
			}
			j.report(now, float64(now.pages-before.pages)/time.Since(at).Seconds())
			before, at = now.sums, time.Now()
		}
	})
	return func() {
		cancel()
		shown.Wait()
		j.screen.Show(nil)
	}
}

// report says how far the job is.
func (j *job) report(now picture, rate float64) {
	counts, slow := now.counts, now.slow
	if !j.screen.Terminal {
		line := j.log.Info().Int("pages", now.pages).Float64("pages_a_second", round(rate)).Int("ready", counts.Ready).Int("waiting", counts.Waiting).
			Int("retrying", counts.Retrying).Int("done", counts.Done).Int("failed", counts.Failed).Int("hosts_leased", now.active)
		if len(slow) > 0 {
			line = line.Str("slowest", slow[0].String())
		}
		line.Msg("progress")
		return
	}
	panel := []string{
		fmt.Sprintf("%s, %.1f a second, %s; %d hosts at work", scraperutils.Count(now.pages, "page"), rate, bytesOf(now.bytes), now.active),
		fmt.Sprintf("%s ready, %s waiting (%s to be tried again), %s done, %s failed%s", scraperutils.Digits(counts.Ready), scraperutils.Digits(counts.Waiting),
			scraperutils.Digits(counts.Retrying), scraperutils.Digits(counts.Done), scraperutils.Digits(counts.Failed), reasons(counts.FailedBy, 3)),
	}
	for _, h := range slow {
		panel = append(panel, "  "+h.String())
	}
	j.screen.Show(panel)
}

// reasons lists why URLs failed, the most frequent reasons first.
func reasons(by map[string]int, most int) string {
	type reason struct {
		word string
		n    int
	}
	var all []reason
	for word, n := range by {
		if n > 0 {
			all = append(all, reason{word, n})
		}
	}
	slices.SortFunc(all, func(a, b reason) int {
		if a.n != b.n {
			return b.n - a.n
		}
		return strings.Compare(a.word, b.word)
	})
	var texts []string
	for i, r := range all {
		if i == most {
			texts = append(texts, "…")
			break
		}
		texts = append(texts, fmt.Sprintf("%s %s", scraperutils.Digits(r.n), r.word))
	}
	if len(texts) == 0 {
		return ""
	}
	return " (" + strings.Join(texts, ", ") + ")"
}
