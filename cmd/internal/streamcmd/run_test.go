package streamcmd_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/kinesis"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/run/guard/guardtest"
	"github.com/multiscraper/multiscraper/scraperutils/run/status"
	"github.com/multiscraper/multiscraper/scraperutils/stream/streamtest"
)

// A program gets a line of JSON for each record, with what it is, whether it is text or not.
func TestLines(t *testing.T) {
	t.Parallel()
	s, folder := streamtest.NewStream(t, servers.Endpoint(t, streamtest.Kinesalite), 1), t.TempDir()
	s.Put(t, streamtest.Entry{Key: "kéy", Data: []byte("text <&> \"ü\"\n")}, streamtest.Entry{Key: "k", Data: []byte{0xff, 0}}, streamtest.Entry{Key: "k", Data: []byte("last")})
	lines := filepath.Join(folder, "lines")
	script := `while read -r record; do printf '%s\n' "$record" >> "$0"; echo ok; done`
	c := start(t, asStream, nil, append(flags(s, folder, "--duration", "1s"), "--", "/bin/sh", "-c", script, lines)...)
	assert.Zero(t, c.end(), "its time is over")
	text, err := os.ReadFile(lines)
	require.NoError(t, err)
	var all []told
	for line := range strings.Lines(string(text)) {
		var r told
		require.NoError(t, json.Unmarshal([]byte(line), &r))
		assert.Equal(t, "shardId-000000000000", r.Shard)
		assert.NotEmpty(t, r.Sequence)
		assert.Less(t, time.Since(r.Arrived), time.Hour)
		all = append(all, r)
	}
	require.Len(t, all, 3)
	assert.Equal(t, "kéy", all[0].Key)
	assert.Equal(t, "text <&> \"ü\"\n", *all[0].Data)
	assert.Nil(t, all[1].Data)
	assert.Equal(t, []byte{0xff, 0}, all[1].Base64)
	assert.Equal(t, "last", *all[2].Data)
}

// A run that is stopped finishes the record at hand, and says so by its exit code; its shard is free at once, and the next run goes on
// exactly.
func TestEnds(t *testing.T) {
	for name, c := range map[string]struct {
		signal os.Signal
		flags  []string
		code   int
		says   string
	}{
		"SIGTERM":     {signal: syscall.SIGTERM, code: 143, says: "stopped by a signal (terminated)"},
		"SIGINT":      {signal: syscall.SIGINT, code: 130, says: "stopped by a signal (interrupt)"},
		"run timeout": {flags: []string{"--run-timeout", "3"}, code: 124, says: "exceeded maximum allowed runtime"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, l, folder := streamtest.NewStream(t, servers.Endpoint(t, streamtest.Kinesalite), 1), newLedger(t), t.TempDir()
			const records = 20
			all := numbered(0, records, 1, 0)
			for i := range all {
				all[i].Data = fmt.Append([]byte("slow"), i)
			}
			s.Put(t, all...)
			args := func(more ...string) []string {
				return l.handled(append(flags(s, folder, "--lease", "1h"), more...)) // who has to wait for it is too late
			}
			p := start(t, asStream, runs("slow"), args(c.flags...)...)
			if c.signal != nil {
				await(t, func() bool { return l.count() >= 2 })
				require.NoError(t, p.Process.Signal(c.signal))
			}
			assert.Equal(t, c.code, p.end())
			assert.Contains(t, p.complaints.String(), c.says)
			before := l.count()
			assert.Less(t, before, records)

			p = start(t, asStream, runs("quick"), args()...)
			await(t, func() bool { return l.count() >= records })
			require.NoError(t, p.Process.Signal(syscall.SIGTERM))
			assert.Equal(t, 143, p.end())
			assert.Zero(t, l.check(t, records, 1), "none of them twice")
		})
	}
}

// A duration that is over ends a run with 0, and what was handled until then is counted.
func TestDuration(t *testing.T) {
	t.Parallel()
	s, l, folder := streamtest.NewStream(t, servers.Endpoint(t, streamtest.Kinesalite), 2), newLedger(t), t.TempDir()
	s.Put(t, numbered(0, 200, 20, 100)...)
	c := start(t, asStream, runs("good"), l.handled(flags(s, folder, "--duration", "3s"))...)
	assert.Zero(t, c.end())
	assert.Positive(t, l.count())
	assert.Contains(t, c.out.String(), fmt.Sprintf("records=%d ", l.count()), "how many they are depends on the machine")
}

// What the old consumer reads is read: its variables, its times, which are UTC in every zone, and its checkpoints.
func TestOldNames(t *testing.T) {
	for name, c := range map[string]struct {
		zone, checkpoint string
	}{
		"UTC":                        {"UTC", ""},
		"Tokyo":                      {"Asia/Tokyo", ""},
		"New York":                   {"America/New_York", ""},
		"a checkpoint":               {"Asia/Tokyo", "%s"},
		"a checkpoint with new line": {"UTC", "%s\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if name != "New York" && name != "a checkpoint" {
				dear(t) // "New York" has a time of a zone that is not UTC, and "a checkpoint" one without a new line
			}
			t.Parallel()
			s, l, folder := streamtest.NewStream(t, servers.Endpoint(t, streamtest.Kinesalite), 1), newLedger(t), t.TempDir()
			s.Put(t, numbered(0, 10, 1, 0)...)
			if c.checkpoint != "" {
				write(t, folder, s.Name+"__0.json", fmt.Sprintf(c.checkpoint, lastSequence(t, s)))
			} else {
				time.Sleep(1100 * time.Millisecond) // a start is in whole seconds
			}
			at := time.Now().UTC().Format("2006-01-02T15:04:05")
			s.Put(t, numbered(10, 20, 1, 0)...)
			environ := append(runs("good"), "TZ="+c.zone, "KINESIS_STREAM="+s.Name, "KINESIS_SHARD_ID=0", "KINESIS_ENDPOINT="+s.Endpoint, "KINESIS_VERIFY=true",
				"KINESIS_START_TYPE=AT_TIMESTAMP", "KINESIS_START_AT="+at, "KINESIS_CHECKPOINT_VOLUME="+folder, "KINESIS_RETRY_TRIES=5", "KINESIS_RETRY_DELAY=5",
				"KINESIS_RETRY_MAX_DELAY=10", "KINESIS_RETRY_BACKOFF=1", "KINESIS_RETRY_JITTER=0")
			p := start(t, asStream, environ, "--state", filepath.Join(folder, "stream.sqlite"), "--", os.Args[0], string(l))
			await(t, func() bool { return l.count() >= 10 })
			require.NoError(t, p.Process.Signal(syscall.SIGTERM))
			assert.Equal(t, 143, p.end())
			assert.Equal(t, strings.Fields("10 11 12 13 14 15 16 17 18 19"), datas(l))
			if c.checkpoint != "" {
				text, err := os.ReadFile(filepath.Join(folder, s.Name+"__0.json"))
				require.NoError(t, err)
				assert.Equal(t, lastSequence(t, s), string(text), "and it is kept up to date")
			}
		})
	}
}

// lastSequence is the sequence number of the last record in the first shard of a stream.
func lastSequence(t testing.TB, s *streamtest.Stream) string {
	t.Helper()
	iterator, err := s.Client.GetShardIterator(t.Context(), &kinesis.GetShardIteratorInput{StreamName: &s.Name, ShardId: aws.String("shardId-000000000000"), ShardIteratorType: "TRIM_HORIZON"})
	require.NoError(t, err)
	page, err := s.Client.GetRecords(t.Context(), &kinesis.GetRecordsInput{ShardIterator: iterator.ShardIterator})
	require.NoError(t, err)
	return *page.Records[len(page.Records)-1].SequenceNumber
}

// A checkpoint that the stream rejects ends the run with 2 and one line; the run goes on from where it is told to.
func TestRejectedCheckpoint(t *testing.T) {
	t.Parallel()
	s, l, folder := streamtest.NewStream(t, servers.Endpoint(t, streamtest.Kinesalite), 1), newLedger(t), t.TempDir()
	s.Put(t, numbered(0, 5, 1, 0)...)
	write(t, folder, s.Name+"__0.json", "4917")
	args := func(more ...string) []string {
		return l.handled(flags(s, folder, append([]string{"--checkpoints", folder}, more...)...))
	}
	c := start(t, asStream, runs("good"), args()...)
	assert.Equal(t, 2, c.end())
	assert.Contains(t, c.complaints.String(), "stream: the stream rejects the checkpoint 4917 of shardId-000000000000: InvalidArgumentException")
	assert.Equal(t, 1, strings.Count(c.complaints.String(), "\n"), c.complaints)
	assert.Zero(t, l.count())
	c = start(t, asStream, runs("good"), args("--on-lost-checkpoint", "trim_horizon")...)
	await(t, func() bool { return l.count() == 5 })
	assert.Contains(t, c.out.String(), "records are lost: going on")
	c.kill()
}

// A run can be watched.
func TestListen(t *testing.T) {
	t.Parallel()
	s, l, folder := streamtest.NewStream(t, servers.Endpoint(t, streamtest.Kinesalite), 2), newLedger(t), t.TempDir()
	s.Put(t, numbered(0, 50, 10, 0)...)
	s.Put(t, streamtest.Entry{Key: "k", Data: []byte("poison")})
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	at := socket.Addr().String()
	require.NoError(t, socket.Close())
	start(t, asStream, runs("poison"), l.handled(flags(s, folder, "--listen", at, "--tries", "1"))...)
	ask := func(path string) string {
		response, err := http.Get("http://" + at + path)
		if err != nil {
			return ""
		}
		defer response.Body.Close()
		text, _ := io.ReadAll(response.Body)
		return string(text)
	}
	await(t, func() bool {
		return strings.Contains(ask("/metrics"), "stream_dead_letters_total 1") && strings.Contains(ask("/metrics"), "stream_leases 2") && l.count() == 50
	})
	assert.Equal(t, "ok\n", ask("/healthz"))
	for _, name := range []string{`stream_records_total{shard="shardId-000000000000"}`, `stream_behind_seconds{shard="shardId-000000000001"}`, "stream_batches_total", "stream_failed_tries_total 1"} {
		assert.Contains(t, ask("/metrics"), name)
	}
	await(t, func() bool {
		said, err := status.Read(strings.NewReader(ask("/status")))
		return err == nil && said.State == status.Waiting && slices.Contains(said.Figures, status.Figure{Name: "dead letters", Value: 1, Unit: "records", Total: true}) &&
			slices.ContainsFunc(said.Slow, func(line string) bool {
				return strings.HasPrefix(line, "shardId-000000000001") && strings.HasSuffix(line, " behind")
			})
	})
	guardtest.Refuses(t, at, "", "/metrics", "/status", "/healthz")
}
