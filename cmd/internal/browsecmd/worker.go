package browsecmd

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/browser/umbra"
)

// workerCommand opens the pages that a queue asks for.
type workerCommand struct {
	opening
	LogFormat string `enum:"text,json" default:"text" placeholder:"FORMAT" help:"Write the log as text, or as json with one object per line."`
	Verbose   bool   `short:"v" help:"Log one line per page."`

	Amqp        string `placeholder:"URL" help:"${amqp}"`
	Exchange    string `placeholder:"NAME" help:"${exchange}"`
	Queue       string `placeholder:"NAME" help:"${queue}"`
	RoutingKey  string `placeholder:"NAME" help:"${routing_key}"`
	RetryPause  string `placeholder:"TIME" help:"${retry_pause}"`
	Drain       string `placeholder:"TIME" help:"${drain}"`
	Listen      string `placeholder:"ADDRESS" help:"${listen}"`
	ListenToken string `placeholder:"TOKEN" help:"${listen_token}"`
}

// Run implements cli.Command.
func (r *workerCommand) Run(ctx context.Context, c cli.Console) (int, error) {
	s, err := readSettings(c)
	if err != nil {
		return cli.ExitUsage, err
	}
	if s.worker.URL == "" {
		return cli.ExitUsage, &scraperutils.ConfigError{Name: "--amqp", Value: "", Accepted: "the URL of a broker: amqp://user:password@host:port/vhost"}
	}
	j, err := openJob(ctx, c, s, r)
	if err != nil {
		return cli.ExitUsage, err
	}
	return cli.ExitOK, j.run(ctx)
}

// job is a worker that runs: what it has opened, in the order in which it is closed.
type job struct {
	log      zerolog.Logger
	screen   *cli.Screen
	troubles cli.Troubles
	metrics  *metrics
	opener   *opener
	worker   *umbra.Worker
	listener *cli.Listener // nil: nobody asks
	watch    *cli.Watch
	name     string // of the process
}

// openJob opens all that a worker needs. After an error nothing stays open.
func openJob(ctx context.Context, c cli.Console, s settings, r *workerCommand) (j *job, err error) {
	j = &job{screen: cli.NewScreen(c.Stdout), metrics: newMetrics(), watch: cli.NewWatch("browse"), name: cli.ProcessName()}
	defer func() {
		if err != nil {
			err = &startError{errors.Join(err, j.close())}
		}
	}()
	j.log = cli.NewLog(j.screen, r.LogFormat, r.Verbose)
	if j.opener, err = openOpener(ctx, s, r.Fixtures, r.NoDelay, j.trouble); err != nil {
		return j, err
	}
	o := s.worker
	o.Browsers, o.Outlinks, o.OnTrouble, o.OnPage = s.browser.Pages, s.outlinks, j.trouble, j.page
	if j.worker, err = umbra.Open(ctx, o, j.opener); err != nil {
		return j, err
	}
	j.metrics.watch(j.worker)
	if s.listen != "" {
		if j.listener, err = cli.ListenGuarded(s.listen, s.token, askTime, cli.WatchMux(j.metrics.handler(), j.status)); err != nil {
			return j, err
		}
		j.log.Info().Str("address", j.listener.Address()).Msg("listening")
	}
	return j, nil
}

// run takes messages until ctx ends.
func (j *job) run(ctx context.Context) error {
	began := time.Now()
	j.log.Info().Msg("waiting for messages")
	j.watch.Until(ctx)
	stop := j.obey(ctx)
	shown := j.follow()
	err := j.worker.Run(ctx)
	shown()
	stop()
	s := j.worker.Stats()
	j.log.Info().Int("done", s.Done).Int("retried", s.Retried).Int("dead", s.Dead).Int("returned", s.Returned).Int("results", s.Results).
		Str("took", time.Since(began).Round(time.Millisecond).String()).Msg("stopped: what is left waits in the queue")
	return cli.CauseOf(ctx, errors.Join(err, j.close()))
}

// close closes what is open.
func (j *job) close() (err error) {
	if j.listener != nil {
		err = errors.Join(err, j.listener.Close())
	}
	if j.worker != nil {
		err = errors.Join(err, j.worker.Close())
	}
	if j.opener != nil {
		err = errors.Join(err, j.opener.close())
	}
	j.screen.Close()
	return err
}

// obey follows the signals that do not end a worker, until stop is called.
func (j *job) obey(ctx context.Context) (stop func()) {
	hangups, unhook := cli.Hangups(ctx)
	quits, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(quits, syscall.SIGQUIT)
	var over sync.WaitGroup
	over.Go(func() {
		for {
			select {
			case <-hangups:
				j.log.Info().Msg("new connections, by SIGHUP")
				j.worker.Reconnect()
			case <-quits:
				j.tell()
			case <-done:
				return
			}
		}
	})
	return func() {
		unhook()
		signal.Stop(quits)
		close(done)
		over.Wait()
	}
}

// page takes in what became of a message.
func (j *job) page(p umbra.PageDone) {
	j.metrics.page(p)
	line := j.log.Debug()
	if p.Fate != umbra.FateDone {
		line = j.log.Warn().Err(p.Err)
	}
	line.Str("url", scraperutils.WithoutUser(p.URL)).Str("fate", string(p.Fate)).Int("requests", p.Requests).
		Str("took", p.Took.Round(time.Millisecond).String()).Msg("page")
}

// trouble logs what is tried again.
func (j *job) trouble(err error) {
	if errors.Is(err, context.Canceled) || !j.troubles.News(err.Error(), time.Now()) {
		return
	}
	j.log.Warn().Err(err).Msg("tried again")
}
