package browsecmd_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rabbitmq/amqp091-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/cmd/internal/browsecmd"
	"github.com/multiscraper/multiscraper/scraperutils/browser"
	"github.com/multiscraper/multiscraper/scraperutils/run/guard/guardtest"
	"github.com/multiscraper/multiscraper/scraperutils/run/status"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// patience is how long tests wait for what is to happen, on a machine that has much else to do.
const patience = 2 * time.Minute

// needBrowser skips a test where no page can be opened.
func needBrowser(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	if !slices.ContainsFunc(browser.Programs, func(name string) bool { _, err := exec.LookPath(name); return err == nil }) {
		t.Skip("chromium is missing")
	}
}

// call runs the command in this process.
func call(args ...string) (code int, stdout, stderr string) {
	var out, complaints bytes.Buffer
	code = browsecmd.Main(args, nil, &out, &complaints)
	return code, out.String(), complaints.String()
}

func TestRequestsOfABuiltInPage(t *testing.T) {
	needBrowser(t)
	code, out, complaints := call("--fixtures", "--outlinks")
	assert.Zero(t, code)
	assert.Empty(t, complaints)
	urls := map[string]string{}
	for line := range strings.Lines(out) {
		var r struct {
			URL, Method, ParentURL string
			Headers                map[string]string
		}
		require.NoError(t, json.Unmarshal([]byte(line), &r))
		assert.Equal(t, "http://static.pages.example/", r.ParentURL)
		urls[r.URL] = r.Method
	}
	for _, url := range []string{"", "style/a.css", "script/a.js", "image/1.png", "frame", "image/frame.png", "data/xhr.json"} {
		assert.Equal(t, "GET", urls["http://static.pages.example/"+url], url)
	}
}

func TestPagesThatFailAreNamed(t *testing.T) {
	needBrowser(t)
	code, out, complaints := call("http://127.0.0.1:9/", "http://user:secret@no-such.invalid/")
	assert.Equal(t, 1, code)
	assert.Empty(t, out)
	assert.Contains(t, complaints, "browse: http://127.0.0.1:9/: ")
	assert.Contains(t, complaints, "no-such.invalid/: ")
	assert.NotContains(t, complaints, "secret")
}

// Nothing of this machine is asked for, not even its robots.txt.
func TestPrivateAddressesAreRefused(t *testing.T) {
	needBrowser(t)
	site := newSite(t)
	code, out, complaints := call("--robots", site.URL+"/static/1/")
	assert.Equal(t, 1, code)
	assert.Empty(t, out)
	assert.Contains(t, complaints, "refused: ")
	assert.Empty(t, site.requests())
	assert.Zero(t, site.robots.Load())
}

func TestBadUsage(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"nothing to open":     {nil, "browse: expected URLs, or --fixtures"},
		"no broker":           {[]string{"worker"}, "--amqp"},
		"no broker's URL":     {[]string{"worker", "--amqp", "http://me:secret@a/"}, "it must begin with amqp:// or amqps://"},
		"no number":           {[]string{"--browsers", "many", "http://a.example/"}, `--browsers: can't use "many": expected a number from 1 to 100`},
		"no browser":          {[]string{"--browser", "/no/such", "http://a.example/"}, "/no/such is no program"},
		"no behaviors":        {[]string{"--behaviors", "/no/such", "http://a.example/"}, "--behaviors"},
		"open to all":         {[]string{"worker", "--amqp", "amqp://127.0.0.1/", "--listen", ":9999"}, "--listen-token beside it"},
		"a token for nothing": {[]string{"worker", "--amqp", "amqp://127.0.0.1/", "--listen-token", "0123456789abcdef"}, "--listen beside it"},
		"no such flag":        {[]string{"--frobnicate"}, "unknown flag"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, complaints := call(c.args...)
			assert.Equal(t, 2, code, complaints)
			assert.Empty(t, out)
			assert.Contains(t, complaints, c.says)
			assert.NotContains(t, out+complaints, "secret")
			assert.NotContains(t, out+complaints, "0123456789abcdef")
		})
	}
}

// A worker has its browser before it looks for its broker.
func TestNoBrokerThere(t *testing.T) {
	needBrowser(t)
	testsize.SkipUnlessFull(t) // TestComposeFile has a worker without its broker
	code, out, complaints := call("worker", "--amqp", "amqp://me:secret@127.0.0.1:9/")
	assert.Equal(t, 2, code, complaints)
	assert.Empty(t, out)
	assert.Contains(t, complaints, "connect to broker 127.0.0.1:9: ")
	assert.NotContains(t, complaints, "secret")
}

// bench is a broker with the names of one test, and a site.
type bench struct {
	t      testing.TB
	site   *site
	name   string // of exchange, queue and key
	client string
	listen string
}

func newBench(t testing.TB) *bench {
	needBrowser(t)
	return &bench{t: t, site: newSite(t), name: strings.ToLower(t.Name()), client: broker.Queue(t, nil), listen: freeAddress(t)}
}

// worker starts one, and waits until it takes messages.
func (b *bench) worker(args ...string) *child {
	b.t.Helper()
	c := start(b.t, nil, append([]string{"worker", "--amqp", broker.URL(b.t), "--exchange", b.name, "--queue", b.name, "--routing-key", b.name, "--allow-private",
		"--no-delay", "--retry-pause", "100ms", "--listen", b.listen, "-v"}, args...)...)
	b.await(func() bool { return broker.Consumers(b.t, b.name) == 1 }, c)
	broker.Bind(b.t, b.client, b.client, b.name)
	return c
}

func (b *bench) await(what func() bool, c *child) {
	b.t.Helper()
	for began := time.Now(); !what(); time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > patience {
			require.Fail(b.t, "what was to happen did not", "%s%s", c.out, c.complaints)
		}
	}
}

// ask sends messages for pages, given as KIND/NUMBER, and returns their URLs.
func (b *bench) ask(pages ...string) (urls []string) {
	b.t.Helper()
	for _, page := range pages {
		url := fmt.Sprintf("%s/%s/", b.site.URL, page)
		urls = append(urls, url)
		broker.Publish(b.t, b.name, b.name, amqp091.Publishing{DeliveryMode: amqp091.Persistent, Body: fmt.Appendf(nil, `{"url":%q,"clientId":%q}`, url, b.client)})
	}
	return urls
}

// told takes the URLs that the client was sent.
func (b *bench) told() map[string]int {
	b.t.Helper()
	all := map[string]int{}
	for _, m := range broker.Take(b.t, b.client) {
		var r struct{ URL string }
		require.NoError(b.t, json.Unmarshal([]byte(m.Body), &r))
		all[r.URL]++
	}
	return all
}

// asked reports whether the site was asked for all of these.
func (b *bench) asked(urls ...string) bool {
	all := b.site.requests()
	return !slices.ContainsFunc(urls, func(url string) bool { return !slices.Contains(all, url) })
}

// metric is a line of a worker's metrics.
func (b *bench) metric(name string) string {
	response, err := http.Get("http://" + b.listen + "/metrics")
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// status is what a worker says of itself.
func (b *bench) status() status.Status {
	response, err := http.Get("http://" + b.listen + "/status")
	require.NoError(b.t, err)
	defer response.Body.Close()
	said, err := status.Read(response.Body)
	require.NoError(b.t, err)
	return said
}

// A worker with a browser: it does pages, keeps to robots.txt, tells what it does, reconnects and drains.
func TestWorker(t *testing.T) {
	testsize.SkipUnlessFull(t) // TestRequestsOfABuiltInPage has a browser, and umbra's own tests have a broker
	b := newBench(t)
	w := b.worker("--browsers", "3", "--per-host", "3", "--robots", "--drain", "1m")
	urls := b.ask("static/1", "post/2", "private/3")
	b.await(func() bool { return b.metric(`browse_messages_total{fate="done"}`) == "2" }, w)
	b.await(func() bool { return b.metric(`browse_messages_total{fate="dead"}`) == "1" }, w)
	dead := broker.Take(t, b.name+".dead")
	require.Len(t, dead, 1)
	assert.Contains(t, dead[0].Headers["x-reason"], "the robots.txt of 127.0.0.1")
	assert.False(t, b.asked(urls[2]))
	assert.Equal(t, int64(1), b.site.robots.Load(), "once for all pages of a host")
	told := b.told()
	for _, url := range b.site.requests() {
		assert.Equal(t, 1, told[url], url)
	}

	guardtest.Refuses(t, b.listen, "", "/metrics", "/status", "/healthz")
	assert.Equal(t, status.Waiting, b.status().State)

	held := b.ask("held/4")
	b.await(func() bool { return b.asked(held...) }, w)
	said := b.status()
	assert.Equal(t, status.Working, said.State)
	assert.Contains(t, said.Figures, status.Figure{Name: "done", Value: 2, Unit: "pages", Total: true})
	assert.Contains(t, said.Figures, status.Figure{Name: "open", Value: 1, Unit: "pages"})
	require.Len(t, said.Slow, 1)
	assert.Contains(t, said.Slow[0], held[0])
	require.NoError(t, w.Process.Signal(syscall.SIGQUIT))
	b.await(func() bool {
		return strings.Contains(w.out.String(), "phase=open") && strings.Contains(w.out.String(), "phase=loading")
	}, w)
	require.NoError(t, w.Process.Signal(syscall.SIGHUP))
	b.await(func() bool {
		return strings.Contains(w.out.String(), "a new connection was asked for") && broker.Consumers(t, b.name) == 1
	}, w)
	require.NoError(t, w.Process.Signal(syscall.SIGTERM))
	b.await(func() bool { return broker.Consumers(t, b.name) == 0 }, w)
	b.ask("static/5")
	assert.Equal(t, status.Stopping, b.status().State)
	b.site.release()
	assert.Equal(t, 143, w.end(), "%s%s", w.out, w.complaints)
	assert.Equal(t, 1, broker.Waiting(t, b.name), "what came too late waits")
	assert.Equal(t, 1, b.told()[held[0]], "the open page was done, once")
	assert.NotContains(t, w.out.String()+w.complaints.String(), "guest")
}

// What a worker has open when it is killed, 4 pages or with BROWSE=full 14, is done by the next one, and no browser of the first is left.
func TestAWorkerThatIsKilledLosesNothing(t *testing.T) {
	n := 4
	if os.Getenv("BROWSE") == "full" {
		n = 14
	} else {
		testsize.SkipUnlessFull(t) // umbra's TestFaultsWhilePagesAreOpen cuts its connections
	}
	b := newBench(t)
	w := b.worker("--browsers", fmt.Sprint(n), "--per-host", fmt.Sprint(n))
	var pages []string
	for i := range n {
		pages = append(pages, fmt.Sprintf("held/%d", i))
	}
	urls := b.ask(pages...)
	b.await(func() bool { return b.asked(urls...) }, w)
	family := processes(w.Process.Pid)
	w.kill()
	b.site.release()
	w = b.worker("--browsers", "4", "--per-host", "4")
	b.await(func() bool { return b.metric(`browse_messages_total{fate="done"}`) == fmt.Sprint(n) }, w)
	for _, p := range family {
		assert.ErrorIs(t, syscall.Kill(p.pid, 0), syscall.ESRCH, "process %d is left", p.pid)
	}
	told := b.told()
	for _, url := range urls {
		assert.Positive(t, told[url], url)
	}
	assert.Empty(t, broker.Take(t, b.name+".dead"))
	require.NoError(t, w.Process.Signal(syscall.SIGINT))
	assert.Equal(t, 130, w.end())
	assert.Zero(t, broker.Waiting(t, b.name))
}
