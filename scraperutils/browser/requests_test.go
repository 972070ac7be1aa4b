package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/target"
	"github.com/stretchr/testify/assert"
)

// What the browser tells of requests, as a word each: what, the request, and what belongs to it.
//
//	will:1:/a      begins             redirect:1:/b  its next hop (the answer had headers), redirect-bare without
//	extra:1:h      headers h          answer:1, bare:1 (no headers announced), worker:1 (from a service worker), disk:1
//	fail:1, end:1  is over            body:1:text
func play(t *testing.T, words string) []string {
	var told []string
	k := newTracker(func(r Request) {
		line := r.Method + " " + r.URL + " " + r.Header["H"]
		if r.PostData != nil {
			line += " " + *r.PostData
		}
		told = append(told, strings.TrimSpace(line))
	})
	last := map[network.RequestID]*hop{}
	for _, word := range strings.Fields(words) {
		if word == "finish" {
			k.finish()
			continue
		}
		part := append(strings.Split(word, ":"), "", "")
		id := network.RequestID(part[1])
		session := target.SessionID("page")
		if strings.HasPrefix(part[0], "other-") {
			session, part[0] = "other", strings.TrimPrefix(part[0], "other-")
		}
		will := &network.EventRequestWillBeSent{RequestID: id, Request: &network.Request{URL: "http://h" + part[2], Method: "GET", Headers: network.Headers{"H": "provisional"}}}
		switch part[0] {
		case "will", "post", "shared":
			if h := k.begin(session, will, part[0] == "shared"); h != nil {
				last[id] = h
				h.waits = part[0] == "post"
			}
		case "redirect", "redirect-bare", "internal":
			will.RedirectResponse, will.RedirectHasExtraInfo = &network.Response{}, part[0] == "redirect"
			if part[0] == "internal" {
				will.RedirectResponse.Headers = network.Headers{"Non-Authoritative-Reason": "HSTS"}
			}
			last[id] = k.begin(session, will, false)
		case "extra":
			k.sent(&network.EventRequestWillBeSentExtraInfo{RequestID: id, Headers: network.Headers{"H": part[2], ":path": "/"}})
		case "answer", "bare", "worker", "disk":
			k.answered(&network.EventResponseReceived{RequestID: id, HasExtraInfo: part[0] == "answer", Response: &network.Response{
				FromServiceWorker: part[0] == "worker", FromDiskCache: part[0] == "disk",
			}}, false)
		case "cached":
			k.fromCache(id)
		case "fail", "end":
			k.ended(id, part[0] == "fail")
		case "body":
			k.body(id, last[id], []byte(part[2]))
		case "password":
			k.repeated("http://h"+part[2], "Basic x")
		default:
			t.Fatal(word)
		}
	}
	return told
}

// Headers belong to their hop in whatever order they come, and what was not sent is not told of.
func TestTracker(t *testing.T) {
	for name, c := range map[string]struct{ events, told string }{
		"headers first":                       {"extra:1:a will:1:/ answer:1", "GET http://h/ a"},
		"headers second":                      {"will:1:/ extra:1:a answer:1", "GET http://h/ a"},
		"headers late":                        {"will:1:/ answer:1 end:1 extra:1:a", "GET http://h/ a"},
		"headers never":                       {"will:1:/ answer:1 end:1 finish", "GET http://h/ provisional"},
		"none announced, but there":           {"will:1:/ extra:1:a bare:1 end:1", "GET http://h/ a"},
		"none announced, but late":            {"will:1:/ bare:1 fail:1 extra:1:a", "GET http://h/ a"},
		"none announced":                      {"will:1:/ bare:1 end:1 finish", "GET http://h/ provisional"},
		"redirect":                            {"will:1:/1 extra:1:a redirect:1:/2 extra:1:b answer:1", "GET http://h/1 a|GET http://h/2 b"},
		"redirect, headers before their hops": {"extra:1:a will:1:/1 extra:1:b redirect:1:/2 answer:1", "GET http://h/1 a|GET http://h/2 b"},
		"redirect, headers after all hops":    {"will:1:/1 redirect:1:/2 redirect:1:/3 answer:1 extra:1:a extra:1:b extra:1:c", "GET http://h/1 a|GET http://h/2 b|GET http://h/3 c"},
		"redirect without headers":            {"will:1:/1 redirect-bare:1:/2 extra:1:b answer:1", "GET http://h/1 provisional|GET http://h/2 b"},
		"redirect of the browser's own":       {"will:1:/1 internal:1:/2 extra:1:b answer:1", "GET http://h/2 b"},
		"two sessions tell":                   {"will:1:/ other-will:1:/ extra:1:a answer:1 other-will:1:/", "GET http://h/ a"},
		"failed under way":                    {"will:1:/ extra:1:a fail:1", "GET http://h/ a"},
		"failed before it was sent":           {"will:1:/ fail:1 finish", ""},
		"never answered":                      {"will:1:/ extra:1:a finish", "GET http://h/ a"},
		"never sent":                          {"will:1:/ finish", ""},
		"of a shared worker, never answered":  {"shared:1:/ finish", "GET http://h/ provisional"},
		"of a shared worker":                  {"shared:1:/ bare:1", "GET http://h/ provisional"},
		"answered by a service worker":        {"will:1:/ worker:1 end:1 finish", ""},
		"from the disk":                       {"will:1:/ disk:1 end:1 finish", ""},
		"from memory":                         {"will:1:/ cached:1 bare:1 end:1 finish", ""},
		"from the disk, but asked for":        {"will:1:/ extra:1:a disk:1 end:1 finish", "GET http://h/ a"},
		"body after the answer":               {"post:1:/ extra:1:a answer:1 end:1 body:1:text", "GET http://h/ a text"},
		"body that never comes":               {"post:1:/ extra:1:a answer:1 end:1 finish", "GET http://h/ a"},
		"password":                            {"will:1:/ extra:1:a password::/ answer:1", "GET http://h/ a|GET http://h/ a"},
		"several at once":                     {"will:1:/1 will:2:/2 extra:2:b extra:1:a answer:2 answer:1", "GET http://h/2 b|GET http://h/1 a"},
		"an end of nothing":                   {"end:1 fail:2 answer:3 cached:4 extra:5:a finish", ""},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.told, strings.Join(play(t, c.events), "|"))
		})
	}
}

// Whatever comes in whatever order, nothing is told of twice, and nothing panics.
func FuzzTracker(f *testing.F) {
	f.Add([]byte("\x00\x01\x02\x03\x04"))
	words := []string{"will:%d:/%d", "redirect:%d:/%d", "extra:%d:h%d", "answer:%d", "bare:%d", "disk:%d", "fail:%d", "end:%d", "shared:%d:/%d", "worker:%d", "internal:%d:/%d"}
	f.Fuzz(func(t *testing.T, b []byte) {
		var events []string
		for i, c := range b {
			word := words[int(c)%len(words)]
			arguments := []any{int(c) / len(words) % 3, i}
			events = append(events, fmt.Sprintf(word, arguments[:strings.Count(word, "%")]...))
		}
		told := play(t, strings.Join(events, " ")+" finish finish")
		seen := map[string]bool{}
		for _, line := range told { // each hop has a path of its own
			path := strings.Fields(line)[1]
			assert.False(t, seen[path], "%s in %s", path, events)
			seen[path] = true
		}
	})
}

// Data, blobs and the browser's own pages are nobody's requests.
func TestOnNetwork(t *testing.T) {
	for url, want := range map[string]bool{
		"http://a/": true, "HTTPS://a/": true, "data:text/plain,x": false, "blob:http://a/1": false, "chrome://version": false, "file:///etc/passwd": false,
		"ws://a/": false, "": false, "about:blank": false,
	} {
		assert.Equal(t, want, onNetwork(url), url)
	}
}
