package umbra

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rabbitmq/amqp091-go"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/amqp/amqptest"
)

// broker is shared by the tests of this package, none of which runs beside another.
var broker amqptest.Broker

func TestMain(m *testing.M) { os.Exit(broker.Run(m)) }

// patience is how long tests wait for what is to happen, on a machine that has much else to do.
const patience = 90 * time.Second

// fake is a Browser without one. What a page does is in its path: /ok makes three requests, /held waits for open between them, /fail/N fails
// N times, /never is not to be done, /late waits before it begins.
type fake struct {
	open    chan struct{} // closed when what is held goes on
	release func()        // closes it

	mu    sync.Mutex // guards the rest
	begun map[string]int
	seen  []Page
}

func newFake() *fake {
	open := make(chan struct{})
	return &fake{open: open, release: sync.OnceFunc(func() { close(open) }), begun: map[string]int{}}
}

func (f *fake) Browse(ctx context.Context, p Page) ([]string, error) {
	if strings.Contains(p.URL, "/late") {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	if err := p.Begin(); err != nil {
		return nil, err
	}
	f.mu.Lock()
	f.begun[p.URL]++
	times := f.begun[p.URL]
	f.seen = append(f.seen, p)
	f.mu.Unlock()
	p.OnRequest(Request{URL: p.URL, Method: "GET", Headers: map[string]string{"User-Agent": p.UserAgent}})
	p.OnRequest(Request{URL: "data:text/plain,x", Method: "GET"})
	if strings.Contains(p.URL, "/held") {
		select {
		case <-f.open:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	if _, n, ok := strings.Cut(p.URL, "/fail/"); ok && times <= number(n) {
		return nil, fmt.Errorf("crash: try %d", times)
	}
	if strings.Contains(p.URL, "/never") {
		return nil, &FinalError{fmt.Errorf("a password is asked for")}
	}
	p.OnRequest(Request{URL: p.URL + "?form", Method: "POST", Headers: map[string]string{"Content-Type": "text/plain"}, Body: []byte("<ä>&")})
	p.OnRequest(Request{URL: p.URL + "?beacon", Method: "POST", Body: []byte{0xff, 0}})
	return []string{"http://other.example/#top", "http://other.example/", "mailto:a@b.example"}, nil
}

func number(s string) (n int) { _, _ = fmt.Sscan(s, &n); return n }

func (f *fake) times(url string) int { f.mu.Lock(); defer f.mu.Unlock(); return f.begun[url] }

// numbers makes the names of each test others.
var numbers atomic.Int64

// world is a worker that runs, and its client.
type world struct {
	*Worker
	*fake
	t        testing.TB
	options  Options
	client   string // the ID, and the queue
	end      context.CancelFunc
	done     chan error
	troubles chan error
}

// start starts a worker with a fake browser and binds the queue of a client.
func start(t testing.TB, o Options) *world {
	t.Helper()
	n := numbers.Add(1)
	w := &world{fake: newFake(), t: t, done: make(chan error, 1), troubles: make(chan error, 10_000)}
	if o.URL == "" {
		o.URL = broker.URL(t)
	}
	o.Exchange, o.Queue, o.Key = fmt.Sprintf("umbra-%d", n), fmt.Sprintf("urls-%d", n), fmt.Sprintf("urls-%d", n)
	o.OnTrouble = func(err error) {
		select {
		case w.troubles <- err:
		default:
		}
	}
	w.options = o
	w.work()
	w.client = broker.Queue(t, nil)
	broker.Bind(t, w.client, w.client, o.Exchange)
	return w
}

// work starts the worker.
func (w *world) work() {
	w.t.Helper()
	var err error
	w.Worker, err = Open(w.t.Context(), w.options, w.fake)
	require.NoError(w.t, err)
	var ctx context.Context
	ctx, w.end = context.WithCancel(context.Background())
	worker, done := w.Worker, make(chan error, 1)
	w.done = done
	go func() { done <- worker.Run(ctx) }()
	end := sync.OnceFunc(func() { w.end(); <-done; _ = worker.Close() })
	w.t.Cleanup(func() { w.release(); w.end(); end() })
}

// stop ends the worker as a signal does.
func (w *world) stop() {
	w.t.Helper()
	w.end()
	select {
	case err := <-w.done:
		require.ErrorIs(w.t, err, context.Canceled)
		w.done <- err
	case <-time.After(patience):
		require.Fail(w.t, "the worker does not end", "%+v", w.Pages())
	}
	require.NoError(w.t, w.Worker.Close())
}

// ask sends messages as a client does.
func (w *world) ask(bodies ...string) {
	w.t.Helper()
	var all []amqp091.Publishing
	for _, b := range bodies {
		all = append(all, amqp091.Publishing{DeliveryMode: amqp091.Persistent, ContentType: "application/json", ContentEncoding: "utf-8", Body: []byte(b)})
	}
	broker.Publish(w.t, w.options.Exchange, w.options.Key, all...)
}

// message is the body of one.
func (w *world) message(url string) string {
	return fmt.Sprintf(`{"url":%q,"clientId":%q,"metadata":{"path":%q}}`, url, w.client, url)
}

// settled waits until so many messages were settled one way or the other.
func (w *world) settled(n int) {
	w.t.Helper()
	w.await(func() bool { s := w.Stats(); return s.Done+s.Dead+s.Retried >= n }, "%d messages settled", n)
}

func (w *world) await(what func() bool, format string, args ...any) {
	w.t.Helper()
	for began := time.Now(); !what(); time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > patience {
			require.Fail(w.t, fmt.Sprintf(format, args...), "stats %+v, pages %+v", w.Stats(), w.Pages())
		}
	}
}

// empty waits until the queue has nothing left, delivered or not. The worker has to be stopped for the latter to be seen.
func (w *world) empty() {
	w.t.Helper()
	require.Zero(w.t, broker.Waiting(w.t, w.options.Queue))
}

func (w *world) dead() []amqptest.Message { return broker.Take(w.t, w.options.Queue+".dead") }

// results takes what the client was sent, by URL.
func (w *world) results() map[string][]map[string]any {
	w.t.Helper()
	all := map[string][]map[string]any{}
	for _, m := range broker.Take(w.t, w.client) {
		var r map[string]any
		require.NoError(w.t, json.Unmarshal([]byte(m.Body), &r))
		require.Equal(w.t, []any{true, "application/json", "utf-8", w.client}, []any{m.Persistent, m.ContentType, m.ContentEncoding, m.Key})
		all[r["url"].(string)] = append(all[r["url"].(string)], r)
	}
	return all
}
