package agent_test

import (
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/agent"
	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
)

// answering is the address of a host that gives the same answer to whatever it reads first.
func answering(t *testing.T, answer string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	serve := func(c net.Conn) {
		defer c.Close()
		_, _ = c.Read(make([]byte, 4096))
		_, _ = io.WriteString(c, answer)
		_ = c.(*net.TCPConn).CloseWrite()
		_, _ = io.Copy(io.Discard, c) // so that nothing of the answer is lost
	}
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go serve(c)
		}
	}()
	return listener.Addr().String()
}

// ways are the transports that requests go out by.
func ways(c fetch.TransportConfig) map[string]http.RoundTripper {
	return map[string]http.RoundTripper{"standard": fetch.NewTransport(c), "direct": fetch.NewDirect(c)}
}

// oldHello is the beginning of a handshake by TLS 1.0.
var oldHello = "\x16\x03\x01\x00\x2a\x02\x00\x00\x26\x03\x01" + strings.Repeat("r", 32) + "\x00\x00\x2f\x00"

// What is neither a page nor an error page says what it is.
func TestClassOfAnswers(t *testing.T) {
	const (
		ok       = scraperutils.ClassNone
		http3xx  = scraperutils.ClassHTTP3xx
		http4xx  = scraperutils.ClassHTTP4xx
		http5xx  = scraperutils.ClassHTTP5xx
		protocol = scraperutils.ClassProtocol
		connect  = scraperutils.ClassConnect
		noTLS    = scraperutils.ClassTLS
	)
	const empty = "\r\nContent-Length: 0\r\n\r\n"
	for name, c := range map[string]struct {
		answer string
		class  scraperutils.Class
	}{
		"a page":                        {"HTTP/1.1 200 OK" + empty, ok},
		"a page without content":        {"HTTP/1.1 204 No Content\r\n\r\n", ok},
		"a status nobody knows":         {"HTTP/1.1 299 Fine" + empty, ok},
		"a part of a page":              {"HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-3/100\r\nContent-Length: 4\r\n\r\nhalf", protocol},
		"another protocol":              {"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n", protocol},
		"status 000":                    {"HTTP/1.1 000 None" + empty, protocol},
		"status 099":                    {"HTTP/1.1 099 None" + empty, protocol},
		"status 600":                    {"HTTP/1.1 600 None" + empty, protocol},
		"status 999":                    {"HTTP/1.1 999 Request denied" + empty, protocol},
		"status 1000":                   {"HTTP/1.1 1000 None" + empty, protocol},
		"no number":                     {"HTTP/1.1 abc None" + empty, protocol},
		"choices":                       {"HTTP/1.1 300 Multiple Choices\r\nContent-Length: 4\r\n\r\nmany", http3xx},
		"a redirect to nowhere":         {"HTTP/1.1 302 Found" + empty, http3xx},
		"a redirect to nothing":         {"HTTP/1.1 302 Found\r\nLocation: " + empty, http3xx},
		"a redirect without a host":     {"HTTP/1.1 302 Found\r\nLocation: http:///x" + empty, http3xx},
		"a redirect to a file":          {"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd" + empty, http3xx},
		"a redirect to a letter":        {"HTTP/1.1 302 Found\r\nLocation: mailto:a@b.example" + empty, http3xx},
		"a redirect that is no URL":     {"HTTP/1.1 302 Found\r\nLocation: http://[::1/" + empty, protocol},
		"nothing is new":                {"HTTP/1.1 304 Not Modified\r\n\r\n", http3xx},
		"a status that is not used":     {"HTTP/1.1 306 None" + empty, http3xx},
		"a client error nobody knows":   {"HTTP/1.1 499 None" + empty, http4xx},
		"a server error nobody knows":   {"HTTP/1.1 599 None" + empty, http5xx},
		"a page without HTTP":           {"<html>hello</html>\r\n\r\n", protocol},
		"HTTP/2 unasked":                {"\x00\x00\x12\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x80\x00\x04\x00\x01\x00\x00\x00\x05\x00\xff\xff\xff", protocol},
		"SSH":                           {"SSH-2.0-OpenSSH_9.2\r\n", protocol},
		"headers without an end":        {"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 300<<10) + "\r\n\r\n", protocol},
		"a header that is none":         {"HTTP/1.1 200 OK\r\nno colon\r\n\r\n", protocol},
		"a length that is none":         {"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n", protocol},
		"two lengths":                   {"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", protocol},
		"an unknown transfer":           {"HTTP/1.1 200 OK\r\nTransfer-Encoding: rot13\r\n\r\nab", protocol},
		"a chunk that is none":          {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n", protocol},
		"an encoding nobody asked for":  {"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\nabcd", protocol},
		"gzip that is none":             {"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8babcdefghijklmnop", protocol},
		"nothing at all":                {"", connect},
		"half a page":                   {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", connect},
		"no TLS":                        {"tls HTTP/1.1 400 Bad Request\r\n\r\nspeak plainly", noTLS},
		"TLS of another age":            {"tls " + oldHello, noTLS},
		"garbage instead of TLS":        {"tls garbage", noTLS},
		"TLS that ends before it began": {"tls ", connect},
	} {
		t.Run(name, func(t *testing.T) {
			answer, secure := strings.CutPrefix(c.answer, "tls ")
			url := "http://" + answering(t, answer)
			if secure {
				url = strings.Replace(url, "http", "https", 1)
			}
			for way, transport := range ways(fetch.TransportConfig{}) {
				_, err := agent.New(agent.Config{Fetch: fetch.Config{Transport: transport}}).Get(t.Context(), url)
				assert.Equal(t, c.class, scraperutils.ClassOf(err), "%s: %v", way, err)
			}
		})
	}
}

// A host that refuses our TLS is reached, and says no.
func TestClassOfAlerts(t *testing.T) {
	for name, config := range map[string]*tls.Config{
		"an old version":             {MaxVersion: tls.VersionTLS11},
		"no certificate":             {ClientAuth: tls.RequireAnyClientCert},
		"no certificate, by TLS 1.2": {ClientAuth: tls.RequireAnyClientCert, MaxVersion: tls.VersionTLS12},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewUnstartedServer(http.NotFoundHandler())
			s.TLS, s.Config.ErrorLog = config, log.New(io.Discard, "", 0)
			s.StartTLS()
			defer s.Close()
			pool := s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
			for way, transport := range ways(fetch.TransportConfig{RootCAs: pool}) {
				_, err := agent.New(agent.Config{Fetch: fetch.Config{Transport: transport}}).Get(t.Context(), s.URL)
				assert.Equal(t, scraperutils.ClassTLS, scraperutils.ClassOf(err), "%s: %v", way, err)
			}
		})
	}
}
