package guard_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/multiscraper/multiscraper/scraperutils/run/guard"
	"github.com/multiscraper/multiscraper/scraperutils/run/guard/guardtest"
)

const token = "0123456789abcdef"

// told answers GET /metrics and /healthz, and POST /urls.
func told() http.Handler {
	mux := http.NewServeMux()
	for _, pattern := range []string{"GET /metrics", "GET /healthz", "POST /urls"} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	}
	return mux
}

func TestStrangers(t *testing.T) {
	for name, token := range map[string]string{"on loopback": "", "with a token": token} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(guard.Handler(token, told()))
			defer server.Close()
			guardtest.Refuses(t, strings.TrimPrefix(server.URL, "http://"), token, "/metrics", "/healthz")
		})
	}
}

func TestThoseWhoMay(t *testing.T) {
	for name, c := range map[string]struct {
		token, method, host string
		head                []string
	}{
		"localhost":             {"", "GET", "localhost:8080", nil},
		"in capitals":           {"", "GET", "LOCALHOST", nil},
		"an address":            {"", "GET", "127.0.0.1:8080", nil},
		"another of loopback":   {"", "GET", "127.8.9.1", nil},
		"one of IPv6":           {"", "GET", "[::1]:8080", nil},
		"one without a port":    {"", "GET", "[::1]", nil},
		"a program that posts":  {"", "POST", "localhost", nil},
		"a page of its own":     {"", "POST", "localhost", []string{"Sec-Fetch-Site", "same-origin", "Origin", "http://localhost"}},
		"a bearer":              {token, "GET", "any.example", []string{"Authorization", "Bearer " + token}},
		"a browser":             {token, "GET", "any.example", []string{"Authorization", "Basic OjAxMjM0NTY3ODlhYmNkZWY="}},
		"a bearer that posts":   {token, "POST", "any.example", []string{"Authorization", "Bearer " + token}},
		"a link from elsewhere": {"", "GET", "localhost", []string{"Sec-Fetch-Site", "cross-site"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(c.method, "/"+map[string]string{"GET": "metrics", "POST": "urls"}[c.method], nil)
			r.Host = c.host
			for i := 0; i < len(c.head); i += 2 {
				r.Header.Set(c.head[i], c.head[i+1])
			}
			w := httptest.NewRecorder()
			guard.Handler(c.token, told()).ServeHTTP(w, r)
			assert.Equal(t, http.StatusOK, w.Code, w.Body)
		})
	}
}
