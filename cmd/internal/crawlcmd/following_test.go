package crawlcmd_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// linked is a web in which each host has a few pages, and a calendar.
func linked(t *testing.T) *web {
	t.Helper()
	web := newWeb(t)
	web.answer = func(w http.ResponseWriter, url string, _ int) bool {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, path, _ := strings.Cut(strings.TrimPrefix(url, "http://"), "/")
		n, body := 0, ""
		switch _, err := fmt.Sscanf(path, "calendar/%d", &n); {
		case err == nil:
			body = fmt.Sprintf(`<a href="/calendar/%d">next</a>`, n+1)
		case path == "":
			body = `<a href="/a?b=1&amp;sid=7">a</a> <a href="/calendar/1">calendar</a> <a href="http://other.example/">other</a> <a href="/old">old</a> <a href="/print.pdf">print</a>`
		case path == "old":
			http.Redirect(w, &http.Request{Method: http.MethodGet}, "http://a.example/new", http.StatusMovedPermanently)
			return true
		default:
			body = `<a href="/">front</a>`
		}
		_, _ = w.Write([]byte(body))
		return true
	}
	return web
}

// URLs on the command line are the beginning of a crawl of their hosts; status names what was left out; a list is only fetched.
func TestFollowing(t *testing.T) {
	web, folder := linked(t), t.TempDir()
	good(t, folder, "http://a.example/", "--proxy", web.proxy(), "--no-delay", "--warc", "off", "--exclude", `\.pdf$ /nothing`, "--max-series", "5")
	assert.Equal(t, 1+6+3, web.total())
	for _, url := range []string{"http://a.example/a?b=1", "http://a.example/new", "http://a.example/calendar/6"} {
		assert.Equal(t, 1, web.asked[url], url)
	}
	assert.Contains(t, good(t, folder, "status"), "left out\n  a.example: series of pages: 1 link, such as http://a.example/calendar/7\n")
	var status struct {
		Traps []struct {
			Host, Rule, Example string
			Count               int
		}
	}
	require.NoError(t, json.Unmarshal([]byte(good(t, folder, "status", "--json")), &status))
	require.Len(t, status.Traps, 1)
	assert.Equal(t, "series of pages", status.Traps[0].Rule)

	code, _, complaints := call(t, folder, "--proxy", web.proxy(), "--no-delay")
	assert.Equal(t, 2, code, "it is not taken for a queue")
	assert.Contains(t, complaints, "say --scope host, domain or all to go on with that, or none")
	good(t, folder, "--scope", "all", "--again", "http://a.example/", "--proxy", web.proxy(), "--no-delay", "--warc", "off", "--max-series", "5")
	assert.Equal(t, 1, web.asked["http://other.example/"], "the scope is another one now")
	assert.Equal(t, 1, web.asked["http://a.example/print.pdf"])
}

func TestListIsOnlyFetched(t *testing.T) {
	for name, args := range map[string][]string{
		"a file":          {"-f", "-"},
		"scope none":      {"--scope", "none", "http://a.example/"},
		"what was added":  {},
		"a most of pages": {"--scope", "all", "--max-pages", "1"},
	} {
		t.Run(name, func(t *testing.T) {
			web, folder := linked(t), t.TempDir()
			if len(args) == 0 || args[len(args)-1] == "1" {
				good(t, folder, "add", "http://a.example/")
			}
			p := start(t, folder, append(args, "--proxy", web.proxy(), "--no-delay", "--warc", "off")...)
			_, err := p.stdin.Write([]byte("http://a.example/\n"))
			require.NoError(t, err)
			require.NoError(t, p.stdin.Close())
			require.Zero(t, p.end(t), p.complaints)
			assert.Equal(t, 1, web.total())
		})
	}
}
