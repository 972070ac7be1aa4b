package stream_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db/leases"
	"github.com/multiscraper/multiscraper/scraperutils/stream"
)

// river is a stream in memory. An iterator is SHARD@PLACE.
type river struct {
	mu     sync.Mutex // guards the rest
	shards []stream.Shard
	closed map[string]bool
	log    map[string][]stream.Record
	fail   func(call, shard string) error // before a call is answered; nil: never
	reads  map[string][]time.Time
}

func newRiver(shards ...string) *river {
	r := &river{closed: map[string]bool{}, log: map[string][]stream.Record{}, reads: map[string][]time.Time{}}
	for _, id := range shards {
		r.shards = append(r.shards, stream.Shard{ID: id})
	}
	return r
}

// put puts records whose data are numbers into a shard. Their sequence numbers are those plus 1000.
func (r *river) put(shard string, from, to int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := from; i < to; i++ {
		r.log[shard] = append(r.log[shard], stream.Record{Sequence: strconv.Itoa(1000 + i), Key: "k", Arrived: time.Now(), Data: []byte(strconv.Itoa(i))})
	}
}

func (r *river) failing(call, shard string) error {
	if r.fail == nil {
		return nil
	}
	return r.fail(call, shard)
}

func (r *river) Shards(context.Context) ([]stream.Shard, time.Time, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.shards), time.Now(), r.failing("shards", "")
}

func (r *river) Open(ctx context.Context, shard string, p stream.Position) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.failing("open", shard); err != nil {
		return "", err
	}
	at := len(r.log[shard])
	for i, record := range r.log[shard] {
		n, _ := strconv.Atoi(record.Sequence)
		wanted, _ := strconv.Atoi(p.Sequence)
		if p.Kind == stream.Horizon || p.Kind == stream.AtTime && !record.Arrived.Before(p.Time) || p.Kind == stream.After && n > wanted || p.Kind == stream.At && n >= wanted {
			at = i
			break
		}
	}
	return fmt.Sprint(shard, "@", at), nil
}

func (r *river) Read(ctx context.Context, iterator string, limit int) (page stream.Page, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	shard, place, _ := strings.Cut(iterator, "@")
	r.reads[shard] = append(r.reads[shard], time.Now())
	if err := r.failing("read", shard); err != nil {
		return page, err
	}
	at, _ := strconv.Atoi(place)
	all := r.log[shard]
	end := min(at+limit, len(all))
	page.Records = slices.Clone(all[at:end])
	if end < len(all) || !r.closed[shard] { // the answer with the last records of a closed shard is its last
		page.Next = fmt.Sprint(shard, "@", end)
	}
	return page, nil
}

// notes is what a handler was given.
type notes struct {
	mu  sync.Mutex
	all []string // SHARD:DATA
}

func (n *notes) each(_ context.Context, shard string, r stream.Record) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, shard+":"+string(r.Data))
	return nil
}

func (n *notes) get() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.all)
}

// of is data of a shard.
func of(shard string, from, to int) (all []string) {
	for i := from; i < to; i++ {
		all = append(all, fmt.Sprint(shard, ":", i))
	}
	return all
}

// lab is a consumer to try things with. Time in it is that of synctest.
type lab struct {
	*stream.Consumer
	file   *leases.File
	mu     sync.Mutex
	events []stream.Event
}

func newLab(t *testing.T, source stream.Source, path, name string, h stream.Handler) *lab {
	t.Helper()
	file, err := leases.Open(t.Context(), path, "s")
	require.NoError(t, err)
	l := &lab{file: file}
	l.Consumer = &stream.Consumer{Source: source, Leases: file, DeadLetters: file, Handler: h, Name: name, Start: stream.Position{Kind: stream.Horizon}, OnEvent: func(e stream.Event) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.events = append(l.events, e)
	}}
	return l
}

// told lists events of a kind.
func (l *lab) told(what string) (all []stream.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.events {
		if e.What == what {
			all = append(all, e)
		}
	}
	return all
}

// runFor runs the consumer for a time, and closes its file.
func (l *lab) runFor(t *testing.T, d time.Duration) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	err := l.Run(ctx)
	require.NoError(t, l.file.Close())
	return err
}

// simulate runs a test in simulated time.
func simulate(t *testing.T, test func(t *testing.T, path string)) {
	path := filepath.Join(t.TempDir(), "stream.sqlite")
	synctest.Test(t, func(t *testing.T) { test(t, path) })
}

func errDeadline(t *testing.T, err error) {
	t.Helper()
	require.ErrorIs(t, err, context.DeadlineExceeded)
}
