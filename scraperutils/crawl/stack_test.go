//go:build !race

package crawl_test

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db/frontier"
	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
	"github.com/multiscraper/multiscraper/scraperutils/web/fetch"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
)

// Thousands of visits wait for their answers at once, so what one takes of stacks is what a crawl takes of memory: 8 KiB, up to 4 for
// each of its connection's two goroutines, and what connecting has left, which makes 20 to 24. Where the way down is a little deeper, the
// 8 KiB are 16. The race detector needs more.
func TestStackOfAVisit(t *testing.T) {
	const visits, most = 400, 26 << 10
	site, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var asked []net.Conn // accept's until it has returned
	var waiting atomic.Int64
	accepted := make(chan struct{})
	go func() {
		defer close(accepted)
		for conn, err := site.Accept(); err == nil; conn, err = site.Accept() {
			asked = append(asked, conn)
			if _, err := conn.Read(make([]byte, 1<<10)); err == nil {
				waiting.Add(1) // for an answer that never comes
			}
		}
	}()

	f, err := frontier.Open(t.Context(), filepath.Join(t.TempDir(), "frontier.sqlite"), time.Now(), frontier.Options{})
	require.NoError(t, err)
	defer func() { assert.NoError(t, f.Close()) }()
	var entries []crawl.Entry
	_, port, err := net.SplitHostPort(site.Addr().String())
	require.NoError(t, err)
	for i := range visits {
		name := fmt.Sprintf("127.0.%d.%d", 1+i/200, 1+i%200)
		entries = append(entries, crawl.Entry{Host: scraperutils.Host{Name: name, Port: port}, URL: "http://" + name + ":" + port + "/"})
	}
	_, err = f.Add(t.Context(), time.Now(), entries)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	s := scheduler.New(scheduler.Config{Pacer: pace.New(pace.Config{NoDelay: true, NoRetry: true}), MaxRequests: visits})
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx) }()
	client := fetch.New(fetch.Config{Transport: fetch.NewTransport(fetch.TransportConfig{Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, site.Addr().String())
	}})})
	w := &crawl.Worker{Name: "w", Frontier: f, Scheduler: s, Client: client, Hosts: visits, Grace: time.Nanosecond}
	ended := make(chan error, 1)
	before := stacks()
	go func() { ended <- w.Run(ctx) }()
	require.Eventually(t, func() bool { return waiting.Load() == visits }, time.Minute, 10*time.Millisecond)
	assert.Less(t, (stacks()-before)/visits, most)

	cancel()
	assert.ErrorIs(t, <-ended, context.Canceled)
	<-served
	require.NoError(t, site.Close())
	<-accepted
	for _, conn := range asked {
		_ = conn.Close()
	}
}

// stacks is how much memory all stacks take, those of goroutines that have ended left out.
func stacks() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.StackInuse)
}
