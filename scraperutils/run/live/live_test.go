package live_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/run/board"
	"github.com/multiscraper/multiscraper/scraperutils/run/feed"
	"github.com/multiscraper/multiscraper/scraperutils/run/live"
	"github.com/multiscraper/multiscraper/scraperutils/run/report"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// runner writes down what it is asked for.
type runner struct {
	mu    sync.Mutex
	asked []string
	err   error
}

func (r *runner) Begin(which live.Which) error { return r.ask("run", which.Label, which.Failed) }
func (r *runner) Stop(label string) error      { return r.ask("stop", label, false) }

func (r *runner) ask(what, label string, failed bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if failed {
		label = "(failed)"
	}
	r.asked = append(r.asked, strings.TrimSpace(what+" "+label))
	return r.err
}

// site is a board on loopback.
type site struct {
	*httptest.Server
	hub    *feed.Hub
	runner *runner
	acted  []live.Action
	last   func() (report.Run, error) // what the database says
}

func start(t testing.TB, password string) *site {
	t.Helper()
	s := &site{hub: feed.NewHub(), runner: &runner{}, last: func() (report.Run, error) { return report.Run{}, report.ErrNoRun }}
	s.Server = httptest.NewServer(board.New(board.Config{
		Read: func(context.Context) (*report.Overview, error) { return nil, report.ErrNoRun }, Token: password,
		Live: live.New(live.Config{
			Name: "scrape", Site: "authority", Hub: s.hub, Runner: s.runner, Acted: func(a live.Action) { s.acted = append(s.acted, a) },
			Last: func(context.Context) (report.Run, error) { return s.last() },
		}),
	}))
	t.Cleanup(s.Close)
	return s
}

// tell feeds a run's lines, which do not end it.
func (s *site) tell(t testing.TB, lines ...string) io.Closer {
	t.Helper()
	reader, pipe := io.Pipe()
	read := make(chan error, 1)
	go func() { read <- s.hub.Read(reader) }()
	t.Cleanup(func() {
		_ = pipe.Close()
		<-read
	})
	for _, line := range lines {
		_, err := io.WriteString(pipe, line+"\n")
		require.NoError(t, err)
	}
	_, err := io.WriteString(pipe, "{}\n") // what was before it has been taken
	require.NoError(t, err)
	return pipe
}

const begun = `{"run":{"at":"2026-11-22T01:17:00Z","process":7,"total":3,"source":"network"}}`

func get(t testing.TB, address string) (int, string, http.Header) {
	t.Helper()
	response, err := http.Get(address)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(body), response.Header
}

func TestNow(t *testing.T) {
	s := start(t, "")
	_, body, _ := get(t, s.URL+"/now")
	assert.Contains(t, body, "No run has begun here yet")
	s.tell(t, begun,
		`{"statuses":[{"label":"kyogle","state":"waiting","host":"k:443","rule":"crawl-delay","until":"2099-01-01T00:00:00Z","requests":3,"records":20},{"label":"hobart","state":"failed","verdict":"failed","error":"<script>alert(1)</script>"}]}`)
	status, body, header := get(t, s.URL+"/now")
	assert.Equal(t, 200, status)
	assert.Contains(t, body, "process 7")
	assert.Contains(t, body, "k:443: crawl-delay, until")
	assert.Contains(t, body, "&lt;script&gt;alert(1)&lt;/script&gt;")
	assert.NotContains(t, body, "<script>alert")
	assert.Less(t, strings.Index(body, `data-label="hobart"`), strings.Index(body, `data-label="kyogle"`), "what failed comes first")
	assert.Contains(t, header.Get("Content-Security-Policy"), "default-src 'none'")
	assert.Contains(t, body, "Stop the run")
	assert.NotContains(t, body, "Run all", "a run goes on")
}

// Where no run was followed, the page says how the last one ended, or that it goes on.
func TestNowWithoutARun(t *testing.T) {
	at := time.Date(2026, 11, 22, 1, 17, 0, 0, time.UTC)
	ended := at.Add(11 * time.Second)
	well := report.Run{At: at, Ended: &ended, ExitCode: 1, Verdicts: map[runlog.Verdict]int{runlog.OK: 140, runlog.Failed: 2}, Records: 1964}
	killed, going, later := well, well, well
	killed.Ended = nil
	going.Ended, going.Process = nil, 4711
	later.At = at.Add(time.Hour)
	for name, c := range map[string]struct {
		last     report.Run
		followed bool // an earlier run was
		want     []string
	}{
		"one that has ended":              {well, false, []string{"ended 2026-11-22 01:17:11 UTC with exit code 1", "140 ok, ", "2 failed, ", "1,964 records", `<a href="/">report</a>`}},
		"one that was killed":             {killed, false, []string{"began 2026-11-22 01:17:00 UTC and was cut off"}},
		"one that says nothing":           {going, false, []string{"A run goes on", "process 4711, which does not say"}},
		"one after that was not followed": {later, true, []string{"The last run began 2026-11-22 02:17:00 UTC"}},
		"that which was followed":         {well, true, []string{"The run that began 2026-11-22 01:17:00 UTC ended", "kyogle"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, "")
			s.last = func() (report.Run, error) { return c.last, nil }
			if c.followed {
				require.NoError(t, s.hub.Read(strings.NewReader(begun+"\n"+`{"statuses":[{"label":"kyogle"}]}`+"\n"+`{"end":{}}`)))
			}
			_, body, _ := get(t, s.URL+"/now")
			for _, want := range c.want {
				assert.Contains(t, body, want)
			}
			assert.Equal(t, name == "that which was followed", strings.Contains(body, "kyogle"))
		})
	}
}

// A reader who leaves takes nothing along: no request, and no goroutine of one, is left.
func TestReadersLeave(t *testing.T) {
	s := start(t, "")
	for range 20 {
		c, err := net.Dial("tcp", s.Listener.Addr().String())
		require.NoError(t, err)
		_, err = io.WriteString(c, "GET /live HTTP/1.1\r\nHost: localhost\r\n\r\n")
		require.NoError(t, err)
		_, err = c.Read(make([]byte, 1))
		require.NoError(t, err)
		require.NoError(t, c.Close())
	}
	s.Close() // waits for all requests
}

func TestSitePage(t *testing.T) {
	s := start(t, "")
	s.tell(t, begun, `{"statuses":[{"label":"kyogle","state":"reading","requests":1}]}`,
		`{"requests":[{"at":"2026-11-22T01:17:01Z","label":"kyogle","method":"GET","url":"http://k/list","status":200,"took":12000000}]}`)
	status, body, _ := get(t, s.URL+"/site/kyogle")
	assert.Equal(t, 200, status)
	assert.Contains(t, body, "GET http://k/list")
	assert.Contains(t, body, "12ms")
	status, _, _ = get(t, s.URL+"/site/nobody")
	assert.Equal(t, 404, status)
}

// events reads a stream of events.
func events(t testing.TB, address string) (next func() (event, data string)) {
	t.Helper()
	response, err := http.Get(address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	lines := bufio.NewScanner(response.Body)
	return func() (event, data string) {
		for lines.Scan() {
			switch name, value, _ := strings.Cut(lines.Text(), ": "); name {
			case "event":
				event = value
			case "data":
				return event, value
			}
		}
		return "", ""
	}
}

// All that is known comes first, and then what changes; of one site its requests too.
func TestLive(t *testing.T) {
	s := start(t, "")
	pipe := s.tell(t, begun, `{"statuses":[{"label":"kyogle","state":"queued","requests":0,"records":0}]}`).(*io.PipeWriter)
	all, one := events(t, s.URL+"/live"), events(t, s.URL+"/live/kyogle")
	for _, next := range []func() (string, string){all, one} {
		event, data := next()
		assert.Equal(t, "picture", event)
		assert.Contains(t, data, `"label":"kyogle","state":"queued"`)
	}
	_, err := io.WriteString(pipe, `{"requests":[{"label":"kyogle","url":"http://k/\nevent: x"}]}`+"\n"+`{"statuses":[{"label":"kyogle","state":"done"}]}`+"\n")
	require.NoError(t, err)
	event, data := all()
	assert.Equal(t, "line", event)
	assert.Contains(t, data, `"state":"done"`, "requests are for the page of their site")
	_, data = one()
	assert.Contains(t, data, `http://k/\nevent: x`, "no text begins another event")
	_, data = one()
	assert.Contains(t, data, `"state":"done"`)
}

func post(t testing.TB, address string, form url.Values, header ...string) (int, string) {
	t.Helper()
	request, err := http.NewRequest(http.MethodPost, address, strings.NewReader(form.Encode()))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			request.Host = header[i+1]
		}
		request.Header.Set(header[i], header[i+1])
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(body)
}

// What is done here is asked of the runner, and written down with who and when.
func TestDo(t *testing.T) {
	s := start(t, "")
	for _, form := range []url.Values{{"which": {"all"}}, {"which": {"failed"}}, {"label": {"kyogle"}}} {
		status, _ := post(t, s.URL+"/run", form)
		assert.Equal(t, http.StatusSeeOther, status)
	}
	status, _ := post(t, s.URL+"/stop", url.Values{"label": {"hobart"}})
	assert.Equal(t, http.StatusSeeOther, status)
	assert.Equal(t, []string{"run", "run (failed)", "run kyogle", "stop hobart"}, s.runner.asked)
	require.Len(t, s.acted, 4)
	assert.Equal(t, "127.0.0.1", s.acted[0].Who)
	assert.WithinDuration(t, time.Now(), s.acted[0].At, time.Minute)

	for _, form := range []url.Values{{}, {"which": {"some"}}, {"which": {"all"}, "label": {"kyogle"}}} {
		for _, path := range []string{"/run", "/stop"} {
			status, body := post(t, s.URL+path, form)
			assert.Equal(t, http.StatusBadRequest, status)
			assert.Contains(t, body, "which=all")
		}
	}
	assert.Len(t, s.runner.asked, 4, "what is unclear does nothing")

	s.runner.err = live.ErrRunning
	status, body := post(t, s.URL+"/run", url.Values{"which": {"all"}})
	assert.Equal(t, http.StatusConflict, status)
	assert.Contains(t, body, "goes on")
	s.runner.err = errors.New("unknown authority: kyolge")
	status, _ = post(t, s.URL+"/run", url.Values{"label": {"kyolge"}})
	assert.Equal(t, http.StatusBadRequest, status)
	assert.Equal(t, "unknown authority: kyolge", s.acted[5].Err)
}
