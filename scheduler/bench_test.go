package scheduler_test

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
)

// together answers at once, except that the first n requests wait for each other.
type together struct {
	response *scraperutils.Response
	missing  atomic.Int64
	here     chan struct{} // closed when none is missing
	all      func()        // called before; or nil
}

func newTogether(n int) *together {
	c := &together{response: &scraperutils.Response{Status: 200}, here: make(chan struct{})}
	c.missing.Store(int64(n))
	return c
}

func (c *together) Do(context.Context, *scraperutils.Request) (*scraperutils.Response, error) {
	if left := c.missing.Add(-1); left == 0 {
		if c.all != nil {
			c.all()
		}
		close(c.here)
	} else if left > 0 {
		<-c.here
	}
	return c.response, nil
}

// BenchmarkTurn is one ExecuteRequest through the loop, with so many operations alive.
func BenchmarkTurn(b *testing.B) {
	for _, n := range []int{1, 100, 10_000, 100_000} {
		b.Run(fmt.Sprintf("operations=%d", n), func(b *testing.B) {
			client := newTogether(n)
			s := scheduler.New(scheduler.Config{Pacer: pace.New(pace.Config{NoDelay: true}), MaxRequests: n})
			each := max(b.N/n, 5)
			for i := range n {
				r := get(b, fmt.Sprintf("http://council-%d.example/page", i))
				register(b, s, fmt.Sprint(i), func(ctx context.Context) error {
					for range each + 1 {
						if _, err := scheduler.ExecuteRequest(ctx, client, r); err != nil {
							return err
						}
					}
					return nil
				})
			}
			var before, after runtime.MemStats
			client.all = func() {
				runtime.ReadMemStats(&before)
				b.ResetTimer()
			}
			run(b, s)
			b.StopTimer()
			runtime.ReadMemStats(&after)
			turns := float64(each * n)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/turns, "ns/turn")
			b.ReportMetric(float64(after.Mallocs-before.Mallocs)/turns, "allocs/turn")
			b.ReportMetric(0, "ns/op") // b.N is not the turns
		})
	}
}

// BenchmarkAlive is what an operation costs in memory while its request is out.
func BenchmarkAlive(b *testing.B) {
	const n = 10_000
	for b.Loop() {
		before := inUse()
		client := newTogether(n + 1) // the last never comes
		s := scheduler.New(scheduler.Config{Pacer: pace.New(pace.Config{}), MaxRequests: n})
		for i := range n {
			r := get(b, fmt.Sprintf("http://council-%d.example/page", i))
			register(b, s, fmt.Sprint(i), func(ctx context.Context) error {
				_, err := scheduler.ExecuteRequest(ctx, client, r)
				return err
			})
		}
		ended := make(chan struct{})
		go func() { run(b, s); close(ended) }()
		for client.missing.Load() > 1 {
			runtime.Gosched()
		}
		alive := inUse()
		close(client.here)
		<-ended
		b.ReportMetric(float64(alive-before)/n, "B/operation")
	}
}

// inUse is heap and stacks after a collection.
func inUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// BenchmarkForgottenHosts is a request to a host that nobody has asked before. Run it with -benchtime=1000000x to see that the heap does
// not grow with the hosts that were seen.
func BenchmarkForgottenHosts(b *testing.B) {
	s := scheduler.New(scheduler.Config{Pacer: pace.New(pace.Config{NoDelay: true}), ForgetAfter: 50 * time.Millisecond})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- s.Serve(ctx) }()
	client := clientFunc(func() *scraperutils.Response { return &scraperutils.Response{Status: 200} })
	for i := range b.N {
		if _, err := s.Execute(ctx, client, get(b, fmt.Sprintf("http://%d.example/", i))); err != nil {
			b.Fatal(err)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		b.Error(err)
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.HeapAlloc)/(1<<20), "heap-MiB")
	b.ReportMetric(float64(s.Hosts()), "hosts-left")
	runtime.KeepAlive(s)
}

// BenchmarkExecute is a request of a caller: many goroutines, hosts of their own, a client that answers at once.
func BenchmarkExecute(b *testing.B) {
	s := scheduler.New(scheduler.Config{Pacer: pace.New(pace.Config{NoDelay: true}), ForgetAfter: time.Minute})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- s.Serve(ctx) }()
	answer := &scraperutils.Response{Status: 200}
	client := clientFunc(func() *scraperutils.Response { return answer })
	hosts := atomic.Int64{}
	b.ReportAllocs()
	b.SetParallelism(100)
	b.RunParallel(func(pb *testing.PB) {
		r := get(b, fmt.Sprintf("http://%d.example/", hosts.Add(1)))
		for pb.Next() {
			if _, err := s.Execute(ctx, client, r); err != nil {
				b.Error(err)
			}
		}
	})
	cancel()
	if err := <-ended; err != nil {
		b.Error(err)
	}
}
