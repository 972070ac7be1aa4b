package crawlcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/browser/render"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// job is a run of the command: what it has opened, in the order in which it is closed.
type job struct {
	console  cli.Console
	settings settings
	log      zerolog.Logger
	screen   *cli.Screen
	listener *cli.Listener // nil: nobody asks
	watch    *cli.Watch
	source   source // nil: no queue
	worker   *crawl.Worker
	renderer *render.Renderer // nil: pages are read as they come
	sites    sites            // nil: the network
	list     io.ReadCloser    // the URLs of sites, where none were given; nil: there is no such list
	tally    *tally
	troubles cli.Troubles
	wake     chan struct{}
	filled   chan struct{}
	inputs   sync.WaitGroup
}

// openJob opens all that a run needs. After an error nothing stays open.
func openJob(ctx context.Context, c cli.Console, s settings, r *runCommand) (j *job, err error) {
	j = &job{console: c, settings: s, tally: newTally(), watch: cli.NewWatch("crawl"), wake: make(chan struct{}, 1), filled: make(chan struct{})}
	logOut := c.Stdout
	if s.jsonl == "-" {
		logOut = c.Stderr
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, j.close())
		}
	}()
	f, err := s.frontier.open(ctx, s.restAfterDeath(), j.awake)
	if err != nil {
		return j, err
	}
	j.worker = &crawl.Worker{Frontier: timed{f, j.tally}}
	if err := j.settings.settle(ctx, r, f); err != nil {
		return j, err
	}
	j.screen = cli.NewScreen(logOut)
	j.log = cli.NewLog(j.screen, r.LogFormat, r.Verbose)
	if r.Fixtures {
		if err := j.startSites(r); err != nil {
			return j, err
		}
	}
	if r.Render {
		if s.proxy != nil || r.Fixtures {
			return j, &scraperutils.ConfigError{Name: "--render", Value: "on", Accepted: "neither --proxy nor --fixtures beside it"}
		}
		j.renderer = render.New()
	}
	if err := j.equip(); err != nil {
		return j, err
	}
	if j.worker.Sinks, err = openSinks(ctx, c, s, r.WarcPlain); err != nil {
		return j, err
	}
	if s.queue != "" {
		if j.source, err = openSource(ctx, s, j); err != nil {
			return j, err
		}
	}
	if s.listen != "" {
		if j.listener, err = listen(s, j); err != nil {
			return j, err
		}
	}
	return j, nil
}

// run fetches until nothing is left or ctx ends, and says what came of it.
func (j *job) run(ctx context.Context, g given, file io.ReadCloser) (code int, err error) {
	began := time.Now()
	served, stop := context.WithCancel(context.WithoutCancel(ctx))
	serving := make(chan error, 1)
	go func() { serving <- j.worker.Scheduler.Serve(served) }()
	ctx, cancel := context.WithCancelCause(ctx)
	j.watch.Until(ctx)
	if file == nil && j.list != nil {
		file, g.File = j.list, "built-in sites"
	}
	j.feed(ctx, cancel, g, file)
	shown := j.follow()
	err = j.worker.Run(ctx)
	cancel(err)
	j.inputs.Wait()
	shown()
	stop()
	if e := <-serving; err == nil {
		err = e
	}
	if err == nil && j.tally.inputErr != nil {
		err = j.tally.inputErr
	}
	if e := j.closeSinks(); err == nil {
		err = e
	}
	j.summary(time.Since(began), err)
	if e := j.close(); err == nil {
		err = e
	}
	if errors.Is(err, crawl.ErrStopped) {
		j.console.Complain("ERROR: stopped by crawl stop")
		return cli.ExitSignal + int(syscall.SIGTERM), nil
	}
	return cli.ExitOK, cli.CauseOf(ctx, err)
}

// feed starts what adds URLs: what was given, and a queue.
func (j *job) feed(ctx context.Context, stop context.CancelCauseFunc, g given, file io.ReadCloser) {
	if file != nil {
		// A read of standard input ends when it is closed, but that of a terminal or a pipe need not: nobody waits for it.
		context.AfterFunc(ctx, func() { _ = file.Close() })
	}
	j.inputs.Go(func() {
		complaints := complaints{console: j.console}
		sum, err := g.addAll(ctx, j.adder(&complaints), file)
		complaints.end()
		switch {
		case ctx.Err() != nil:
		case err != nil:
			j.log.Error().Err(err).Msg("input ended")
			j.tally.inputErr = err
		case g.any():
			j.log.Info().Int("new", sum.New).Int("known", sum.Known).Int("again", sum.Again).Int("refused", sum.Refused).Msg("added")
			if sum.given() == sum.Refused && !j.settings.rules.Keep {
				j.tally.inputErr = &startError{errors.New("none of what was given is a URL")}
			}
		}
		if j.source == nil {
			close(j.filled)
			return
		}
		if err := j.source.Run(ctx, j.addEntries); err != nil && ctx.Err() == nil {
			stop(fmt.Errorf("take URLs from queue %s: %w", j.settings.queue, err))
		}
	})
}

// adder puts URLs into the frontier and wakes the worker.
func (j *job) adder(c *complaints) adder {
	return adder{frontier: j.worker.Frontier, form: j.settings.rules.Form, refused: c.tell, taken: func(added) { j.awake() }}
}

// addEntries adds what a queue holds.
func (j *job) addEntries(ctx context.Context, entries []crawl.Entry) error {
	_, err := j.worker.Frontier.Add(ctx, time.Now(), entries)
	j.awake()
	return err
}

// awake tells the worker that there may be work.
func (j *job) awake() {
	select {
	case j.wake <- struct{}{}:
	default: // it has been told
	}
}

// closeSinks closes the sinks, which may still have to say what they could not do.
func (j *job) closeSinks() (err error) {
	for _, sink := range j.worker.Sinks {
		err = errors.Join(err, sink.Close())
	}
	j.worker.Sinks = nil
	return err
}

// close closes what is open.
func (j *job) close() (err error) {
	if j.listener != nil {
		err = errors.Join(err, j.listener.Close())
	}
	if j.source != nil {
		err = errors.Join(err, j.source.Close())
	}
	if j.worker != nil {
		err = errors.Join(err, j.closeSinks(), j.worker.Frontier.Close())
	}
	if j.renderer != nil {
		err = errors.Join(err, j.renderer.Close())
	}
	if j.sites != nil {
		err = errors.Join(err, j.sites.Close())
	}
	if j.screen != nil {
		j.screen.Close()
	}
	return err
}
