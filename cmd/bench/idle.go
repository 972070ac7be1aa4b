package main

import (
	"context"
	"fmt"
	"net/url"
	"runtime"
	"syscall"
	"time"

	"github.com/multiscraper/multiscraper/scheduler"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/web/pace"
)

// idle has as many operations as there are sites wait that long for their second request, and prints the CPU time that this costs,
// in all and in the middle nine tenths of it, and the memory.
func idle(o options) error {
	s := scheduler.New(scheduler.Config{Pacer: pace.New(pace.Config{NoDelay: true}), MaxRunning: o.MaxRunning})
	client := restful{&scraperutils.Response{Status: 200, CrawlDelay: o.Idle}}
	began, before := cpuTime(), memory()
	for i := range o.Sites {
		r := &scraperutils.Request{Method: "GET", URL: &url.URL{Scheme: "https", Host: fmt.Sprintf("council-%d.example", i), Path: "/"}}
		err := s.Register(fmt.Sprint(i), func(ctx context.Context) error {
			for range 2 {
				if _, err := scheduler.ExecuteRequest(ctx, client, r); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	waited, each := make(chan time.Duration, 1), int64(0)
	time.AfterFunc(o.Idle/20, func() {
		each = (memory() - before) / int64(o.Sites)
		from := cpuTime()
		time.AfterFunc(o.Idle*9/10, func() { waited <- cpuTime() - from })
	})
	results, err := s.Run(context.Background())
	if err != nil {
		return err
	}
	middle := <-waited
	fmt.Printf("multiscraper: operations=%d requests=%d waiting=%v cpu_ms=%.1f cpu_ms_while_waiting=%.1f bytes_each=%d\n",
		o.Sites, results.Totals.Calls, o.Idle, milliseconds(cpuTime()-began), milliseconds(middle), each)
	return nil
}

// restful answers at once, and wants to rest then.
type restful struct{ response *scraperutils.Response }

func (c restful) Do(context.Context, *scraperutils.Request) (*scraperutils.Response, error) {
	return c.response, nil
}

// cpuTime is what the process has used so far.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// memory is heap and stacks in use after a collection.
func memory() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }
