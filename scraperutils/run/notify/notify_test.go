package notify_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/run/notify"
)

var message = notify.Message{Text: "1 ok · 1 new failure\nNew: noosa; $(touch owned) `touch owned`\n", JSON: []byte(`{"text":"1 ok"}`)}

// webhookTo returns a webhook at a secret path of a server that answers so.
func webhookTo(t *testing.T, answer http.HandlerFunc) *notify.Webhook {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	u, err := notify.ParseWebhook(server.URL + "/services/T0/B0/secretkey?token=hidden")
	require.NoError(t, err)
	return notify.NewWebhook(u, server.Client().Transport)
}

func TestWebhookGetsTheMessage(t *testing.T) {
	var got map[string]string
	w := webhookTo(t, func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "POST /services/T0/B0/secretkey?token=hidden", r.Method+" "+r.URL.String())
		assert.Equal(t, "application/json; charset=utf-8", r.Header.Get("Content-Type"))
		assert.NoError(t, json.NewDecoder(r.Body).Decode(&got))
		w.WriteHeader(http.StatusNoContent)
	})
	require.NoError(t, notify.Deliver(t.Context(), w, message))
	assert.Equal(t, map[string]string{"text": "1 ok"}, got)
}

// What a webhook answers decides whether it is asked again, and no error gives its address away.
func TestWebhookRefuses(t *testing.T) {
	for _, c := range []struct {
		status int
		again  bool
		says   string
	}{
		{http.StatusNotFound, false, "it answered 404 Not Found"},
		{http.StatusGone, false, "it answered 410 Gone"},
		{http.StatusFound, false, "it answered 302 Found; redirects are not followed"},
		{http.StatusTemporaryRedirect, false, "redirects are not followed"},
		{http.StatusInternalServerError, true, "it answered 500"},
		{http.StatusTooManyRequests, true, "it answered 429"},
	} {
		t.Run(fmt.Sprint(c.status), func(t *testing.T) {
			asked := 0
			w := webhookTo(t, func(w http.ResponseWriter, r *http.Request) {
				asked++
				w.Header().Set("Location", "http://169.254.169.254/latest/")
				w.WriteHeader(c.status)
				fmt.Fprint(w, "secretkey")
			})
			err := w.Send(t.Context(), message)
			assert.ErrorContains(t, err, c.says)
			assert.NotContains(t, err.Error(), "secretkey")
			var refused *notify.RefusedError
			assert.Equal(t, !c.again, errors.As(err, &refused))
			assert.Equal(t, 1, asked)
		})
	}
}

func TestWebhookIsNotThere(t *testing.T) {
	u, err := url.Parse("http://user:password@127.0.0.1:1/secretkey")
	require.NoError(t, err)
	err = notify.NewWebhook(u, nil).Send(t.Context(), message)
	assert.ErrorContains(t, err, "the webhook at 127.0.0.1:1: ")
	assert.NotContains(t, err.Error(), "secretkey")
	assert.NotContains(t, err.Error(), "password")
}

func TestParseWebhook(t *testing.T) {
	for _, bad := range []string{"", "hooks.example/secretkey", "ftp://hooks.example/secretkey", "https:///secretkey", "http://%zz/secretkey"} {
		_, err := notify.ParseWebhook(bad)
		if assert.Error(t, err, bad) {
			assert.NotContains(t, err.Error(), "secretkey")
		}
	}
}

// A command reads the text and finds the JSON, and what a page said is never run.
func TestCommandGetsTheMessage(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	require.NoError(t, notify.Deliver(t.Context(), notify.Command{Line: `cat >text && cp "$SCRAPE_JSON" json && echo "$SCRAPE_JSON" >where`}, message))
	for name, want := range map[string]string{"text": message.Text, "json": string(message.JSON)} {
		got, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.Equal(t, want, string(got))
	}
	assert.NoFileExists(t, "owned")
	where, err := os.ReadFile("where")
	require.NoError(t, err)
	assert.NoFileExists(t, strings.TrimSpace(string(where)))
}

func TestCommandFails(t *testing.T) {
	err := notify.Command{Line: "echo no route to host >&2; exit 3 # password"}.Send(t.Context(), message)
	assert.EqualError(t, err, "the command echo: exit status 3: no route to host")
	err = notify.Command{Line: "/no/such/command --password=secret"}.Send(t.Context(), message)
	assert.ErrorContains(t, err, "the command command: exit status 127")
}

// A command that does not read its input has been told all the same.
func TestCommandReadsNothing(t *testing.T) {
	big := notify.Message{Text: strings.Repeat("a line\n", 100_000)}
	assert.NoError(t, notify.Command{Line: "true"}.Send(t.Context(), big))
}

// A command that hangs ends with its time, and what it has started too.
func TestCommandHangs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "alive")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	sent := make(chan error)
	go func() {
		sent <- notify.Command{Line: "exec 3>" + path + "; sleep 1000 & wait"}.Send(ctx, message)
	}()
	alive, err := os.Open(path) // once the shell has opened it too
	require.NoError(t, err)
	defer alive.Close()
	cancel()
	assert.EqualError(t, <-sent, "the command exec: it did not end in time")
	_, err = io.ReadAll(alive) // ends when nobody holds it any more
	assert.NoError(t, err)
}

// sender answers its tries with these errors in turn.
type sender struct {
	answers []error
	at      []time.Duration
	began   time.Time
}

func (s *sender) Send(ctx context.Context, _ notify.Message) error {
	s.at = append(s.at, time.Since(s.began))
	answer := s.answers[len(s.at)-1]
	if answer == errHang {
		<-ctx.Done()
		return ctx.Err()
	}
	return answer
}

var errHang, errNo = errors.New("hang"), errors.New("no")

func TestDeliver(t *testing.T) {
	for _, c := range []struct {
		name    string
		answers []error
		at      []time.Duration // of each try
		says    string
	}{
		{"at once", []error{nil}, []time.Duration{0}, ""},
		{"the third time", []error{errNo, errNo, nil}, []time.Duration{0, time.Second, 5 * time.Second}, ""},
		{"never", []error{errNo, errNo, errNo}, []time.Duration{0, time.Second, 5 * time.Second}, "no (tried 3 times)"},
		{"refused", []error{&notify.RefusedError{Why: errNo}}, []time.Duration{0}, "no"},
		{"no answer", []error{errHang, errHang, errHang}, []time.Duration{0, 16 * time.Second, 35 * time.Second}, "context deadline exceeded (tried 3 times)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &sender{answers: c.answers, began: time.Now()}
				err := notify.Deliver(t.Context(), s, message)
				assert.Equal(t, c.at, s.at)
				if c.says == "" {
					assert.NoError(t, err)
				} else {
					assert.EqualError(t, err, c.says)
				}
				assert.LessOrEqual(t, time.Since(s.began), 45*time.Second)
			})
		})
	}
}

// A run that is told to end waits for nobody.
func TestDeliverEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := &sender{answers: []error{errNo, nil}, began: time.Now()}
		time.AfterFunc(500*time.Millisecond, cancel)
		assert.EqualError(t, notify.Deliver(ctx, s, message), "no (tried once)")
		assert.Equal(t, 500*time.Millisecond, time.Since(s.began))
	})
}

// A webhook says when it wants to be asked again.
func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u, err := notify.ParseWebhook("https://hooks.example/key")
		require.NoError(t, err)
		began := time.Now()
		var at []time.Duration
		w := notify.NewWebhook(u, roundTripper(func(r *http.Request) *http.Response {
			at = append(at, time.Since(began))
			if len(at) == 1 {
				return &http.Response{StatusCode: 429, Header: http.Header{"Retry-After": {"20"}}, Body: io.NopCloser(strings.NewReader(""))}
			}
			return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader("ok"))}
		}))
		require.NoError(t, notify.Deliver(t.Context(), w, message))
		assert.Equal(t, []time.Duration{0, 20 * time.Second}, at)
	})
}

type roundTripper func(*http.Request) *http.Response

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r), nil }
