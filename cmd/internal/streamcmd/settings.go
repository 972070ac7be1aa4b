package streamcmd

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/stream"
)

// Defaults of settings.
const (
	defaultState  = "stream.sqlite"
	defaultAnswer = 5 * time.Minute
)

// maxTime is the longest time that a setting may be.
const maxTime = 365 * 24 * time.Hour

// settings is how a run behaves, whoever said so: flags win over the environment, which wins over defaults.
type settings struct {
	name     string
	shard    string // "": all
	region   string
	endpoint string
	verify   bool

	startKind string
	startAt   string
	start     stream.Position // of both

	state  string
	table  string // of DynamoDB; "": a file
	volume string // with checkpoint files; "": none

	batch    int
	lease    time.Duration
	duration time.Duration
	tries    int
	retry    stream.Backoff
	poison   string
	lost     string
	answer   time.Duration

	frontier string // of a crawl; "": a program
	field    string

	listen     string
	token      string
	runTimeout time.Duration
}

// declared is all settings. The table in docs/stream.md is made from it. Older names come before those that win over them.
//
//go:generate go test -run ^TestSettingsAreDocumented$ -update
var declared = slices.Concat(cli.Settings[settings]{
	{Variable: "STREAM_REGION", Flag: "--region", Default: "as AWS has it (AWS_REGION, ~/.aws)", Accepted: "a region like us-east-1",
		Meaning: "use the stream of this region",
		Read:    cli.Into(region, func(s *settings) *string { return &s.region })},
}, older, cli.Settings[settings]{
	{Variable: "STREAM_NAME", Flag: "--stream", Default: "none, and there has to be one", Accepted: "a name of 1 to 128 letters, digits, _ . or -",
		Meaning: "read the stream of this name",
		Read:    cli.Into(streamName, func(s *settings) *string { return &s.name })},
	{Variable: "STREAM_SHARD", Flag: "--shard", Default: "all", Accepted: "a shard like shardId-000000000000, or its number",
		Meaning: "read only this shard, without those that split or merge from it",
		Read:    cli.Into(shardName, func(s *settings) *string { return &s.shard })},
	{Variable: "STREAM_ENDPOINT", Flag: "--endpoint", Default: "AWS", Accepted: "a URL like http://127.0.0.1:4567, without credentials", Secret: true,
		Meaning: "use this Kinesis endpoint instead of AWS; `AWS_ENDPOINT_URL_DYNAMODB` sets that of DynamoDB",
		Read:    cli.Into(endpoint, func(s *settings) *string { return &s.endpoint })},
	{Variable: "STREAM_VERIFY", Flag: "--verify", Default: "on", Accepted: cli.Switch,
		Meaning: "check the certificate of the stream's server",
		Read:    cli.Into(cli.OnOff, func(s *settings) *bool { return &s.verify })},
	{Variable: "STREAM_START", Flag: "--start", Default: "AT_TIMESTAMP", Accepted: startKinds,
		Meaning: "start shards here if the state knows nothing of the stream; `LATEST` is kept as the time of the first look",
		Read:    cli.Into(startKind, func(s *settings) *string { return &s.startKind })},
	{Variable: "STREAM_AT", Flag: "--at", Default: "now", Accepted: "a time like 2026-01-31T12:00:00Z, which is UTC without a zone; or a sequence number",
		Meaning: "start at this time with `AT_TIMESTAMP`, or after this record with `AFTER_SEQUENCE_NUMBER`",
		Read:    cli.Into(cli.Text, func(s *settings) *string { return &s.startAt })},
	{Variable: "STREAM_STATE", Flag: "--state", Default: defaultState, Accepted: "a file",
		Meaning: "keep leases, checkpoints, and dead letters in this SQLite file, for processes on one machine",
		Read:    cli.Into(cli.Text, func(s *settings) *string { return &s.state })},
	{Variable: "STREAM_DYNAMODB", Flag: "--dynamodb", Default: "none", Accepted: "the name of a table, of 3 to 255 letters, digits, _ . or -",
		Meaning: "keep them in this DynamoDB table instead, for processes on several machines",
		Read:    cli.Into(tableName, func(s *settings) *string { return &s.table })},
	{Variable: "STREAM_CHECKPOINTS", Flag: "--checkpoints", Default: "none", Accepted: "a folder",
		Meaning: "take over the checkpoint files `STREAM__SHARD.json` of this folder if nothing else is known, and keep them up to date",
		Read:    cli.Into(cli.Text, func(s *settings) *string { return &s.volume })},
	{Variable: "STREAM_BATCH", Flag: "--batch", Default: "1000", Accepted: "a number from 1 to 10000",
		Meaning: "read up to N records at once; a kill repeats up to N records per shard",
		Read:    cli.Into(cli.Whole(1, stream.MaxBatch), func(s *settings) *int { return &s.batch })},
	{Variable: "STREAM_LEASE", Flag: "--lease", Default: "30s", Accepted: "seconds or a duration like 30s, from 1s to 1h",
		Meaning: "lease shards for this long: so long the shards of a dead process wait",
		Read:    cli.Into(lease, func(s *settings) *time.Duration { return &s.lease })},
	{Variable: "STREAM_DURATION", Flag: "--duration", Default: "none", Accepted: "seconds or a duration like 6h, over zero, at most a year",
		Meaning: "end this long after the first read, once all read records are handled",
		Read:    cli.Into(cli.Timeout(maxTime), func(s *settings) *time.Duration { return &s.duration })},
	{Variable: "STREAM_TRIES", Flag: "--tries", Default: "3", Accepted: "a number from 1 to 1000",
		Meaning: "give a record up after N failed tries",
		Read:    cli.Into(cli.Whole(1, 1000), func(s *settings) *int { return &s.tries })},
	{Variable: "STREAM_RETRY_AFTER", Flag: "--retry-after", Default: "1s, doubling up to a minute", Accepted: "seconds or a duration like 1s, at most an hour",
		Meaning: "wait this long before the second try",
		Read:    cli.Into(cli.Duration(time.Hour), func(s *settings) *time.Duration { return &s.retry.First })},
	{Variable: "STREAM_ON_POISON", Flag: "--on-poison", Default: "bury", Accepted: "bury or stop",
		Meaning: "when a record's tries are used up, `bury` it as a dead letter with its data and error and go on, or `stop` the run",
		Read:    cli.Into(cli.OneOf(bury, stop), func(s *settings) *string { return &s.poison })},
	{Variable: "STREAM_ON_LOST_CHECKPOINT", Flag: "--on-lost-checkpoint", Default: stop, Accepted: "stop, TRIM_HORIZON or LATEST",
		Meaning: "when the stream rejects a shard's checkpoint, `stop` the run, or continue at this position",
		Read:    cli.Into(cli.OneOf(stop, string(stream.Horizon), string(stream.Latest)), func(s *settings) *string { return &s.lost })},
	{Variable: "STREAM_ANSWER", Flag: "--answer", Default: "5m", Accepted: "seconds or a duration like 5m, over zero, at most a year",
		Meaning: "kill the program if it takes longer than this for a record, which uses up a try",
		Read:    cli.Into(cli.Timeout(maxTime), func(s *settings) *time.Duration { return &s.answer })},
	{Variable: "STREAM_CRAWL", Flag: "--crawl", Default: "none", Accepted: "the path of a file, or postgres://user:password@host:port/database", Secret: true,
		Meaning: "add the URLs that records name to this frontier of a crawl, instead of running a program",
		Read:    cli.Into(crawlPlace, func(s *settings) *string { return &s.frontier })},
	{Variable: "STREAM_FIELD", Flag: "--field", Default: "url or link", Accepted: "the name of a field",
		Meaning: "read the URL from this field of a record's JSON; a record may also be a URL alone, or a list of them",
		Read:    cli.Into(cli.Text, func(s *settings) *string { return &s.field })},
	{Variable: "STREAM_LISTEN", Flag: "--listen", Default: "off", Accepted: "host:port; other than loopback only with --listen-token",
		Meaning: "serve /metrics, /status, and /healthz at this address",
		Read:    cli.Into(cli.ListenAddress, func(s *settings) *string { return &s.listen })},
	{Variable: "STREAM_LISTEN_TOKEN", Flag: "--listen-token", Default: "none", Accepted: "16 characters or more, without blanks", Secret: true,
		Meaning: "require this token from callers: Authorization: Bearer …",
		Read:    cli.Into(cli.Token, func(s *settings) *string { return &s.token })},
	{Variable: "STREAM_RUN_TIMEOUT", Flag: "--run-timeout", Default: "none", Accepted: "seconds or a duration like 6h, over zero, at most a year",
		Meaning: "stop after this time, whatever is left",
		Read:    cli.Into(cli.Timeout(maxTime), func(s *settings) *time.Duration { return &s.runTimeout })},
})

// older is the names that arXiv's consumer reads. They mean what they mean there.
var older = cli.Settings[settings]{
	{Variable: "KINESIS_STREAM", Default: "none", Accepted: "a name of 1 to 128 letters, digits, _ . or -", Meaning: "as `STREAM_NAME`, which wins",
		Read: cli.Into(streamName, func(s *settings) *string { return &s.name })},
	{Variable: "KINESIS_SHARD_ID", Default: "all", Accepted: "a shard like shardId-000000000000, or its number", Meaning: "as `STREAM_SHARD`",
		Read: cli.Into(shardName, func(s *settings) *string { return &s.shard })},
	{Variable: "KINESIS_ENDPOINT", Default: "AWS", Accepted: "a URL like http://127.0.0.1:4567, without credentials", Secret: true, Meaning: "as `STREAM_ENDPOINT`",
		Read: cli.Into(endpoint, func(s *settings) *string { return &s.endpoint })},
	{Variable: "KINESIS_VERIFY", Default: "true", Accepted: cli.Switch, Meaning: "as `STREAM_VERIFY`",
		Read: cli.Into(cli.OnOff, func(s *settings) *bool { return &s.verify })},
	{Variable: "KINESIS_START_TYPE", Default: "AT_TIMESTAMP", Accepted: startKinds, Meaning: "as `STREAM_START`",
		Read: cli.Into(startKind, func(s *settings) *string { return &s.startKind })},
	{Variable: "KINESIS_START_AT", Default: "now", Accepted: "a time, which is UTC without a zone; or a sequence number", Meaning: "as `STREAM_AT`",
		Read: cli.Into(cli.Text, func(s *settings) *string { return &s.startAt })},
	{Variable: "KINESIS_CHECKPOINT_VOLUME", Default: "none", Accepted: "a folder", Meaning: "as `STREAM_CHECKPOINTS`",
		Read: cli.Into(cli.Text, func(s *settings) *string { return &s.volume })},
	{Variable: "KINESIS_RETRY_TRIES", Default: "3", Accepted: "a number from 1 to 1000", Meaning: "as `STREAM_TRIES`",
		Read: cli.Into(cli.Whole(1, 1000), func(s *settings) *int { return &s.tries })},
	{Variable: "KINESIS_RETRY_DELAY", Default: "1", Accepted: "seconds or a duration like 1s, at most an hour", Meaning: "as `STREAM_RETRY_AFTER`",
		Read: cli.Into(cli.Duration(time.Hour), func(s *settings) *time.Duration { return &s.retry.First })},
	{Variable: "KINESIS_RETRY_MAX_DELAY", Default: "60", Accepted: "seconds or a duration like 1m, at most a day", Meaning: "wait at most this long between tries",
		Read: cli.Into(cli.Duration(24*time.Hour), func(s *settings) *time.Duration { return &s.retry.Most })},
	{Variable: "KINESIS_RETRY_BACKOFF", Default: "2", Accepted: "a number from 1 to 100", Meaning: "multiply the pause by this after each try",
		Read: cli.Into(cli.Number(1, 100), func(s *settings) *float64 { return &s.retry.Factor })},
	{Variable: "KINESIS_RETRY_JITTER", Default: "0", Accepted: "seconds or a duration like 1s, at most an hour", Meaning: "add up to this much to each pause, at random",
		Read: cli.Into(cli.Duration(time.Hour), func(s *settings) *time.Duration { return &s.retry.Jitter })},
}

// Words of settings.
const (
	bury = "bury"
	stop = "stop"
)

// readSettings puts flags and environment together. Each value that can't be read is one line of the error.
func readSettings(c cli.Console) (settings, error) {
	s := settings{
		verify: true, batch: stream.DefaultBatch, lease: stream.DefaultLease, tries: stream.DefaultTries, poison: bury, lost: stop, answer: defaultAnswer,
		retry: stream.Backoff{First: time.Second, Factor: 2, Most: time.Minute},
	}
	if err := declared.Read(&s, c); err != nil {
		return s, err
	}
	return s, s.check()
}

// check completes settings, or returns what they lack beside each other.
func (s *settings) check() (err error) {
	refuse := func(name, value, accepted string) error {
		return &scraperutils.ConfigError{Name: name, Value: value, Accepted: accepted}
	}
	switch {
	case s.name == "":
		return errors.Join(&startError{errors.New("no stream: expected --stream NAME, or STREAM_NAME in the environment")})
	case s.table != "" && s.state != "":
		return refuse("--state", s.state, "--state or --dynamodb, not both")
	case s.listen != "" && s.token == "" && !cli.OnLoopback(s.listen):
		return refuse("--listen", s.listen, "an address on loopback, such as localhost:8080, or --listen-token beside it")
	case s.listen == "" && s.token != "":
		return refuse("--listen-token", "(not shown)", "--listen beside it")
	case s.field != "" && s.frontier == "":
		return refuse("--field", s.field, "--crawl beside it")
	}
	s.state = cmp.Or(s.state, defaultState)
	s.start, err = s.position()
	return err
}

// position is where shards start.
func (s *settings) position() (p stream.Position, err error) {
	refuse := func(accepted string) (stream.Position, error) {
		return p, &scraperutils.ConfigError{Name: "--at", Value: strconv.Quote(s.startAt), Accepted: accepted}
	}
	p.Kind = stream.Kind(cmp.Or(s.startKind, string(stream.AtTime)))
	switch p.Kind {
	case stream.AtTime:
		if s.startAt == "" {
			return stream.Position{}, nil // now
		}
		if p.Time, err = stream.ParseTime(s.startAt); err != nil {
			return refuse("a time like 2026-01-31T12:00:00Z, which is UTC without a zone")
		}
	case stream.After:
		p.Sequence = s.startAt
		switch {
		case !stream.IsSequence(p.Sequence):
			return refuse("the sequence number that " + string(stream.After) + " needs")
		case s.shard == "":
			return p, &scraperutils.ConfigError{Name: "--start", Value: s.startKind, Accepted: "--shard beside it, for a sequence number is that of one shard"}
		}
	default:
		if s.startAt != "" {
			return refuse("--start " + string(stream.AtTime) + " or " + string(stream.After) + " beside it")
		}
	}
	return p, nil
}
