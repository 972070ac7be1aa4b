package amqp

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/amqp/amqptest"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/crawl/sinktest"
)

// broker is shared by the tests of this package, none of which runs beside another.
var broker amqptest.Broker

func TestMain(m *testing.M) { os.Exit(broker.Run(m)) }

// queue is a place for the suite of all sinks.
type queue struct {
	t    testing.TB
	name string
}

func (q queue) Open() (crawl.Sink, error) {
	return OpenSink(q.t.Context(), SinkOptions{URL: broker.URL(q.t), Key: q.name})
}

func (q queue) Pages() (pages []*crawl.Page, err error) {
	for _, m := range broker.Messages(q.t, q.name) {
		p, err := sinktest.ParseLine(m.Body)
		if err != nil {
			return nil, err
		}
		if p.ID != m.ID || !m.Persistent {
			return nil, fmt.Errorf("message %q of page %q, persistent: %v", m.ID, p.ID, m.Persistent)
		}
		pages = append(pages, p)
	}
	return pages, nil
}

func TestSink(t *testing.T) {
	sinktest.Run(t, func(t *testing.T) sinktest.Store { return queue{t, broker.Queue(t, nil)} })
}

func small(from, n int) (pages []*crawl.Page) {
	for i := range n {
		pages = append(pages, sinktest.Page(fmt.Sprintf("http://a.example/%d", from+i), "text/plain", []byte("x")))
	}
	return pages
}

// ids counts the messages of a queue by ID.
func ids(t testing.TB, queue string) map[string]int {
	t.Helper()
	n := map[string]int{}
	for _, m := range broker.Messages(t, queue) {
		n[m.ID]++
	}
	return n
}

// Connections that are cut at seeded moments, publishes and confirms alike, lose nothing, and what was confirmed is not sent again.
func TestACutConnectionLosesNothing(t *testing.T) {
	url, name := broker.URL(t), broker.Queue(t, nil)
	random := rand.New(rand.NewPCG(14, 5))
	p := amqptest.NewProxy(t, url, func() (out, in int64) {
		if random.IntN(2) == 0 {
			return random.Int64N(15_000), -1
		}
		return -1, 500 + random.Int64N(400)
	})
	var s *Sink
	for s == nil {
		s, _ = OpenSink(t.Context(), SinkOptions{URL: p.URL(), Key: name})
	}
	defer s.Close()
	const groups, size = 40, 25
	failures := 0
	for i := range groups {
		for s.Store(t.Context(), small(i*size, size)) != nil {
			failures++
		}
	}
	n := ids(t, name)
	assert.Len(t, n, groups*size)
	repeats := 0
	for _, times := range n {
		repeats += times - 1
	}
	assert.Greater(t, p.Cuts(), 5)
	t.Logf("%d connections cut, %d calls failed, %d of %d pages came twice", p.Cuts(), failures, repeats, groups*size)
}

// A queue that is full refuses. The part of a group that found room is not sent again with the rest.
func TestAFullQueueIsAnErrorUntilThereIsRoom(t *testing.T) {
	name := broker.Queue(t, map[string]any{"x-max-length": 10, "x-overflow": "reject-publish"})
	s, err := OpenSink(t.Context(), SinkOptions{URL: broker.URL(t), Key: name})
	require.NoError(t, err)
	defer s.Close()
	got := map[string]int{}
	tries := 0
	for ; ; tries++ {
		require.Less(t, tries, 20)
		err := s.Store(t.Context(), small(0, 45))
		for id, n := range ids(t, name) {
			got[id] += n
		}
		broker.Purge(t, name)
		if err == nil {
			break
		}
		var refused *RefusedError
		require.ErrorAs(t, err, &refused)
		require.ErrorContains(t, err, "a queue is full, or fails")
	}
	assert.Positive(t, tries)
	assert.Len(t, got, 45)
	for id, n := range got {
		assert.Equal(t, 1, n, id)
	}
}

func TestAPageThatNoQueueTakesIsAnError(t *testing.T) {
	url, name := broker.URL(t), broker.Queue(t, nil)
	exchange := broker.Exchange(t, "pages", name)
	s, err := OpenSink(t.Context(), SinkOptions{URL: url, Exchange: exchange, Key: "nobody"})
	require.NoError(t, err)
	defer s.Close()
	for range 2 {
		err = s.Store(t.Context(), small(0, 600))
		var unrouted *UnroutedError
		require.ErrorAs(t, err, &unrouted)
		assert.Equal(t, &UnroutedError{exchange, "nobody", 600}, unrouted)
		require.ErrorContains(t, err, fmt.Sprintf("600 pages went nowhere: bind a queue to exchange %q with key \"nobody\"", exchange))
	}
	s.options.Key = "pages"
	require.NoError(t, s.Store(t.Context(), small(0, 600)))
	assert.Len(t, ids(t, name), 600)

	byName, err := OpenSink(t.Context(), SinkOptions{URL: url, Key: name})
	require.NoError(t, err)
	defer byName.Close()
	broker.Delete(t, name)
	require.EqualError(t, byName.Store(t.Context(), small(0, 3)), fmt.Sprintf("publish pages: 3 pages went nowhere: there is no queue %q", name))
}

// noSecret checks that an error does not tell a password.
func noSecret(t testing.TB, err error) {
	t.Helper()
	for _, secret := range []string{"guest:guest", "geheim", "s%20"} {
		assert.NotContains(t, err.Error(), secret)
	}
}

func TestWhatIsNotThereIsNamedAtOpen(t *testing.T) {
	url := broker.URL(t)
	name := strings.TrimSuffix(url[strings.Index(url, "@")+1:], "/")
	web := saying(t, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
	silent := saying(t, "")
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	for title, c := range map[string]struct {
		url, exchange, key, queue string
		want                      string
	}{
		"no exchange": {url, "nowhere", "k", "", `broker ` + name + ` has no exchange "nowhere" in virtual host "/": declare it, and a queue that is bound to it with key "k"`},
		"no queue":    {url, "", "nowhere", "nowhere", `broker ` + name + ` has no queue "nowhere" in virtual host "/": declare it`},
		"wrong password": {"amqp://guest:geheim@" + name, "", "k", "", `connect to broker ` + name +
			`: user "guest" is not allowed in, or the password is wrong`},
		"no such virtual host":  {url + "geheim2", "", "k", "q", `virtual host "geheim2"`},
		"a web server":          {"amqp://guest:geheim@" + web, "", "k", "q", "it does not answer as AMQP 0-9-1 does"},
		"nobody there":          {"amqp://guest:geheim@" + closed.Addr().String(), "", "k", "q", "connection refused"},
		"no URL":                {"amqp://guest:geheim s%20@%zz", "", "k", "q", "AMQP URL can't be read: expected amqp://user:password@host:port/vhost"},
		"another scheme":        {"http://guest:geheim@localhost/", "", "k", "q", "AMQP URL can't be read"},
		"a port that is none":   {"amqp://guest:geheim@localhost:99999999999/", "", "k", "q", "AMQP URL can't be read"},
		"a password with slash": {"amqp://guest:geheim/s%20@localhost/", "", "k", "q", "AMQP URL can't be read"},
	} {
		t.Run(title, func(t *testing.T) {
			_, err := OpenSink(t.Context(), SinkOptions{URL: c.url, Exchange: c.exchange, Key: c.key})
			require.ErrorContains(t, err, c.want)
			if title != "no such virtual host" {
				noSecret(t, err)
			}
			if c.queue != "" {
				_, err := OpenSource(t.Context(), SourceOptions{URL: c.url, Queue: c.queue})
				require.ErrorContains(t, err, c.want)
			}
		})
	}
	t.Run("one that never answers", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, err := OpenSink(ctx, SinkOptions{URL: "amqp://" + silent})
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

// A broker that takes pages and never confirms them holds nobody for ever: neither beyond the timeout nor beyond the context.
func TestABrokerThatSaysNothingIsLeft(t *testing.T) {
	url, name := broker.URL(t), broker.Queue(t, nil)
	stalled := make(chan struct{})
	p := stallingProxy(t, url, stalled)
	s, err := OpenSink(t.Context(), SinkOptions{URL: p, Key: name, Timeout: 100 * time.Millisecond})
	require.NoError(t, err)
	defer s.Close()
	close(stalled)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	require.ErrorIs(t, s.publish(ctx, small(0, 3)), errSilent)

	s, err = OpenSink(t.Context(), SinkOptions{URL: url, Key: name})
	require.NoError(t, err)
	require.NoError(t, s.Store(t.Context(), small(0, 3)))
	require.NoError(t, s.Close())
	require.ErrorIs(t, s.Store(t.Context(), small(0, 3)), errClosed)
}

// stallingProxy forwards everything until it is told to swallow what the broker says.
func stallingProxy(t *testing.T, broker string, stalled <-chan struct{}) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() {
		client, err := l.Accept()
		if err != nil {
			return
		}
		defer client.Close()
		server, err := net.Dial("tcp", strings.TrimSuffix(broker[strings.Index(broker, "@")+1:], "/"))
		if err != nil {
			return
		}
		defer server.Close()
		go func() {
			b := make([]byte, 4096)
			for {
				n, err := server.Read(b)
				if err != nil {
					return
				}
				select {
				case <-stalled:
				default:
					_, _ = client.Write(b[:n])
				}
			}
		}()
		b := make([]byte, 4096)
		for {
			n, err := client.Read(b)
			if err != nil {
				return
			}
			_, _ = server.Write(b[:n])
		}
	}()
	t.Cleanup(func() { _ = l.Close() })
	return "amqp://guest:guest@" + l.Addr().String() + "/"
}

// saying is a server that says one thing to everybody who comes.
func saying(t *testing.T, what string) (address string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write([]byte(what))
			t.Cleanup(func() { _ = c.Close() })
		}
	}()
	return l.Addr().String()
}
