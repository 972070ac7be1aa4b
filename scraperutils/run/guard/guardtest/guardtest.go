// Package guardtest sends a server what nobody who may ask would send. Every server that tells of runs passes its suite.
package guardtest

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// patience is how long an answer may take on a busy machine.
const patience = time.Minute

// request is what is sent: a method, a path, and lines of a head.
type request struct {
	method, path string
	head         []string
}

// Refuses asks a server at an address of loopback for these paths, all of which answer GET, in ways that must be refused. token is the
// server's, or "". At the end the server must still answer.
func Refuses(t *testing.T, address, token string, paths ...string) {
	t.Helper()
	good := "Host: " + address
	if token != "" {
		good = "Host: elsewhere.example\r\nAuthorization: Bearer " + token
	}
	for _, path := range paths {
		for _, r := range strangers(address, token, path) {
			status, header, body := send(t, address, r)
			assert.True(t, status >= 400 && status < 500, "%q is answered with %d", r, status)
			assert.Less(t, len(body), 200, "%q is told more than why not: %.300s", r, body)
			if status != http.StatusBadRequest { // which net/http answers itself where a head can't be read
				assert.Equal(t, "nosniff", header.Get("X-Content-Type-Options"), "%q", r)
				assert.Equal(t, "DENY", header.Get("X-Frame-Options"), "%q", r)
			}
		}
		for _, method := range []string{"PUT", "DELETE", "PATCH", "TRACE", "PROPFIND", "get", "X"} {
			status, _, _ := send(t, address, request{method, path, []string{good}})
			assert.True(t, status >= 300 && status < 500, "%s %s is answered with %d", method, path, status)
		}
		status, _, _ := send(t, address, request{"GET", path, []string{good}})
		assert.True(t, status < 400, "GET %s is answered with %d", path, status)
	}
	garbage(t, address)
	status, _, _ := send(t, address, request{"GET", "/healthz", []string{good}})
	assert.Equal(t, http.StatusOK, status, "it goes on")
}

// strangers are requests of those who may not ask.
func strangers(address, token, path string) (all []request) {
	elsewhere := [][]string{
		{"Origin: https://evil.example", "Sec-Fetch-Site: cross-site"}, {"Origin: https://evil.example"}, {"Origin: null"},
		{"Origin: http://127.0.0.1:1", "Sec-Fetch-Site: same-site"}, {"Sec-Fetch-Site: cross-site"},
	}
	if token != "" {
		basic := func(text string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(text)) }
		for _, given := range []string{
			"", "Bearer", "Bearer ", "Bearer x", "Bearer " + token + "x", "Bearer  " + token, "Bearer " + token[1:], "bearer " + token[:15], "Basic", "Basic !!", basic("x"), basic("x:y"),
			basic(token + ":x"), "Digest " + token, token, "Bearer " + swapped(token), "Bearer " + strings.Repeat("a", 10_000),
		} {
			all = append(all, request{"GET", path, []string{"Host: " + address, "Authorization: " + given}})
		}
		all = append(all, request{"GET", path + "?token=" + token, []string{"Host: " + address, "Cookie: token=" + token}})
		for _, head := range elsewhere {
			all = append(all, request{"POST", path, append(head, "Host: "+address, "Authorization: Bearer "+token)})
		}
		return all
	}
	for _, host := range []string{
		"evil.example", "127.0.0.1.evil.example", "localhost.evil.example:8080", "169.254.169.254", "0.0.0.0", "[::]", "", "local host", "127.0.0.1@evil.example", "192.168.0.1:8080",
		"127.1", "2130706433", "0x7f.1", "localhost.", "[::ffff:10.0.0.1]",
	} {
		all = append(all, request{"GET", path, []string{"Host: " + host}}, request{"POST", path, []string{"Host: " + host, "Origin: http://" + host, "Sec-Fetch-Site: same-origin"}})
	}
	for _, head := range elsewhere {
		all = append(all, request{"POST", path, append(head, "Host: "+address)})
	}
	return all
}

// swapped is a text with its letters' cases changed.
func swapped(s string) string {
	if upper := strings.ToUpper(s); upper != s {
		return upper
	}
	return strings.ToLower(s) + "."
}

// send sends a request and reads the answer. No answer at all counts as 400.
func send(t *testing.T, address string, r request) (int, http.Header, string) {
	t.Helper()
	c, err := net.Dial("tcp", address)
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, c.SetDeadline(time.Now().Add(patience)))
	_, _ = fmt.Fprintf(c, "%s %s HTTP/1.1\r\n%s\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", r.method, r.path, strings.Join(r.head, "\r\n")) // it may be cut off
	response, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: r.method})
	if err != nil {
		return http.StatusBadRequest, nil, ""
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(response.Body, 1<<20)) // what comes of it is looked at
	return response.StatusCode, response.Header, string(body)
}

// garbage sends what is no request.
func garbage(t *testing.T, address string) {
	t.Helper()
	for _, text := range []string{
		"", "\r\n\r\n\r\n", "\x16\x03\x01\x02\x00\x01\x00", "GET", "GET / HTTP/0.9\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
		"GET http://evil.example/metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n", "GET / HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 100_000) + "\r\n\r\n",
		"GET /" + strings.Repeat("a", 100_000) + " HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n",
	} {
		c, err := net.Dial("tcp", address)
		require.NoError(t, err)
		require.NoError(t, c.SetDeadline(time.Now().Add(patience)))
		_, _ = io.WriteString(c, text) // it may be cut off
		_ = c.(*net.TCPConn).CloseWrite()
		answer, _ := io.ReadAll(io.LimitReader(c, 1<<20)) // none at all is fine too
		assert.NotContains(t, string(answer), "HTTP/1.1 200", "%.60q", text)
		assert.NotContains(t, string(answer), "root:", "%.60q", text)
		_ = c.Close() // it has said what it has to say
	}
}
