package cassette_test

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/cassette"
)

func request(t testing.TB, raw string) *scraperutils.Request {
	t.Helper()
	u, err := url.Parse(raw)
	require.NoError(t, err)
	return &scraperutils.Request{Method: http.MethodGet, URL: u}
}

var errRefused = &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}

// session records and gives back what is played of it, after it was in a file.
type session struct {
	*cassette.Recorder
	t *testing.T
}

func newSession(t *testing.T, answers ...string) session {
	site := fake(func(r *http.Request) *http.Response {
		a := answers[0]
		answers = answers[1:]
		return &http.Response{StatusCode: 200, Header: http.Header{"X-Answer": {a}}, Body: http.NoBody, Request: r}
	})
	return session{cassette.NewRecorder(site, cassette.Options{}), t}
}

// try sends a request, as a client does that watches its tries.
func (s session) try(r *scraperutils.Request) {
	s.Try(r)
	_, err := ask(s.t, s, r.Method, r.URL.String())
	require.NoError(s.t, err)
}

func (s session) reload() *cassette.Cassette {
	path := filepath.Join(s.t.TempDir(), "a.yml")
	require.NoError(s.t, s.Write(path))
	c, err := cassette.Load(path)
	require.NoError(s.t, err)
	return c
}

// answers asks for URLs and returns what was answered, or the error's text.
func answers(t *testing.T, p *cassette.Player, urls ...string) (all []string) {
	for _, u := range urls {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, u, nil)
		require.NoError(t, err)
		resp, err := p.RoundTrip(req)
		if err != nil {
			all = append(all, string(scraperutils.ClassOf(err))+" - "+err.Error())
			continue
		}
		require.NoError(t, resp.Body.Close())
		all = append(all, resp.Header.Get("X-Answer"))
	}
	return all
}

const list, page = "http://a.example/list", "http://a.example/page"

func TestFailuresPlay(t *testing.T) {
	for name, c := range map[string]struct {
		record func(s session)
		asked  []string
		want   []string
	}{
		"nothing but a failure": {
			func(s session) { r := request(t, list); s.Try(r); s.Try(r); s.Failed(r, errRefused) },
			[]string{list, list}, []string{"connect - dial tcp: connection refused", "connect - dial tcp: connection refused"},
		},
		"never sent": {
			func(s session) { s.try(request(t, list)); s.Failed(request(t, page), errRefused) },
			[]string{list, page}, []string{"1", "connect - dial tcp: connection refused"},
		},
		"in the middle of what is asked": {
			func(s session) {
				s.try(request(t, list))
				r := request(t, list)
				s.Try(r)
				s.Failed(r, errRefused)
				s.try(request(t, list))
			},
			[]string{list, list, list}, []string{"1", "connect - dial tcp: connection refused", "2"},
		},
		"the last of several tries counts": {
			func(s session) { r := request(t, list); s.try(r); s.try(r); s.try(request(t, list)) },
			[]string{list, list}, []string{"2", "3"},
		},
		"an answer that came to nothing": {
			func(s session) { r := request(t, list); s.try(r); s.Failed(r, &net.DNSError{Err: "gone", Name: "a"}) },
			[]string{list}, []string{"dns - lookup a: gone"},
		},
		"what shows itself": {
			func(s session) { r := request(t, list); s.try(r); s.Failed(r, errors.New("a redirect too many")) },
			[]string{list}, []string{"1"},
		},
		"a robots.txt": {
			func(s session) {
				s.try(request(t, list))
				s.Failed(request(t, list), &scraperutils.UnprocessableSite{Kind: scraperutils.ClassRobots})
			},
			[]string{list}, []string{"1"},
		},
		"another request in between": {
			func(s session) { r := request(t, list); s.try(r); s.try(request(t, page)); s.try(r) },
			[]string{list, page, list}, []string{"1", "2", "3"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, "1", "2", "3")
			c.record(s)
			assert.Equal(t, c.want, answers(t, s.Cassette().Player(), c.asked...), "from memory")
			assert.Equal(t, c.want, answers(t, s.reload().Player(), c.asked...), "from its file")
		})
	}
}

// What was asked, what went wrong and when stands beside the interactions, where readers of VCR's format pass over it.
func TestFailureInItsFile(t *testing.T) {
	s := newSession(t, "1")
	s.try(request(t, list))
	s.Failed(request(t, "http://me:hunter2@b.example/?q=1"), errors.New("for http://me:hunter2@b.example/, hunter2"))
	path := filepath.Join(t.TempDir(), "a.yml")
	require.NoError(t, s.Write(path))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Contains(t, string(text), "\nfailures:\n- method: \"get\"\n  uri: \"http://%3CREDACTED%3E@b.example/?q=1\"\n  class: \"other\"\n"+
		"  message: \"for http://%3CREDACTED%3E@b.example/, <REDACTED>\"\n  after: 1\n  failed_at: ")
	assert.NotContains(t, string(text), "hunter2")
	c, err := cassette.Load(path)
	require.NoError(t, err)
	assert.WithinDuration(t, time.Now(), c.Failures[0].At, time.Minute)
	assert.Equal(t, 1, c.Failures[0].After)
}

func TestFailuresThatCannotBeRead(t *testing.T) {
	for failure, want := range map[string]string{
		"{uri: http://a.example/}":                         "failure 1 (line 2): method is missing",
		"{method: get}":                                    "failure 1 (line 2): request.uri is missing",
		"{method: get, uri: http://a.example/, after: 1}":  "failure 1 (line 2): after is 1; expected a number of interactions, 0 to 0",
		"{method: get, uri: http://a.example/, after: -1}": "after is -1",
		"{method: get, uri: http://a.example/, after: x}":  `after is "x"; expected a number`,
		"{method: [], uri: http://a.example/}":             "method is a list; expected text",
		"text":                                             "it is text; expected a mapping",
	} {
		_, err := cassette.Parse([]byte("http_interactions: []\nfailures: [" + failure + "]"))
		assert.ErrorContains(t, err, want, failure)
	}
	for _, empty := range []string{"", "[]", "~"} {
		c, err := cassette.Parse([]byte("http_interactions: []\nfailures: " + empty))
		require.NoError(t, err)
		assert.Empty(t, c.Failures)
	}
}

// Failures take of the room for URLs and headers.
func TestFailuresAreBounded(t *testing.T) {
	recorder := cassette.NewRecorder(fake(nil), cassette.Options{MaxHeadBytes: 10_000})
	for range 1000 {
		recorder.Failed(request(t, list), errRefused)
	}
	c := recorder.Cassette()
	assert.True(t, c.Truncated)
	assert.Equal(t, 1000, c.Missing+len(c.Failures))
	assert.InDelta(t, 18, len(c.Failures), 2)
}
