package streamcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/rs/zerolog"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/cmd/internal/crawlcmd"
	"github.com/multiscraper/multiscraper/db/leases"
	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/intake"
	"github.com/multiscraper/multiscraper/scraperutils/stream"
	"github.com/multiscraper/multiscraper/scraperutils/stream/kinesis"
)

// runCommand hands records on.
type runCommand struct {
	Program   []string `arg:"" optional:"" help:"A program and its arguments, after --. It reads records and writes answers, one per line."`
	Create    bool     `help:"Create the stream and the table if they are missing."`
	LogFormat string   `enum:"text,json" default:"text" placeholder:"FORMAT" help:"Write the log as text, or as json with one object per line."`
	Verbose   bool     `short:"v" help:"Log one line per batch."`

	Stream           string `placeholder:"NAME" help:"${stream}"`
	Shard            string `placeholder:"SHARD" help:"${shard}"`
	Region           string `placeholder:"REGION" help:"${region}"`
	Endpoint         string `placeholder:"URL" help:"${endpoint}"`
	Verify           string `placeholder:"SWITCH" help:"${verify}"`
	Start            string `placeholder:"WHERE" help:"${start}"`
	At               string `placeholder:"WHEN" help:"${at}"`
	State            string `placeholder:"FILE" help:"${state}"`
	Dynamodb         string `placeholder:"TABLE" help:"${dynamodb}"`
	Checkpoints      string `placeholder:"DIR" help:"${checkpoints}"`
	Batch            string `placeholder:"N" help:"${batch}"`
	Lease            string `placeholder:"TIME" help:"${lease}"`
	Duration         string `placeholder:"TIME" help:"${duration}"`
	Tries            string `placeholder:"N" help:"${tries}"`
	RetryAfter       string `placeholder:"TIME" help:"${retry_after}"`
	OnPoison         string `placeholder:"WHAT" help:"${on_poison}"`
	OnLostCheckpoint string `placeholder:"WHERE" help:"${on_lost_checkpoint}"`
	Answer           string `placeholder:"TIME" help:"${answer}"`
	Crawl            string `placeholder:"FRONTIER" help:"${crawl}"`
	Field            string `placeholder:"NAME" help:"${field}"`
	Listen           string `placeholder:"ADDRESS" help:"${listen}"`
	ListenToken      string `placeholder:"TOKEN" help:"${listen_token}"`
	RunTimeout       string `placeholder:"TIME" help:"${run_timeout}"`
}

// Run implements cli.Command.
func (r *runCommand) Run(ctx context.Context, c cli.Console) (int, error) {
	s, err := readSettings(c)
	if err != nil {
		return cli.ExitUsage, err
	}
	if err := r.check(s); err != nil {
		return cli.ExitUsage, err
	}
	for _, warning := range declared.Misspelt(c.Names) {
		c.Complain(c.Name + ": " + warning)
	}
	if s.runTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, s.runTimeout, &scheduler.RunTimeoutError{Limit: s.runTimeout})
		defer cancel()
	}
	j, err := openJob(ctx, c, s, r)
	if err != nil {
		return cli.ExitUsage, errors.Join(err, j.close())
	}
	return cli.ExitOK, j.run(ctx)
}

// check returns what a command line lacks beside its settings.
func (r *runCommand) check(s settings) error {
	switch {
	case len(r.Program) == 0 && s.frontier == "":
		return &startError{errors.New("nothing handles the records: expected -- PROGRAM, or --crawl FRONTIER")}
	case len(r.Program) > 0 && s.frontier != "":
		return &startError{errors.New("expected a program or --crawl, not both")}
	case len(r.Program) == 0:
		return nil
	}
	if _, err := exec.LookPath(r.Program[0]); err != nil {
		return &startError{fmt.Errorf("program: %w", err)}
	}
	return nil
}

// keeper keeps leases and dead letters.
type keeper interface {
	stream.Leases
	stream.DeadLetters
	io.Closer
}

// job is a run of the command: what it has opened.
type job struct {
	settings settings
	log      zerolog.Logger
	screen   *cli.Screen
	listener *cli.Listener // nil: nobody asks
	watch    *cli.Watch
	keeper   keeper         // nil: not opened
	program  *program       // nil: there is none
	frontier crawl.Frontier // nil: there is none
	tally    *tally
	troubles cli.Troubles
	consumer *stream.Consumer
}

// openJob opens all that a run needs. After an error the job has to be closed too.
func openJob(ctx context.Context, c cli.Console, s settings, r *runCommand) (j *job, err error) {
	j = &job{settings: s, tally: newTally(), watch: cli.NewWatch("stream"), screen: cli.NewScreen(c.Stdout)}
	j.log = cli.NewLog(j.screen, r.LogFormat, r.Verbose)
	source, err := kinesis.Open(ctx, kinesis.Options{Stream: s.name, Region: s.region, Endpoint: s.endpoint, Insecure: !s.verify, Create: r.Create})
	if err != nil {
		return j, startUnlessOver(ctx, err)
	}
	if j.keeper, err = openKeeper(ctx, s, r.Create); err != nil {
		return j, err
	}
	var kept stream.Leases = j.keeper
	if s.volume != "" {
		if kept, err = stream.NewVolume(j.keeper, s.volume, s.name); err != nil {
			return j, &startError{err}
		}
	}
	handler, err := j.openHandler(ctx, c, r.Program)
	if err != nil {
		return j, err
	}
	j.consumer = &stream.Consumer{
		Source: source, Leases: kept, Handler: handler, Name: cli.ProcessName(),
		Start: s.start, Shard: s.shard, Batch: s.batch, Lease: s.lease, Duration: s.duration, Tries: s.tries, Retry: s.retry, OnEvent: j.happened,
	}
	if s.poison == bury {
		j.consumer.DeadLetters = j.keeper
	}
	if s.lost != stop {
		j.consumer.OnLost = stream.Kind(s.lost)
	}
	if s.listen != "" {
		handler := promhttp.HandlerFor(j.tally.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
		if j.listener, err = cli.ListenGuarded(s.listen, s.token, time.Minute, cli.WatchMux(handler, j.status)); err != nil {
			return j, &startError{err}
		}
		j.log.Info().Str("address", j.listener.Address()).Msg("listening")
	}
	return j, nil
}

// startUnlessOver is an error for which nothing could begin, or why the context ended.
func startUnlessOver(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &startError{err}
}

func openKeeper(ctx context.Context, s settings, create bool) (keeper, error) {
	if s.table != "" {
		return openTable(ctx, s, create)
	}
	if err := os.MkdirAll(filepath.Dir(s.state), 0o755); err != nil {
		return nil, &startError{fmt.Errorf("make the folder of %s: %w", s.state, err)}
	}
	f, err := leases.Open(ctx, s.state, s.name)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// openHandler opens what handles records.
func (j *job) openHandler(ctx context.Context, c cli.Console, args []string) (stream.Handler, error) {
	if j.settings.frontier == "" {
		j.program = newProgram(args, j.settings.answer, c.Stderr)
		return stream.Each(j.program.Each), nil
	}
	f, err := crawlcmd.Join(ctx, j.settings.frontier)
	if err != nil {
		return nil, err
	}
	j.frontier = f
	return &feeder{frontier: f, options: intake.Options{Column: j.settings.field}}, nil
}

// run handles records until something ends that, and says what came of it.
func (j *job) run(ctx context.Context) error {
	began := time.Now()
	j.watch.Until(ctx)
	shown := j.follow()
	err := j.consumer.Run(ctx)
	shown()
	if j.tally.now().batches > 0 || !nothingRan(err) {
		j.summary(time.Since(began), err)
	}
	if e := j.close(); err == nil {
		err = e
	}
	return err
}

// summary is the last line of a run.
func (j *job) summary(took time.Duration, err error) {
	s := j.tally.now()
	line := j.log.Info()
	if err != nil && !cli.CutShort(err) {
		line = j.log.Error().Err(err)
	}
	line.Int("records", s.records).Int("batches", s.batches).Int("dead_letters", s.buried).Int("failed_tries", s.failed).
		Str("took", took.Round(time.Millisecond).String()).Msg(cmp.Or(ending(err), "done"))
}

func ending(err error) string {
	switch {
	case err == nil:
		return ""
	case cli.CutShort(err):
		return "stopped: the next run goes on where this one ends"
	}
	return "ended"
}

// close closes what is open.
func (j *job) close() (err error) {
	if j.listener != nil {
		err = errors.Join(err, j.listener.Close())
	}
	if j.program != nil {
		j.program.close()
	}
	if j.frontier != nil {
		err = errors.Join(err, j.frontier.Close())
	}
	if j.keeper != nil {
		err = errors.Join(err, j.keeper.Close())
	}
	j.screen.Close()
	return err
}
