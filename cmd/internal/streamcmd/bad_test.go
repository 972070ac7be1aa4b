package streamcmd_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/stream/streamtest"
)

// badValues are values that flags can't have.
var badValues = map[string][]string{
	"--stream":             {"a b", "näme", strings.Repeat("x", 129), "a/b"},
	"--shard":              {"a b", "shard/1"},
	"--region":             {"US EAST", "us_east_1", "-"},
	"--endpoint":           {"127.0.0.1:4567", "ftp://a/", "http://", "http://me:secret@a/", "http://a:99999", "http://a/?x=1", "http://[::1"},
	"--verify":             {"maybe", "2"},
	"--start":              {"BEGINNING", "AT_SEQUENCE", "now"},
	"--at":                 {"yesterday", "12:00", "2026-13-01T00:00:00Z", "\x1b[31m"},
	"--dynamodb":           {"ab", "a b c", "tab/le"},
	"--batch":              {"0", "-1", "10001", "many"},
	"--lease":              {"0", "0.5", "2h", "x"},
	"--duration":           {"0", "-1", "soon"},
	"--tries":              {"0", "1001", "x"},
	"--retry-after":        {"-1", "2h", "x"},
	"--on-poison":          {"ignore", "die"},
	"--on-lost-checkpoint": {"AT_TIMESTAMP", "jump"},
	"--answer":             {"0", "-5", "x"},
	"--crawl":              {"postgres://", "postgres://me:secret@:x/db"},
	"--listen":             {"8080", "0.0.0.0:0", "localhost:x"},
	"--listen-token":       {"short", "with blanks in it secret"},
	"--run-timeout":        {"0", "x"},
}

// badVariables are values that variables can't have.
var badVariables = map[string]string{
	"KINESIS_STREAM": "a b", "KINESIS_SHARD_ID": "a/b", "KINESIS_ENDPOINT": "localhost", "KINESIS_VERIFY": "perhaps", "KINESIS_START_TYPE": "NOW",
	"KINESIS_RETRY_TRIES": "-1", "KINESIS_RETRY_DELAY": "x", "KINESIS_RETRY_MAX_DELAY": "-1", "KINESIS_RETRY_BACKOFF": "0", "KINESIS_RETRY_JITTER": "x",
	"STREAM_BATCH": "x", "STREAM_LEASE": "1ms", "STREAM_LISTEN_TOKEN": "secret",
}

// Bad input is one clear line each, exit 2, and leaves nothing behind; a secret is not repeated.
func TestBadInput(t *testing.T) {
	endpoint := servers.Endpoint(t, streamtest.Kinesalite)
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret-key")
	type bad struct {
		args []string
		says string
		env  []string
	}
	cases := map[string]bad{}
	good := []string{"--stream", "s", "--endpoint", endpoint}
	with := func(args ...string) []string { return append(append([]string{}, good...), args...) }
	for flag, values := range badValues {
		for _, v := range values {
			cases[flag+" "+v[:min(len(v), 30)]] = bad{args: with(flag+"="+v, "--", "true"), says: flag}
		}
	}
	for name, value := range badVariables {
		cases[name] = bad{args: with("--", "true"), says: name, env: []string{name + "=" + value}}
	}
	folder := t.TempDir()
	s := streamtest.NewStream(t, endpoint, 1)
	text := write(t, folder, "text.sqlite", strings.Repeat("no database ", 100))
	write(t, folder, s.Name+"__0.json", "no number")
	answering := func(status int, body string) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/x-amz-json-1.1")
			w.WriteHeader(status)
			_, _ = fmt.Fprint(w, body)
		}))
		t.Cleanup(server.Close)
		return server.URL
	}
	at := func(endpoint string) []string { return []string{"--stream", "s", "--endpoint", endpoint, "--", "true"} }
	for name, c := range map[string]bad{
		"nothing":                        {says: "no stream"},
		"a stream alone":                 {args: good, says: "nothing handles the records"},
		"a program that is not there":    {args: with("--", "no-such-program"), says: "no-such-program"},
		"a program that can't be run":    {args: with("--", text), says: "permission denied"},
		"a program and a crawl":          {args: with("--crawl", "x", "--", "true"), says: "not both"},
		"a field without a crawl":        {args: with("--field", "x", "--", "true"), says: "--crawl beside it"},
		"a token without an address":     {args: with("--listen-token", "0123456789secret", "--", "true"), says: "--listen beside it"},
		"two places for the state":       {args: with("--state", "x", "--dynamodb", "table", "--", "true"), says: "not both"},
		"after which record?":            {args: with("--start", "AFTER_SEQUENCE_NUMBER", "--", "true"), says: "--at"},
		"after one of which shard?":      {args: with("--start", "AFTER_SEQUENCE_NUMBER", "--at", "5", "--", "true"), says: "--shard beside it"},
		"a time for the horizon":         {args: with("--start", "TRIM_HORIZON", "--at", "2026-01-01", "--", "true"), says: "--at"},
		"an unknown flag":                {args: with("--deep", "--", "true"), says: "unknown flag"},
		"an unknown format of the log":   {args: with("--log-format", "xml", "--", "true"), says: "--log-format"},
		"a stream that is not there":     {args: with("--", "true"), says: "ResourceNotFoundException"},
		"a shard that is not there":      {args: []string{"--stream", s.Name, "--endpoint", endpoint, "--shard", "7", "--", "true"}, says: "no shard shardId-000000000007"},
		"a server that is not there":     {args: at("http://127.0.0.1:1"), says: "can't be reached"},
		"a server that has no such name": {args: at("http://no-such-host.invalid"), says: "can't be reached"},
		"a server that denies":           {args: at(answering(400, `{"__type":"AccessDeniedException","message":"you may not"}`)), says: "AccessDeniedException: you may not"},
		"a server that knows nobody":     {args: at(answering(403, `{"__type":"UnrecognizedClientException","message":"who are you?"}`)), says: "UnrecognizedClientException"},
		"a server that is broken":        {args: at(answering(500, ``)), says: "list shards"},
		"a server that answers nonsense": {args: at(answering(200, `<html>`)), says: "list shards"},
		"a server that answers a list":   {args: at(answering(200, `[1,2,3]`)), says: "list shards"},
		"a server that talks in colors":  {args: at(answering(400, `{"__type":"AccessDeniedException","message":"\u001b[31mred\nnext line"}`)), says: "red"},
		"a state that is text":           {args: with("--state", text, "--", "true"), says: "damaged or no database"},
		"a state that is a folder":       {args: with("--state", folder, "--", "true"), says: folder},
		"a state below a file":           {args: with("--state", filepath.Join(text, "x"), "--", "true"), says: "not a directory"},
		"a checkpoint that is none":      {args: []string{"--stream", s.Name, "--endpoint", endpoint, "--checkpoints", folder, "--", "true"}, says: "expected a sequence number"},
		"checkpoints that are not there": {args: with("--checkpoints", filepath.Join(folder, "none"), "--", "true"), says: "no such file"},
		"a frontier that is text":        {args: with("--crawl", text), says: "expected a frontier"},
		"a frontier at no database":      {args: with("--crawl", "postgres://me:secret@127.0.0.1:1/db"), says: "no PostgreSQL answers there"},
		"an address that is not ours":    {args: with("--listen", "192.0.2.1:80", "--listen-token", "0123456789secret", "--", "true"), says: "--listen"},
		"a table that is not there":      {args: with("--dynamodb", "none", "--", "true"), says: "there is no table none"},
	} {
		cases[name] = c
	}
	t.Setenv("AWS_ENDPOINT_URL_DYNAMODB", servers.Endpoint(t, streamtest.Dynalite))
	require.Greater(t, len(cases), 60)
	t.Logf("%d cases", len(cases))
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			place := filepath.Join(t.TempDir(), "stream.sqlite")
			state := []string{"STREAM_STATE=" + place}
			if strings.Contains(strings.Join(c.args, " "), "--dynamodb") {
				state = nil
			}
			code, out, complaints := call(append(state, c.env...), c.args...)
			assert.Equal(t, 2, code, complaints)
			assert.LessOrEqual(t, strings.Count(out, "\n"), 2, out)
			assert.Equal(t, 1, strings.Count(complaints, "\n"), complaints)
			assert.Contains(t, complaints, c.says)
			assert.NotContains(t, out+complaints, "secret")
			assert.NotContains(t, out+complaints, "\x1b")
			assert.NotContains(t, complaints, "goroutine")
			assert.NotContains(t, complaints, "operation error")
			assert.Less(t, len(complaints), 400)
		})
	}
	left, err := os.ReadFile(text)
	require.NoError(t, err)
	assert.Equal(t, strings.Repeat("no database ", 100), string(left))
}

// Without credentials nothing is asked, and one line says what is missing.
func TestNoCredentials(t *testing.T) {
	endpoint := servers.Endpoint(t, streamtest.Kinesalite)
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	code, _, complaints := call(nil, "--stream", "s", "--endpoint", endpoint, "--state", filepath.Join(t.TempDir(), "s"), "--", "true")
	assert.Equal(t, 2, code)
	assert.Contains(t, complaints, "no credentials of AWS")
	assert.Equal(t, 1, strings.Count(complaints, "\n"), complaints)
	t.Setenv("AWS_REGION", "")
	code, _, complaints = call(nil, "--stream", "s", "--endpoint", endpoint, "--state", filepath.Join(t.TempDir(), "s"), "--", "true")
	assert.Equal(t, 2, code)
	assert.Contains(t, complaints, "no region: expected --region, or AWS_REGION")
}
