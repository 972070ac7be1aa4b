package browsecmd

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/browser/umbra"
)

// How often a worker says what it does.
const (
	redraw   = time.Second // on a terminal
	logEvery = time.Minute // in a log
)

// follow shows what the worker does until the function that it returns is called.
func (j *job) follow() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	every := logEvery
	if j.screen.Terminal {
		every = redraw
	}
	var shown sync.WaitGroup
	shown.Go(func() {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				j.report()
			case <-ctx.Done():
				return
			}
		}
	})
	return func() {
		cancel()
		shown.Wait()
		j.screen.Show(nil)
	}
}

// report says how far the worker is.
func (j *job) report() {
	s, pages := j.worker.Stats(), j.worker.Pages()
	if !j.screen.Terminal {
		line := j.log.Info().Int("done", s.Done).Int("retried", s.Retried).Int("dead", s.Dead).Int("open", count(pages, umbra.PhaseOpen)).
			Int("waiting", count(pages, umbra.PhaseWaiting)).Int("results", s.Results)
		if s.Blocked != "" {
			line = line.Str("blocked", s.Blocked)
		}
		line.Msg("progress")
		return
	}
	panel := []string{fmt.Sprintf("%s done, %s to be tried again, %s dead; %s sent", scraperutils.Count(s.Done, "page"), scraperutils.Digits(s.Retried),
		scraperutils.Digits(s.Dead), scraperutils.Count(s.Results, "request"))}
	if text := blocked(s); text != "" {
		panel = append(panel, text)
	}
	for _, p := range pages {
		panel = append(panel, "  "+describe(p))
	}
	j.screen.Show(panel)
}

// describe says what a page does.
func describe(p umbra.PageStatus) string {
	return fmt.Sprintf("%-8s %6s %s, %s", p.Phase, time.Since(p.Since).Round(100*time.Millisecond), scraperutils.WithoutUser(p.URL), scraperutils.Count(p.Requests, "request"))
}

// tell says in the log what every page does.
func (j *job) tell() {
	pages := j.worker.Pages()
	j.log.Info().Int("pages", len(pages)).Msg("what every page does, by SIGQUIT")
	for _, p := range pages {
		j.log.Info().Str("url", scraperutils.WithoutUser(p.URL)).Str("client", p.ClientID).Str("phase", string(p.Phase)).
			Str("since", time.Since(p.Since).Round(time.Millisecond).String()).Int("requests", p.Requests).Msg("page")
	}
	for _, p := range j.opener.browser.Status() {
		j.log.Info().Str("url", scraperutils.WithoutUser(p.URL)).Str("phase", string(p.Phase)).Str("since", time.Since(p.Since).Round(time.Millisecond).String()).
			Int("open_requests", p.Open).Int("requests", p.Requests).Str("action", p.Action).Msg("browser")
	}
}
