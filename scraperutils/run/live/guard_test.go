package live_test

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Nobody but a page of the board, asked for by a name of this machine, does anything.
func TestStrangersOnLoopback(t *testing.T) {
	s := start(t, "")
	port := strings.TrimPrefix(s.URL, "http://127.0.0.1")
	for name, c := range map[string]struct {
		header []string
		want   int
	}{
		"a page of the board":             {[]string{"Origin", s.URL, "Sec-Fetch-Site", "same-origin"}, http.StatusSeeOther},
		"a program":                       {nil, http.StatusSeeOther},
		"localhost":                       {[]string{"Host", "localhost" + port}, http.StatusSeeOther},
		"a page of another site":          {[]string{"Origin", "http://evil.example", "Sec-Fetch-Site", "cross-site"}, http.StatusForbidden},
		"one of an old browser":           {[]string{"Origin", "http://evil.example"}, http.StatusForbidden},
		"one without an origin":           {[]string{"Origin", "null"}, http.StatusForbidden},
		"one on another port":             {[]string{"Origin", "http://127.0.0.1:1", "Sec-Fetch-Site", "same-site"}, http.StatusForbidden},
		"a name that was led here":        {[]string{"Host", "evil.example", "Origin", "http://evil.example", "Sec-Fetch-Site", "same-origin"}, http.StatusMisdirectedRequest},
		"a name that looks like loopback": {[]string{"Host", "127.0.0.1.evil.example"}, http.StatusMisdirectedRequest},
		"another address":                 {[]string{"Host", "192.0.2.1"}, http.StatusMisdirectedRequest},
	} {
		t.Run(name, func(t *testing.T) {
			s.runner.asked = nil
			status, _ := post(t, s.URL+"/run", url.Values{"which": {"all"}}, c.header...)
			assert.Equal(t, c.want, status)
			assert.Equal(t, c.want == http.StatusSeeOther, len(s.runner.asked) == 1)
		})
	}
}

// Where there is a password, nothing is shown without it.
func TestPassword(t *testing.T) {
	const password = "correct-horse-battery"
	s := start(t, password)
	ask := func(path, user, given string) int {
		request, err := http.NewRequest(http.MethodGet, s.URL+path, nil)
		require.NoError(t, err)
		request.Host = "runs.example"
		if given != "" {
			request.SetBasicAuth(user, given)
		}
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		return response.StatusCode
	}
	for _, path := range []string{"/", "/now", "/live", "/site/x", "/healthz", "/live.js", "/nowhere"} {
		assert.Equal(t, http.StatusUnauthorized, ask(path, "", ""), path)
		assert.Equal(t, http.StatusUnauthorized, ask(path, "anna", "correct-horse-batterx"), path)
	}
	assert.Equal(t, http.StatusOK, ask("/now", "anna", password))
	request := url.Values{"which": {"all"}}
	status, _ := post(t, strings.Replace(s.URL, "://", "://anna:correct-horse-battery@", 1)+"/run", request)
	assert.Equal(t, http.StatusSeeOther, status)
	assert.Equal(t, "anna at 127.0.0.1", s.acted[0].Who)
}

// What is malformed is refused, and does nothing.
func TestHostileRequests(t *testing.T) {
	s := start(t, "")
	heads := []string{
		"POST /run HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
		"POST /run HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 3\r\n\r\n--x",
		"POST /run HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 9000\r\n\r\nlabel=" + strings.Repeat("x", 8994),
		"POST /run HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nwhich=all\r\n0\r\n\r\n",
		"POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 9\r\n\r\nwhich=all",
		"POST /run HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
		"POST /run HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nContent-Length: 0\r\n\r\n",
		"POST /run HTTP/1.1\r\n\r\n",
		"POST /run HTTP/0.9\r\n\r\n",
		"GET /run HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"GET /run?which=all HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"PUT /run HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n",
		"DELETE / HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n",
		"GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"\x16\x03\x01\x02\x00\x01\x00",
		"\r\n\r\n\r\n",
	}
	for _, path := range []string{"/../page.go", "/page.go", "/%2e%2e/%2e%2e/etc/passwd", "/report/../../etc/passwd", "/site/..%2f..%2fetc", "/site/%00", "/now.html", "/live.css/", "//evil.example/", "/live/%0d%0aSet-Cookie:x", "/site/" + strings.Repeat("a", 20000)} {
		heads = append(heads, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\n\r\n")
	}
	for i, head := range heads {
		t.Run(fmt.Sprintf("%d %.60q", i, head), func(t *testing.T) {
			connection, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
			require.NoError(t, err)
			defer connection.Close()
			_, err = connection.Write([]byte(head))
			require.NoError(t, err)
			require.NoError(t, connection.(*net.TCPConn).CloseWrite())
			answer := make([]byte, 4096)
			n, _ := connection.Read(answer) // none at all is fine too
			text := string(answer[:n])
			if strings.HasPrefix(text, "HTTP/1.1 200") {
				assert.Contains(t, head, "/live/", "%q", text) // a stream of what nobody knows is empty
			}
			assert.NotContains(t, text, "root:")
			assert.NotContains(t, text, "package live")
			assert.NotContains(t, text, "\r\nSet-Cookie")
		})
	}
	assert.Empty(t, s.runner.asked)
	status, _, _ := get(t, s.URL+"/now")
	assert.Equal(t, http.StatusOK, status, "it goes on")
}
