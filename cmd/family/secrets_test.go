package family

import (
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/db"
)

// A user and a password that look different in every way of writing them.
const secretUser, secretPassword = "scraper-user", "s3/cr&t+<pw>"

// betraying is what must not be found.
func betraying() []string {
	both := secretUser + ":" + secretPassword
	all := []string{
		secretUser, secretPassword, url.QueryEscape(secretPassword), url.PathEscape(secretPassword), html.EscapeString(secretPassword),
		url.UserPassword("", secretPassword).String()[1:], strings.ToLower(url.QueryEscape(secretPassword)),
	}
	for _, text := range []string{both, secretPassword} {
		all = append(all, base64.RawStdEncoding.EncodeToString([]byte(text)), base64.RawURLEncoding.EncodeToString([]byte(text)))
	}
	return all
}

func assertSafe(t *testing.T, where, text string) {
	t.Helper()
	for _, form := range betraying() {
		if i := strings.Index(text, form); i >= 0 {
			assert.Fail(t, "it holds a secret", "%s: %q", where, text[max(0, i-60):min(len(text), i+60)])
		}
	}
}

// assertNothingLeaks looks at all that a run has left, and at all that commands say of it.
func assertNothingLeaks(t *testing.T, path string, flags ...string) {
	t.Helper()
	reader, err := db.OpenReader(t.Context(), path)
	require.NoError(t, err)
	defer reader.Close()
	for table, err := range reader.Query(t.Context(), "SELECT name FROM sqlite_schema WHERE type = 'table'") {
		require.NoError(t, err)
		for _, row := range rows(t, path, "SELECT * FROM "+table.Text("name")) {
			assertSafe(t, "table "+table.Text("name"), fmt.Sprint(row))
		}
	}
	for _, command := range [][]string{{"list"}, {"list", "--json"}, {"report"}, {"report", "--json"}, {"report", "--html"}} {
		if command[0] == "list" {
			command = append(command, flags...)
		}
		got := scrape(t, t.Context(), nil, append(command, "--db", path)...)
		assert.Equal(t, cli.ExitOK, got.code, got.stderr)
		assertSafe(t, strings.Join(command, " "), got.stdout+got.stderr)
	}
	for _, name := range filesBelow(t, filepath.Dir(path)) {
		assertSafe(t, "the name of a file", name)
		if strings.HasSuffix(name, ".yml") && !strings.HasSuffix(name, "more.yml") {
			assertSafe(t, name, string(must(os.ReadFile(name))))
		}
	}
}

// knownSite asks for user and password and tells them to everybody.
func knownSite(t *testing.T) *httptest.Server {
	t.Helper()
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		login := url.UserPassword(secretUser, secretPassword).String()
		with := strings.Replace(server.URL, "://", "://"+login+"@", 1)
		elsewhere := strings.Replace(with, "127.0.0.1", "localhost", 1)
		if user, password, _ := r.BasicAuth(); user != secretUser || password != secretPassword {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("X-Seen", r.Header.Get("Authorization"))
		switch strings.Split(r.URL.Path, "/")[1] {
		case "good":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			defer z.Close()
			application := `{"application": {"info": {"dat_id": "DA-%d", "description": "Shed"}, "reference": {"more_info_url": %q}, "locations": [{"address": {"street": %q}}]}}`
			fmt.Fprintf(z, `{"you": %q, "response": [%s, %s], "pagination": {"current": 1}}`, r.Header.Get("Authorization"),
				fmt.Sprintf(application, 1, with+"/da?to="+url.QueryEscape(with), "1 High St"), fmt.Sprintf(application, 2, with+"/da/2", ""))
		case "moved":
			http.Redirect(w, r, elsewhere+"/good/applications.json", http.StatusFound)
		case "gone":
			http.Redirect(w, r, elsewhere+"/missing/applications.json", http.StatusFound)
		case "nowhere":
			w.Header().Set("Location", with+":x/")
			w.WriteHeader(http.StatusFound)
		case "loops":
			http.Redirect(w, r, with+r.URL.Path, http.StatusFound)
		case "page":
			fmt.Fprintf(w, `<h1>%s</h1><a href="%s/">here</a>`, r.Header.Get("Authorization"), with)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

// A user and a password in the address of a register open it, and are seen nowhere else.
func TestUserInformationStaysInside(t *testing.T) {
	t.Parallel()
	server, path := knownSite(t), database(t)
	with := strings.Replace(server.URL, "://", "://"+url.UserPassword(secretUser, secretPassword).String()+"@", 1)
	more := filepath.Join(filepath.Dir(path), "more.yml")
	var labels []string
	var file strings.Builder
	for _, label := range []string{"good", "moved", "gone", "nowhere", "loops", "page", "missing", "refused"} {
		base := with
		if label == "refused" {
			base = strings.Replace(with, strings.Split(server.URL, ":")[2], "1", 1)
		}
		fmt.Fprintf(&file, "- {authority: my_%s, platform: atdis, url: %q}\n", label, base+"/"+label)
		labels = append(labels, "my_"+label)
	}
	writeFile(t, more, file.String())
	flags := []string{"--authorities", more}
	for _, format := range []string{"json", "text"} {
		got := scrape(t, t.Context(), []string{"DEBUG=3"}, append(flags, "--authority", strings.Join(labels, ","), "--no-delay", "--attempts", "1", "--log-format", format, "--db", path)...)
		assert.Equal(t, cli.ExitUnexpected, got.code)
		assertSafe(t, "standard output", got.stdout)
		assertSafe(t, "standard error", got.stderr)
		for label, want := range map[string]string{
			"my_good": "ok", "my_moved": "ok", "my_gone": "failed http-4xx", "my_nowhere": "failed protocol", "my_loops": "failed http-3xx",
			"my_page": "failed layout", "my_missing": "failed http-4xx", "my_refused": "failed connect",
		} {
			o := outcome(t, path, label)
			assert.Equal(t, want, strings.TrimSpace(o["verdict"]+" "+o["failure_class"]), "%s: %s", label, o["error_message"])
		}
		assertNothingLeaks(t, path, flags...)
	}
	want := server.URL + "/da?to=" + url.QueryEscape(strings.TrimPrefix(server.URL, "")) // the address in the query lost its user too
	assert.Equal(t, []map[string]string{{"info_url": want}}, rows(t, path, "SELECT info_url FROM data WHERE authority_label = 'my_good'"))
	assert.Len(t, rows(t, path, "SELECT * FROM rejected WHERE authority_label = 'my_good'"), 2, "one a run")

	got := scrape(t, t.Context(), nil, "new", "my_new", "--platform", "atdis", "--url", with+"/good")
	assert.Equal(t, cli.ExitUsage, got.code, "it takes no user and no password")
	assertSafe(t, "scrape new", got.stdout+got.stderr)
	writeFile(t, more, "- {authority: bad, platform: atdis, url: 'ftp://"+secretUser+":"+secretPassword+"@host'}\n")
	got = scrape(t, t.Context(), nil, append(flags, "--db", path)...)
	assert.Equal(t, cli.ExitUsage, got.code)
	assertSafe(t, "a row that is refused", got.stderr)
}

// A proxy that shows what it was told, in headers and on its page, plain, in JSON and in base64, gives nothing away.
func TestProxyThatEchoes(t *testing.T) {
	t.Parallel()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		told := r.Header.Get("Proxy-Authorization")
		plain, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(told, "Basic "))
		assert.Equal(t, secretUser+":"+secretPassword, string(plain))
		if r.Method == http.MethodConnect {
			connection, _, err := http.NewResponseController(w).Hijack()
			require.NoError(t, err)
			defer connection.Close()
			fmt.Fprintf(connection, "HTTP/1.1 502 No way for %s\r\n\r\n", told)
			return
		}
		w.Header().Set("X-Told", told)
		w.Header().Set("X-Proxy", "http://"+url.UserPassword(secretUser, secretPassword).String()+"@proxy.example/")
		if r.URL.Path == "/robots.txt" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		fmt.Fprintf(w, `<h1>%s</h1><p>%s <p>%q <a href="/?u=%s">%s</a>`, told, html.EscapeString(string(plain)), plain, url.QueryEscape(string(plain)),
			base64.URLEncoding.EncodeToString([]byte("x"+string(plain)+"y")))
	}))
	defer proxy.Close()
	path := database(t)
	env := []string{"DEBUG=3", "MORPH_USE_PROXY=1", "MORPH_AUSTRALIAN_PROXY=" + strings.Replace(proxy.URL, "://", "://"+url.UserPassword(secretUser, secretPassword).String()+"@", 1)}
	more := filepath.Join(filepath.Dir(path), "more.yml")
	writeFile(t, more, "- {authority: mine, platform: epathway, url: 'http://council.example/', list: all}\n- {authority: feed, platform: atdis, url: 'http://feed.example/'}\n- {authority: closed, platform: atdis, url: 'https://closed.example/'}\n")
	got := scrape(t, t.Context(), env, "--authorities", more, "--authority", "mine,feed,closed", "--no-delay", "--attempts", "1", "--db", path)
	assert.Equal(t, cli.ExitUnexpected, got.code, got.stderr)
	assertSafe(t, "standard output", got.stdout)
	assertSafe(t, "standard error", got.stderr)
	for _, label := range []string{"mine", "feed", "closed"} {
		require.NotEmpty(t, outcome(t, path, label)["evidence"])
	}
	assertNothingLeaks(t, path, "--authorities", more)
	recording := string(must(os.ReadFile(filepath.Join(outcome(t, path, "mine")["evidence"], "epathway", "mine.yml"))))
	assert.Contains(t, recording, "Basic <REDACTED>")
	assert.Contains(t, outcome(t, path, "closed")["error_message"], "No way for Basic <REDACTED>")
}
