package crawlcmd_test

import (
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A broker that lacks what a crawl needs, or is none, is a clear line and exit code 2: nothing has run, and nobody reads a password.
func TestBadBrokers(t *testing.T) {
	dear(t) // a broker takes two seconds of a core to start: amqp's own tests have one
	t.Parallel()
	url := broker.URL(t)
	at := strings.TrimSuffix(strings.SplitAfter(url, "@")[1], "/")
	queue := broker.Queue(t, nil)
	mail := mailServer(t)
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"no such exchange":          {[]string{"--amqp", url, "--out", "nowhere/key"}, `has no exchange "nowhere"`},
		"no such queue to write to": {[]string{"--amqp", url, "--out", "/nowhere"}, `has no queue "nowhere"`},
		"no such queue to read":     {[]string{"--amqp", url, "--from-amqp", "nowhere"}, `has no queue "nowhere"`},
		"no such virtual host":      {[]string{"--amqp", url + "nowhere", "--from-amqp", queue}, `virtual host "nowhere"`},
		"a wrong password":          {[]string{"--amqp", "amqp://guest:secret@" + at + "/", "--from-amqp", queue}, `user "guest" is not allowed in`},
		"a user that is not known":  {[]string{"--amqp", "amqp://me:secret@" + at + "/", "--out", "/" + queue}, `user "me" is not allowed in`},
		"no broker":                 {[]string{"--amqp", "amqp://me:secret@" + mail + "/", "--out", "/" + queue}, "it does not answer as AMQP 0-9-1 does"},
		"TLS where there is none":   {[]string{"--amqp", "amqps://me:secret@" + at + "/", "--out", "/" + queue}, "connect to broker " + at},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkRefusal(t, t.TempDir(), c.says, append(c.args, "http://a.example/")...)
		})
	}
}

// mailServer is where somebody else answers, and returns its address.
func mailServer(t *testing.T) string {
	t.Helper()
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = socket.Close() })
	go func() {
		for {
			c, err := socket.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(c, "220 mail.example ESMTP\r\n")
			_ = c.Close()
		}
	}()
	return socket.Addr().String()
}

// checkRefusal has the command refuse to run, in a line.
func checkRefusal(t *testing.T, folder, says string, args ...string) {
	t.Helper()
	code, out, complaints := call(t, folder, args...)
	assert.Equal(t, 2, code, complaints)
	assert.Empty(t, out)
	assert.Equal(t, 1, strings.Count(complaints, "\n"), complaints)
	assert.Contains(t, complaints, says)
	assert.NotContains(t, complaints, "secret")
	assert.NotContains(t, complaints, "goroutine")
	assert.Less(t, len(complaints), 600)
}

// A file that is no frontier of this version is left as it was by every command, and each says what it is.
func TestBadFrontiers(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	good(t, folder, "add", "-f", write(t, folder, "urls", list(20, 50)))
	whole, err := os.ReadFile(filepath.Join(folder, "frontier.sqlite"))
	require.NoError(t, err)
	require.Greater(t, len(whole), 20_000)
	changed := func(change func([]byte) []byte) string { return string(change([]byte(string(whole)))) }
	for name, c := range map[string]struct{ file, says string }{
		"cut off":           {changed(func(b []byte) []byte { return b[:len(b)/2] }), "damaged"},
		"cut in its head":   {changed(func(b []byte) []byte { return b[:60] }), "no database"},
		"of zeros":          {changed(func(b []byte) []byte { clear(b); return b }), "no database"},
		"text":              {strings.Repeat("no database\n", 1000), "no database"},
		"of version 77":     {changed(func(b []byte) []byte { b[63] = 77; return b }), "a frontier of version 77, expected a frontier of version"},
		"another program's": {changed(func(b []byte) []byte { b[71] = 1; return b }), "another program's database"},
	} {
		for _, args := range [][]string{{"--warc", "off"}, {"add", "http://a.example/"}, {"status"}, {"export"}, {"failed", "--retry"}} {
			t.Run(name+"/"+args[0], func(t *testing.T) {
				place := t.TempDir()
				path := write(t, place, "frontier.sqlite", c.file)
				checkRefusal(t, place, c.says, args...)
				left, err := os.ReadFile(path)
				require.NoError(t, err)
				assert.True(t, c.file == string(left), "the file was changed")
			})
		}
	}
}

// Two processes that write to the same place are told apart, and the second one does not begin.
func TestPlacesInUse(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	at := freeAddress(t)
	start(t, folder, "--keep", "--jsonl", filepath.Join(folder, "pages.jsonl"), "--listen", at)
	await(t, func() bool {
		response, err := http.Get("http://" + at + "/healthz")
		return err == nil && response.Body.Close() == nil
	})
	other := t.TempDir()
	checkRefusal(t, folder, "is in use by process", "--keep")
	checkRefusal(t, other, "is being written by another process", "--jsonl", filepath.Join(folder, "pages.jsonl"))
	checkRefusal(t, other, "address already in use", "--warc", "off", "--listen", at)
}
