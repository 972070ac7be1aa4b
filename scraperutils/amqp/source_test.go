package amqp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/amqp/amqptest"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// inbox is a frontier that only takes.
type inbox struct {
	mu   sync.Mutex
	urls map[string]int // how often each was added
	fail int            // so many calls from now on

	enough chan struct{} // closed when there are as many URLs as wanted
	want   int
}

func newInbox(want int) *inbox {
	return &inbox{urls: map[string]int{}, enough: make(chan struct{}), want: want}
}

func (i *inbox) add(_ context.Context, entries []crawl.Entry) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.fail > 0 {
		i.fail--
		return errors.New("the database is locked")
	}
	before := len(i.urls)
	for _, e := range entries {
		i.urls[e.URL]++
	}
	if before < i.want && len(i.urls) >= i.want {
		close(i.enough)
	}
	return nil
}

// consuming is a source that runs.
type consuming struct {
	*Source
	*inbox
	done     chan error
	mu       sync.Mutex
	refusals []error
	troubles []error
}

func consume(t *testing.T, o SourceOptions, in *inbox) *consuming {
	t.Helper()
	c := &consuming{inbox: in, done: make(chan error, 1)}
	note := func(to *[]error) func(error) {
		return func(err error) { c.mu.Lock(); defer c.mu.Unlock(); *to = append(*to, err) }
	}
	o.OnRefused, o.OnTrouble = note(&c.refusals), note(&c.troubles)
	var err error
	c.Source, err = OpenSource(t.Context(), o)
	require.NoError(t, err)
	go func() { c.done <- c.Run(t.Context(), in.add) }()
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// await waits until all wanted URLs have been added and acknowledged, and ends the source.
func (c *consuming) await(t *testing.T) {
	t.Helper()
	select {
	case <-c.enough:
	case <-time.After(2 * time.Minute):
		t.Fatalf("only %d of %d URLs came: %v", len(c.urls), c.want, c.troubles)
	}
	require.NoError(t, c.Close())
	require.NoError(t, <-c.done)
}

func messages(from, n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf(`{"url":"http://host%d.example/%d"}`, i%7, from+i))
	}
	return all
}

// empty waits until a queue is empty: an acknowledgement takes a moment to arrive.
func empty(t *testing.T, queue string) {
	t.Helper()
	require.Eventually(t, func() bool { return broker.Waiting(t, queue) == 0 }, time.Minute, 10*time.Millisecond)
}

func TestMessagesThatAreNoURLsAreRefusedAndTheRestGoesOn(t *testing.T) {
	broker.URL(t)
	dead := broker.Queue(t, nil)
	name := broker.Queue(t, map[string]any{"x-dead-letter-exchange": "", "x-dead-letter-routing-key": dead})
	all := messages(0, 980)
	for i := range 20 {
		all[49*i] += "\n" // white space is no matter
		all = append(all[:50*i], append([]string{fmt.Sprintf("garbage \x1b %d", i)}, all[50*i:]...)...)
	}
	broker.Put(t, name, all...)
	c := consume(t, SourceOptions{URL: broker.URL(t), Queue: name, Batch: 100}, newInbox(980))
	c.await(t)
	for url, n := range c.urls {
		assert.Equal(t, 1, n, url)
	}
	taken, refused := c.Counts()
	assert.Equal(t, [2]int{980, 20}, [2]int{taken, refused})
	assert.Len(t, c.refusals, 20)
	var why *MessageError
	require.ErrorAs(t, c.refusals[0], &why)
	assert.EqualError(t, why, `message "garbage \x1b 0": is no URL: expected one, or a JSON object with url or link`)
	empty(t, name)
	assert.Len(t, broker.Messages(t, dead), 20, "the dead-letter exchange has what was refused")
}

// What was not added is not acknowledged: it comes again, to the same source or another.
func TestAnAddThatFailsIsTriedAgain(t *testing.T) {
	name := broker.Queue(t, nil)
	broker.Put(t, name, messages(0, 50)...)
	in := newInbox(50)
	in.fail = 2
	c := consume(t, SourceOptions{URL: broker.URL(t), Queue: name}, in)
	c.await(t)
	assert.Len(t, c.troubles, 2)
	assert.ErrorContains(t, c.troubles[0], fmt.Sprintf("add URLs of queue %q: the database is locked", name))
	empty(t, name)
}

func TestCloseGivesBackWhatWasNotAdded(t *testing.T) {
	name := broker.Queue(t, nil)
	broker.Put(t, name, messages(0, 50)...)
	s, err := OpenSource(t.Context(), SourceOptions{URL: broker.URL(t), Queue: name})
	require.NoError(t, err)
	done := make(chan error)
	held := make(chan int)
	go func() {
		done <- s.Run(t.Context(), func(ctx context.Context, entries []crawl.Entry) error {
			held <- len(entries)
			<-ctx.Done()
			return ctx.Err()
		})
	}()
	assert.Positive(t, <-held)
	require.NoError(t, s.Close())
	require.NoError(t, <-done)
	require.Eventually(t, func() bool { return broker.Waiting(t, name) == 50 }, time.Minute, 10*time.Millisecond)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s, err = OpenSource(t.Context(), SourceOptions{URL: broker.URL(t), Queue: name})
	require.NoError(t, err)
	defer s.Close()
	require.ErrorIs(t, s.Run(ctx, nil), context.Canceled)
}

// An end that comes while URLs are added does not keep them from being acknowledged.
func TestWhatWasAddedIsAcknowledgedAtTheEnd(t *testing.T) {
	name := broker.Queue(t, nil)
	for i := range testsize.Of(5, 20) {
		broker.Put(t, name, messages(i, 1)...)
		s, err := OpenSource(t.Context(), SourceOptions{URL: broker.URL(t), Queue: name})
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		require.ErrorIs(t, s.Run(ctx, func(context.Context, []crawl.Entry) error { cancel(); return nil }), context.Canceled)
		require.NoError(t, s.Close())
		require.Zero(t, broker.Waiting(t, name))
	}
}

// The broker sends no more ahead than two batches, however many messages wait.
func TestIntakeIsBounded(t *testing.T) {
	name := broker.Queue(t, nil)
	broker.Put(t, name, messages(0, 100)...)
	s, err := OpenSource(t.Context(), SourceOptions{URL: broker.URL(t), Queue: name, Batch: 10})
	require.NoError(t, err)
	held := make(chan int)
	done := make(chan error)
	go func() {
		done <- s.Run(t.Context(), func(ctx context.Context, entries []crawl.Entry) error {
			held <- len(entries)
			<-ctx.Done()
			return ctx.Err()
		})
	}()
	assert.LessOrEqual(t, <-held, 10)
	require.Eventually(t, func() bool { return broker.Waiting(t, name) == 80 }, time.Minute, 10*time.Millisecond)
	require.NoError(t, s.Close())
	require.NoError(t, <-done)
}

// A broker that dies in the middle costs neither pages nor URLs: who uses it goes on when it is back.
func TestABrokerThatDiesLosesNothing(t *testing.T) {
	testsize.SkipUnlessFull(t) // TestASourceGoesOnAfterACut loses its connection
	url, in, out := broker.URL(t), broker.Queue(t, nil), broker.Queue(t, nil)
	assert.Equal(t, url, broker.URL(t), "it starts once")
	s, err := OpenSink(t.Context(), SinkOptions{URL: url, Key: out})
	require.NoError(t, err)
	defer s.Close()
	broker.Put(t, in, messages(0, 300)...)
	c := consume(t, SourceOptions{URL: url, Queue: in, Batch: 50}, newInbox(600))
	require.NoError(t, s.Store(t.Context(), small(0, 300)))
	require.Eventually(t, func() bool { n, _ := c.Counts(); return n > 0 }, time.Minute, time.Millisecond)

	broker.Kill()
	err = s.Store(t.Context(), small(300, 10))
	require.ErrorContains(t, err, "connection refused")
	noSecret(t, err)

	assert.Equal(t, url, broker.URL(t), "it is back")
	require.NoError(t, s.Store(t.Context(), small(300, 10)))
	assert.Len(t, ids(t, out), 310)
	broker.Put(t, in, messages(300, 300)...)
	c.await(t)
	assert.Len(t, c.urls, 600)
	empty(t, in)
	require.NotEmpty(t, c.troubles)
	for _, err := range c.troubles {
		noSecret(t, err)
	}
}

func TestASourceGoesOnAfterACut(t *testing.T) {
	name := broker.Queue(t, nil)
	broker.Put(t, name, messages(0, 400)...)
	cuts := 3
	p := amqptest.NewProxy(t, broker.URL(t), func() (out, in int64) {
		if cuts--; cuts < 0 {
			return -1, -1
		}
		return -1, 5000
	})
	s := consume(t, SourceOptions{URL: p.URL(), Queue: name, Batch: 20}, newInbox(400))
	s.await(t)
	assert.GreaterOrEqual(t, p.Cuts(), 3)
	empty(t, name)
}

func TestAQueueThatIsDeletedIsNamed(t *testing.T) {
	name := broker.Queue(t, nil)
	told := make(chan error, 10)
	s, err := OpenSource(t.Context(), SourceOptions{URL: broker.URL(t), Queue: name, OnTrouble: func(err error) { told <- err }})
	require.NoError(t, err)
	done := make(chan error)
	go func() { done <- s.Run(t.Context(), newInbox(0).add) }()
	require.Eventually(t, func() bool { return broker.Consumers(t, name) == 1 }, time.Minute, time.Millisecond)
	broker.Delete(t, name)
	assert.ErrorContains(t, <-told, fmt.Sprintf("has ended the consumer of queue %q: was it deleted?", name))
	assert.ErrorContains(t, <-told, fmt.Sprintf("has no queue %q", name))
	require.NoError(t, s.Close())
	require.NoError(t, <-done)
}

func TestMessages(t *testing.T) {
	for name, c := range map[string]struct {
		body     string
		url      string
		priority int
		err      string
	}{
		"object with url":         {`{"url":"http://a.example/"}`, "http://a.example/", 0, ""},
		"object with link":        {` {"link":"http://a.example/","title":"x"} `, "http://a.example/", 0, ""},
		"url before link":         {`{"link":"http://b.example/","url":"http://a.example/"}`, "http://a.example/", 0, ""},
		"priority":                {`{"url":"http://a.example/","priority":9}`, "http://a.example/", 9, ""},
		"priority out of range":   {`{"url":"http://a.example/","priority":10}`, "", 0, "has priority 10, expected 0 to 9"},
		"priority that is none":   {`{"url":"http://a.example/","priority":"high"}`, "", 0, "is no JSON object with url or link"},
		"bare":                    {"http://a.example/\r\n", "http://a.example/", 0, ""},
		"bare, byte order mark":   {"\ufeffhttps://a.example/ü", "https://a.example/%C3%BC", 0, ""},
		"JSON string":             {`"http://a.example/"`, "http://a.example/", 0, ""},
		"empty":                   {" \n", "", 0, "is empty"},
		"object without url":      {`{"uri":"http://a.example/"}`, "", 0, "is no URL: expected one, or a JSON object with url or link"},
		"half an object":          {`{"url":"http://a.example/`, "", 0, "is no JSON object with url or link"},
		"url of another type":     {`{"url":["http://a.example/"]}`, "", 0, "is no JSON object with url or link"},
		"half a string":           {`"http://a.example/`, "", 0, "is no JSON"},
		"two URLs":                {"http://a.example/ http://b.example/", "", 0, "is no URL"},
		"a control character":     {"{\"url\":\"http://a.example/\\u001b[31m\"}", "", 0, "is no URL"},
		"no text":                 {"\xff\xfe", "", 0, "is no text in UTF-8"},
		"no scheme":               {"a.example/x", "", 0, `has scheme "", expected http or https`},
		"another scheme":          {"ftp://a.example/x", "", 0, `has scheme "ftp", expected http or https`},
		"no host":                 {"http:///x", "", 0, "has no host"},
		"a user":                  {"http://me:secret@a.example/", "", 0, "has a user in its URL"},
		"a user, far in":          {strings.Repeat(" ", 80) + "http://me:secret" + strings.Repeat("x", 50) + "@a.example/", "", 0, "has a user in its URL"},
		"a broken escape":         {"http://a.example/%zz", "", 0, "is no URL"},
		"more than there is room": {"http://a.example/" + strings.Repeat("x", maxMessage), "", 0, "expected 1048576 at most"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &Source{options: SourceOptions{}.withDefaults()}
			entry, err := s.entry([]byte(c.body))
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				assert.Less(t, len(err.Error()), 400)
				assert.NotContains(t, err.Error(), "secret")
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.url, entry.URL)
			assert.Equal(t, c.priority, entry.Priority)
		})
	}
}

func FuzzMessage(f *testing.F) {
	for _, seed := range []string{`{"url":"http://a.example/","priority":3}`, `"http://a.example/"`, "http://a.example/", `{"link":null}`, "\ufeff", `{"url":"\ud800"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		s := &Source{options: SourceOptions{}.withDefaults()}
		entry, err := s.entry(body)
		if err != nil {
			require.Less(t, len(err.Error()), 4000)
			return
		}
		require.NotEmpty(t, entry.Host.Name)
		require.True(t, 0 <= entry.Priority && entry.Priority <= 9)
		require.NotContains(t, entry.URL, "\n")
	})
}
