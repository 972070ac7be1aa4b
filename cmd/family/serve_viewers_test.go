package family

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/pagetest"
)

// TestServeViewers has SERVE_VIEWERS people look at a run of the built-in sites at once, and nobody, in turns. The run may take 3 % longer with
// them, in the median of five.
func TestServeViewers(t *testing.T) {
	count, err := strconv.Atoi(os.Getenv("SERVE_VIEWERS"))
	if err != nil {
		t.Skip("takes minutes: make serve-viewers")
	}
	s := startServerOf(t, database(t))
	s.timed(t) // the first knows nothing of the sites
	var without, with []time.Duration
	for range 5 {
		idle, took := s.cpu(t), s.timed(t)
		without = append(without, took)
		busy := s.cpu(t)
		bytes, leave := s.look(t, count)
		with = append(with, s.timed(t))
		leave()
		fmt.Printf("nobody %v (server: CPU %v), %d viewers %v (CPU %v, told %.1f MiB); server %.1f MiB\n", took, busy-idle, count,
			with[len(with)-1], s.cpu(t)-busy, mib(bytes.Load()), mib(pagetest.RSS(s.Process.Pid)))
	}
	slices.Sort(without)
	slices.Sort(with)
	fmt.Printf("medians: nobody %v, %d viewers %v: %+.1f %%\n", without[2], count, with[2], 100*(with[2].Seconds()/without[2].Seconds()-1))
	assert.LessOrEqual(t, with[2].Seconds(), 1.03*without[2].Seconds())
}

// cpu is the CPU time that the server has taken.
func (s *server) cpu(t *testing.T) time.Duration {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.Process.Pid))
	require.NoError(t, err)
	var user, system time.Duration
	_, after, _ := strings.Cut(string(text), ") ")
	_, err = fmt.Sscan(strings.Join(strings.Fields(after)[11:13], " "), &user, &system)
	require.NoError(t, err)
	return (user + system) * 10 * time.Millisecond
}

// timed runs all sites, and returns how long that took by the log.
func (s *server) timed(t *testing.T) time.Duration {
	t.Helper()
	s.runAll(t)
	last, err := readLast(t.Context(), s.path)
	require.NoError(t, err)
	return time.Duration(last.Seconds * float64(time.Second)).Round(time.Millisecond)
}

// look has many look on, each by a connection of its own, until leave. They take all that they are told, and count its bytes.
func (s *server) look(t *testing.T, count int) (bytes *atomic.Int64, leave func()) {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	bytes = &atomic.Int64{}
	var all, ready sync.WaitGroup
	client := http.Client{Transport: &http.Transport{}}
	for range count {
		ready.Add(1)
		all.Go(func() {
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.address+"/live", nil)
			assert.NoError(t, err)
			response, err := client.Do(r)
			ready.Done()
			if !assert.NoError(t, err) {
				return
			}
			defer response.Body.Close()
			assert.Equal(t, http.StatusOK, response.StatusCode)
			for from := bufio.NewReaderSize(response.Body, 64<<10); ; {
				n, err := from.Discard(max(1, from.Buffered()))
				bytes.Add(int64(n))
				if err != nil {
					return // at the end of all
				}
			}
		})
	}
	ready.Wait()
	return bytes, func() {
		end()
		all.Wait()
	}
}
