package render

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// asProgram has the test binary be a program that renders.
const asProgram = "TEST_RENDER_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) == "" {
		os.Exit(m.Run())
	}
	if err := Serve(context.Background(), os.Stdin, os.Stdout, fakeGet); err != nil {
		os.Exit(1)
	}
}

// fakeGet says what it was asked for.
func fakeGet(ctx context.Context, a Ask) (*Document, error) {
	switch _, path, _ := strings.Cut(a.URL, "/at/"); path {
	case "moved":
		return &Document{URL: "http://a.example/at/new#part", Status: 200, HTML: "moved"}, nil
	case "fails":
		return nil, &Error{Reason: "no such name", Kind: scraperutils.ClassDNS}
	case "hangs":
		<-ctx.Done()
		return nil, ctx.Err()
	case "dies":
		os.Exit(3)
	}
	return &Document{
		URL: a.URL, Status: 404, Header: map[string][]string{"content-encoding": {"gzip"}, "content-type": {"text/html; charset=latin1"}, "set-cookie": {"a=1", "b=2"}},
		HTML: "<p>" + a.URL + " " + a.UserAgent + " " + a.Header["Cookie"],
	}, nil
}

func newTransport(t *testing.T) *Transport {
	r := New("env", asProgram+"=1", os.Args[0])
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "plain "+r.Method) }))
	t.Cleanup(plain.Close)
	return &Transport{Renderer: r, Next: roundTripper(func(r *http.Request) (*http.Response, error) {
		r = r.Clone(r.Context())
		r.URL.Host = strings.TrimPrefix(plain.URL, "http://")
		return http.DefaultTransport.RoundTrip(r)
	})}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// get asks a transport for a page.
func get(t *testing.T, via http.RoundTripper, ctx context.Context, method, url string) (*http.Response, string, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, url, nil)
	require.NoError(t, err)
	r.Header = http.Header{"User-Agent": {"robot"}, "Cookie": {"c=3"}, "Accept-Encoding": {"gzip"}}
	response, err := via.RoundTrip(r)
	if err != nil {
		return nil, "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response, string(body), nil
}

func TestADocumentIsAnAnswerLikeAnyOther(t *testing.T) {
	via, wants := newTransport(t), scraperutils.WithRendered(t.Context())
	response, body, err := get(t, via, wants, "GET", "http://a.example/at/here")
	require.NoError(t, err)
	assert.Equal(t, "<p>http://a.example/at/here robot c=3", body)
	assert.Equal(t, 404, response.StatusCode)
	assert.Equal(t, http.Header{"Content-Type": {"text/html; charset=utf-8"}, "Set-Cookie": {"a=1", "b=2"}}, response.Header)

	for method, ctx := range map[string]context.Context{"GET": t.Context(), "POST": wants} {
		_, body, err = get(t, via, ctx, method, "http://a.example/at/here")
		require.NoError(t, err)
		assert.Equal(t, "plain "+method, body)
	}
}

func TestADocumentThatIsElsewhereIsRedirectedTo(t *testing.T) {
	via, wants := newTransport(t), scraperutils.WithRendered(t.Context())
	response, _, err := get(t, via, wants, "GET", "http://a.example/at/moved")
	require.NoError(t, err)
	assert.Equal(t, []any{307, "http://a.example/at/new#part"}, []any{response.StatusCode, response.Header.Get("Location")})
	response, body, err := get(t, via, wants, "GET", "http://a.example/at/new")
	require.NoError(t, err)
	assert.Equal(t, []any{200, "moved"}, []any{response.StatusCode, body}, "the document that was kept")
	_, body, err = get(t, via, wants, "GET", "http://a.example/at/new")
	require.NoError(t, err)
	assert.Contains(t, body, "/at/new robot", "once")
}

func TestFailuresKeepTheirClass(t *testing.T) {
	via, wants := newTransport(t), scraperutils.WithRendered(t.Context())
	_, _, err := get(t, via, wants, "GET", "http://a.example/at/fails")
	require.EqualError(t, err, "no such name")
	assert.Equal(t, scraperutils.ClassDNS, scraperutils.ClassOf(err))

	ctx, cancel := context.WithTimeout(wants, 50*time.Millisecond)
	defer cancel()
	_, _, err = get(t, via, ctx, "GET", "http://a.example/at/hangs")
	require.ErrorIs(t, err, context.DeadlineExceeded)

	_, _, err = get(t, via, wants, "GET", "http://a.example/at/dies")
	require.ErrorContains(t, err, "has ended: exit status 3")
	_, _, err = get(t, via, wants, "GET", "http://a.example/at/here")
	require.NoError(t, err, "it is started again")
}

func TestAnotherProgramIsRefused(t *testing.T) {
	for name, command := range map[string][]string{"none": {"/no/such/program"}, "another": {"echo", "hello"}, "a silent one": {"true"}} {
		r := New(command...)
		_, err := r.Get(t.Context(), Ask{URL: "http://a.example/"})
		require.ErrorContains(t, err, "a page that is to be rendered needs the program "+command[0], name)
		require.NoError(t, r.Close())
		_, err = r.Get(t.Context(), Ask{URL: "http://a.example/"})
		require.ErrorContains(t, err, "no page is rendered any more")
	}
}

func TestServeReportsWhatItCanNotRead(t *testing.T) {
	err := Serve(t.Context(), strings.NewReader(`{"id":1}{"ask`), io.Discard, fakeGet)
	require.ErrorContains(t, err, "read what to render")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	in, _ := io.Pipe()
	require.EqualError(t, Serve(ctx, in, io.Discard, fakeGet), "enough")
}
