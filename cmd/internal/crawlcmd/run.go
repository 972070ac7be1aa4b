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
	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/browser/render"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// runCommand fetches what a frontier holds.
type runCommand struct {
	given
	Recrawl   bool   `help:"Fetch pages again: a day after the first visit, then later if they have not changed, and earlier if they have."`
	Keep      bool   `help:"Wait for more URLs when nothing is left."`
	NoDelay   bool   `help:"Do not rest between requests; only for your own test sites."`
	WarcPlain bool   `help:"Do not compress WARC files."`
	Fixtures  bool   `help:"Fetch built-in sites on loopback instead of the network; without URLs, fetch their list."`
	LogFormat string `enum:"text,json" default:"text" placeholder:"FORMAT" help:"Write the log as text, or as json with one object per line."`
	Render    bool   `help:"Read pages as they are after their scripts, with the program browse, found beside this one or on the PATH."`
	Verbose   bool   `short:"v" help:"Log one line per fetch."`

	Frontier    string `placeholder:"PLACE" help:"${frontier}"`
	Scope       string `placeholder:"SCOPE" help:"${scope}"`
	Depth       string `placeholder:"N" help:"${depth}"`
	Include     string `placeholder:"PATTERNS" help:"${include}"`
	Exclude     string `placeholder:"PATTERNS" help:"${exclude}"`
	MaxPages    string `placeholder:"N" help:"${max_pages}"`
	MaxPerHost  string `placeholder:"N" help:"${max_per_host}"`
	Sitemaps    string `placeholder:"SWITCH" help:"${sitemaps}"`
	Links       string `placeholder:"KINDS" help:"${links}"`
	Nofollow    string `placeholder:"HOW" help:"${nofollow}"`
	MaxVariants string `placeholder:"N" help:"${max_variants}"`
	MaxSeries   string `placeholder:"N" help:"${max_series}"`
	MaxSegments string `placeholder:"N" help:"${max_segments}"`
	MaxLength   string `placeholder:"N" help:"${max_length}"`
	SessionIDs  string `name:"session-ids" placeholder:"NAMES" help:"${session_ids}"`
	SortQuery   string `placeholder:"SWITCH" help:"${sort_query}"`
	PerHost     string `placeholder:"N" help:"${per_host}"`
	MaxLoad     string `placeholder:"PERCENT" help:"${max_load}"`
	MinInterval string `placeholder:"TIME" help:"${min_interval}"`
	Lease       string `placeholder:"TIME" help:"${lease}"`
	Requests    string `placeholder:"N" help:"${requests}"`
	Retries     string `placeholder:"N" help:"${retries}"`
	RetryAfter  string `placeholder:"TIME" help:"${retry_after}"`
	Down        string `placeholder:"TIME" help:"${down}"`
	Accept      string `placeholder:"TYPES" help:"${accept}"`
	MaxBody     string `placeholder:"SIZE" help:"${max_body}"`
	Redirects   string `placeholder:"HOW" help:"${redirects}"`
	Timeout     string `placeholder:"TIME" help:"${timeout}"`
	UserAgent   string `placeholder:"TEXT" help:"${user_agent}"`
	Proxy       string `placeholder:"URL" help:"${proxy}"`
	Warc        string `placeholder:"DIR" help:"${warc}"`
	Jsonl       string `placeholder:"FILE" help:"${jsonl}"`
	Amqp        string `placeholder:"URL" help:"${amqp}"`
	Out         string `placeholder:"EXCHANGE/KEY" help:"${out}"`
	FromAmqp    string `placeholder:"QUEUE" help:"${from_amqp}"`
	Listen      string `placeholder:"ADDRESS" help:"${listen}"`
	ListenToken string `placeholder:"TOKEN" help:"${listen_token}"`
	RunTimeout  string `placeholder:"TIME" help:"${run_timeout}"`
}

// Run implements cli.Command.
func (r *runCommand) Run(ctx context.Context, c cli.Console) (int, error) {
	s, err := readSettings(c)
	if err != nil {
		return cli.ExitUsage, err
	}
	if err := r.check(); err != nil {
		return cli.ExitUsage, err
	}
	for _, warning := range declared.Misspelt(c.Names) {
		c.Complain(c.Name + ": " + warning)
	}
	tuneMemory(c.Env)
	s.rules.Keep = r.Keep || s.queue != ""
	s.rules.Recrawl = r.Recrawl
	s.pace.NoDelay = r.NoDelay
	file, err := r.open()
	if err != nil {
		return cli.ExitUsage, err
	}
	j, err := openJob(ctx, c, s, r)
	if err != nil {
		if file != nil {
			err = errors.Join(err, file.Close())
		}
		return cli.ExitUsage, err
	}
	if s.runTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, s.runTimeout, &scheduler.RunTimeoutError{Limit: s.runTimeout})
		defer cancel()
	}
	return j.run(ctx, r.given, file)
}

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
