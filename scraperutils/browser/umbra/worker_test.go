package umbra

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/amqp"
)

func TestAClientGetsWhatItsPageAskedFor(t *testing.T) {
	w := start(t, Options{Outlinks: true})
	w.ask(fmt.Sprintf(`{"url":"http://a.example/ok","clientId":%q,"username":"me","password":"secret","behaviorParameters":{"a":[1]},`+
		`"metadata":{"userAgent":"robot","big":12345678901234567890,"deep":{"x":null}},"unknown":true}`, w.client))
	w.settled(1)
	w.stop()
	got := w.results()
	metadata := map[string]any{"userAgent": "robot", "big": 12345678901234567890.0, "deep": map[string]any{"x": nil}}
	result := func(url, method string, headers map[string]any) map[string]any {
		return map[string]any{"url": url, "method": method, "headers": headers, "parentUrl": "http://a.example/ok", "parentUrlMetadata": metadata}
	}
	form := result("http://a.example/ok?form", "POST", map[string]any{"Content-Type": "text/plain"})
	form["postData"] = "<ä>&"
	beacon := result("http://a.example/ok?beacon", "POST", map[string]any{})
	beacon["postData"] = "ÿ\x00"
	assert.Equal(t, map[string][]map[string]any{
		"http://a.example/ok":        {result("http://a.example/ok", "GET", map[string]any{"User-Agent": "robot"})},
		"http://a.example/ok?form":   {form},
		"http://a.example/ok?beacon": {beacon},
		"http://other.example/":      {result("http://other.example/", "GET", map[string]any{})},
	}, got)
	require.Len(t, w.seen, 1)
	p := w.seen[0]
	assert.Equal(t, []any{"robot", "me", "secret", map[string]any{"a": []any{1.0}}, true}, []any{p.UserAgent, p.Username, p.Password, p.Parameters, p.Outlinks})
	w.empty()
	assert.Empty(t, w.dead())
}

func TestWhatCanNotBeBrowsedIsKeptWithTheReason(t *testing.T) {
	w := start(t, Options{Browsers: 3})
	cases := map[string]string{
		``:                                   "message is no JSON: unexpected end of JSON input",
		`{"url":`:                            "message is no JSON: unexpected end of JSON input",
		`http://a.example/`:                  "message is no JSON: invalid character 'h' looking for beginning of value",
		`["http://a.example/"]`:              "message is no JSON object",
		`null`:                               "message is null, expected a JSON object",
		`{"clientId":"x"}`:                   "url is missing",
		`{"url":null}`:                       "url is missing",
		`{"url":7,"clientId":[]}`:            "url is no string; clientId is no string",
		`{"url":"ftp://a.example/"}`:         "url has another scheme than http and https",
		`{"url":"http://a.example/\u0000"}`:  "url has control characters",
		`{"url":"http://a/","metadata":"x"}`: "metadata is no JSON object",
		`{"url":"http://a/","metadata":{"retries":"1"}}`:                              "metadata.retries is no whole number from 0",
		`{"url":"http://a/","metadata":{"retries":-1}}`:                               "metadata.retries is no whole number from 0",
		`{"url":"http://a/","metadata":{"userAgent":{}}}`:                             "metadata.userAgent is no string",
		`{"url":"http://a/","behaviorParameters":[]}`:                                 "behaviorParameters is no JSON object",
		`{"url":"http://a/","password":1}`:                                            "password is no string",
		fmt.Sprintf(`{"url":"http://a/","clientId":%q}`, w.options.Key):               fmt.Sprintf("clientId is %q: results would come back as messages", w.options.Key),
		fmt.Sprintf(`{"url":"http://a/","clientId":%q}`, strings.Repeat("k", 256)):    "clientId has 256 bytes, expected 255 at most",
		"{\"url\":\"http://a/\xff\"}":                                                 "message is no text in UTF-8",
		`{"url":"http://a/","x":"` + strings.Repeat("x", maxMessage) + `"}`:           fmt.Sprintf("message has %d bytes, expected %d at most", maxMessage+26, maxMessage),
		fmt.Sprintf(`{"url":"http://a.example/never","clientId":%q}`, "nobody"):       "a password is asked for",
		fmt.Sprintf(`{"url":"http://a.example/fail/9","metadata":{"retries":%d}}`, 5): "crash: try 1",
	}
	for body := range cases {
		w.ask(body)
	}
	w.ask(w.message("http://a.example/ok"), `{"url":"http://a.example/ok/2"}`, fmt.Sprintf(`{"url":"http://a.example/ok/3","clientId":%q,"metadata":null}`, w.client))
	w.settled(len(cases) + 3)
	w.stop()
	w.empty()
	dead := w.dead()
	assert.Len(t, dead, len(cases))
	for _, m := range dead {
		assert.Equal(t, cases[m.Body], m.Headers["x-reason"], "%.100q", m.Body)
		assert.True(t, m.Persistent)
	}
	got := w.results()
	assert.Len(t, got, 6, "the rest goes on; without a client nothing is sent")
	assert.Equal(t, map[string]any{}, got["http://a.example/ok/3"][0]["parentUrlMetadata"])
}

func TestAPageThatFailsIsTriedAgain(t *testing.T) {
	w := start(t, Options{Browsers: 3, RetryPause: 20 * time.Millisecond})
	w.ask(w.message("http://a.example/fail/2"), w.message("http://a.example/fail/9"), `{"url":"http://b.example/fail/1","clientId":"x","other":[1]}`)
	w.await(func() bool { s := w.Stats(); return s.Done == 2 && s.Dead == 1 }, "all tries done")
	w.stop()
	w.empty()
	assert.Equal(t, []int{3, 6, 2}, []int{w.times("http://a.example/fail/2"), w.times("http://a.example/fail/9"), w.times("http://b.example/fail/1")})
	assert.Equal(t, 2+5+1, w.Stats().Retried)
	dead := w.dead()
	require.Len(t, dead, 1)
	assert.JSONEq(t, fmt.Sprintf(`{"url":"http://a.example/fail/9","clientId":%q,"metadata":{"path":"http://a.example/fail/9","retries":5}}`, w.client), dead[0].Body)
	assert.Equal(t, "crash: try 6", dead[0].Headers["x-reason"])
	var retries []any
	for _, r := range w.results()["http://a.example/fail/2"] {
		retries = append(retries, r["parentUrlMetadata"].(map[string]any)["retries"])
	}
	assert.Equal(t, []any{nil, 1.0, 2.0}, retries)
}

func TestPausesDouble(t *testing.T) {
	var got []time.Duration
	for n := 1; n < mostTries; n++ {
		got = append(got, Options{}.withDefaults().pauseBefore(n))
	}
	assert.Equal(t, []time.Duration{10 * time.Second, 20 * time.Second, 40 * time.Second, 80 * time.Second, 2 * time.Minute}, got)
	assert.Equal(t, time.Hour, Options{RetryPause: time.Hour}.pauseBefore(5))
}

func TestAtTheEndOpenPagesEndAndTheRestGoesBack(t *testing.T) {
	w := start(t, Options{Browsers: 4})
	w.ask(w.message("http://a.example/held/1"), w.message("http://a.example/held/2"), w.message("http://a.example/late/3"), w.message("http://a.example/late/4"))
	w.await(func() bool { return w.Stats().Begun == 2 && len(w.Pages()) == 4 }, "two pages begin")
	w.end()
	w.await(func() bool { return broker.Waiting(t, w.options.Queue) == 2 }, "what has not begun goes back at once")
	w.ask(w.message("http://a.example/ok/5"))
	w.release()
	w.stop()
	assert.Equal(t, 3, broker.Waiting(t, w.options.Queue))
	assert.Equal(t, 2, w.Stats().Done)
	assert.Len(t, w.results(), 6)
}

func TestPagesThatDoNotEndGoBack(t *testing.T) {
	w := start(t, Options{Drain: 50 * time.Millisecond})
	w.ask(w.message("http://a.example/held"))
	w.await(func() bool { return w.Stats().Begun == 1 }, "the page begins")
	w.stop()
	assert.Equal(t, 1, broker.Waiting(t, w.options.Queue))
	assert.Equal(t, 1, w.Stats().Returned)
}

// A queue that is there in another form is the only thing that can't be worked with.
func TestAQueueInAnotherFormIsNamed(t *testing.T) {
	other := broker.Queue(t, map[string]any{"x-max-length": 10})
	_, err := Open(t.Context(), Options{URL: broker.URL(t), Exchange: "umbra-other", Queue: other}, newFake())
	var topology *amqp.TopologyError
	require.ErrorAs(t, err, &topology)
	assert.ErrorContains(t, err, fmt.Sprintf("declare queue %q: it is there in another form; delete it, or use another name: ", other))
	assert.NotContains(t, err.Error(), "guest")
}

func TestResultsThatNobodyWantsAreCounted(t *testing.T) {
	w := start(t, Options{})
	w.ask(`{"url":"http://a.example/ok","clientId":"gone"}`)
	w.settled(1)
	w.stop()
	w.empty()
	assert.Equal(t, []int{3, 3}, []int{w.Stats().Results, w.Stats().Unrouted})
	assert.ErrorContains(t, <-w.troubles, `no queue is bound to exchange "umbra-`)
}
