package browsecmd_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rabbitmq/amqp091-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/amqp/amqptest"
)

// TestSoak opens pages for BROWSE_SOAK, such as 1h, in a real browser for a real broker, with a fault every BROWSE_SOAK_FAULTS (two minutes) by
// BROWSE_SOAK_SEED. Nothing may be lost. What memory and processes there were goes to BROWSE_SOAK_OUT.
func TestSoak(t *testing.T) {
	length, err := time.ParseDuration(os.Getenv("BROWSE_SOAK"))
	if err != nil {
		t.Skip("takes as long as BROWSE_SOAK says, such as 1h: make browse-soak")
	}
	every := 2 * time.Minute
	if d, err := time.ParseDuration(os.Getenv("BROWSE_SOAK_FAULTS")); err == nil {
		every = d
	}
	seed, _ := strconv.ParseUint(os.Getenv("BROWSE_SOAK_SEED"), 10, 64)
	s := newSoak(t, seed)
	began := time.Now()
	go s.sample(began)
	for next := began.Add(every); time.Since(began) < length; time.Sleep(time.Second) {
		s.feed()
		if time.Now().After(next) {
			s.fault()
			next = next.Add(every)
		}
	}
	s.finish(began)
}

// soak is a worker that is treated badly.
type soak struct {
	t       *testing.T
	random  *rand.Rand
	site    *site
	wire    *amqptest.Wire
	log     io.Writer
	folder  string
	queue   string // of messages; also the exchange, and what both are called by
	client  string
	listen  string   // where the worker tells of itself
	sent    []string // URLs of messages
	kills   int      // of workers
	stopped chan struct{}
	sampled chan struct{}

	mu     sync.Mutex // guards the rest
	worker *child
	marks  []mark
}

// mark is a fault.
type mark struct {
	at   time.Time
	name string
}

func newSoak(t *testing.T, seed uint64) *soak {
	folder := os.Getenv("BROWSE_SOAK_OUT")
	if folder == "" {
		folder = t.TempDir()
	}
	log, err := os.Create(filepath.Join(folder, "soak.log"))
	require.NoError(t, err)
	s := &soak{t: t, random: rand.New(rand.NewPCG(seed, seed)), site: newSite(t), log: log, folder: folder, queue: "soak", stopped: make(chan struct{}), sampled: make(chan struct{})}
	s.listen = freeAddress(t)
	s.wire = amqptest.NewWire(t, broker.URL(t))
	s.start()
	require.Eventually(t, func() bool { return broker.Consumers(t, s.queue) == 1 }, 2*time.Minute, 100*time.Millisecond)
	s.client = broker.Queue(t, nil)
	broker.Bind(t, s.client, s.client, s.queue)
	return s
}

// freeAddress is one on loopback where nobody listens.
func freeAddress(t testing.TB) string {
	t.Helper()
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, socket.Close())
	return socket.Addr().String()
}

// start starts a worker.
func (s *soak) start() {
	c := start(s.t, s.log, "worker", "--amqp", s.wire.URL(), "--exchange", s.queue, "--queue", s.queue, "--routing-key", s.queue,
		"--browsers", "4", "--per-host", "4", "--no-delay", "--allow-private", "--retry-pause", "1s", "--listen", s.listen, "-v")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.worker = c
}

// feed keeps some messages in the queue.
func (s *soak) feed() {
	if broker.Waiting(s.t, s.queue) > 10 {
		return
	}
	good := []string{"static", "late", "post", "frame", "worker", "scroll"}
	var all []amqp091.Publishing
	for range 10 {
		n := len(s.sent)
		kind := good[s.random.IntN(len(good))]
		switch {
		case n%150 == 75:
			kind = "endless"
		case n%150 == 149:
			kind = "eater"
		}
		page := fmt.Sprintf("%s/%s/%d/", s.site.URL, kind, n)
		s.sent = append(s.sent, page)
		body := fmt.Sprintf(`{"url":%q,"clientId":%q,"metadata":{"n":%d}}`, page, s.client, n)
		all = append(all, amqp091.Publishing{DeliveryMode: amqp091.Persistent, ContentType: "application/json", Body: []byte(body)})
	}
	broker.Publish(s.t, s.queue, s.queue, all...)
}

// fault does one thing to the worker that it has to bear.
func (s *soak) fault() {
	faults := []struct {
		name string
		do   func()
	}{
		{"the broker closes all connections", func() { broker.CloseConnections(s.t) }},
		{"connections cut", s.wire.Cut},
		{"acknowledgments cut off", func() { s.wire.CutAtAcks(3) }},
		{"the broker killed", func() { broker.Kill(); time.Sleep(5 * time.Second); broker.URL(s.t) }},
		{"channels closed", s.wire.CloseChannels},
		{"peer frozen", func() { s.wire.Freeze(true); time.Sleep(45 * time.Second); s.wire.Freeze(false) }},
		{"no memory at the broker", func() { end := broker.Block(s.t); time.Sleep(30 * time.Second); end() }},
		{"nothing is delivered", s.wire.Deafen},
		{"the worker killed", s.killWorker},
		{"the browser killed", s.killBrowser},
		{"SIGHUP", func() { _ = s.worker.Process.Signal(syscall.SIGHUP) }},
	}
	f := faults[s.random.IntN(len(faults))]
	s.mu.Lock()
	s.marks = append(s.marks, mark{time.Now(), f.name})
	s.mu.Unlock()
	fmt.Fprintf(s.log, "---- %s: %s\n", time.Now().Format(time.TimeOnly), f.name)
	f.do()
}

// killWorker kills the worker when all of its browsers are busy, and starts another.
func (s *soak) killWorker() {
	s.worker.kill()
	s.kills++
	s.start()
}

// killBrowser kills the process that is the worker's first child.
func (s *soak) killBrowser() {
	for _, p := range processes(s.worker.Process.Pid) {
		if p.parent == s.worker.Process.Pid {
			_ = syscall.Kill(p.pid, syscall.SIGKILL)
		}
	}
}

// finish waits until all is done, and checks that it is.
func (s *soak) finish(began time.Time) {
	t := s.t
	s.wire.Freeze(false)
	left := func() int {
		return broker.Waiting(t, s.queue) + broker.Waiting(t, s.queue+".retry")
	}
	quiet := 0 // looks in a row
	for end := time.Now().Add(20 * time.Minute); quiet < 3 && time.Now().Before(end); time.Sleep(time.Second) {
		if quiet++; left() > 0 || s.busy() {
			quiet = 0
		}
	}
	require.Zero(t, left())
	require.NoError(t, s.worker.Process.Signal(syscall.SIGTERM))
	assert.Equal(t, 143, s.worker.end())
	require.Zero(t, left())
	took := time.Since(began)
	close(s.stopped)
	<-s.sampled
	assert.NoError(t, drawSoak(s.folder))
	s.judge(took)
}

// openPages is a line of metrics that says that there are some.
var openPages = regexp.MustCompile(`(?m)^browse_pages\{.*\} [1-9]`)

// busy reports whether the worker has messages.
func (s *soak) busy() bool {
	response, err := http.Get("http://" + s.listen + "/metrics")
	if err != nil {
		return true
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return err != nil || len(openPages.FindAll(text, -1)) > 0
}

// judge says what was lost: pages that nobody was told of, and requests that the site got and the client not.
func (s *soak) judge(took time.Duration) {
	t := s.t
	pages, told := map[string]int{}, map[string]bool{}
	for _, m := range broker.Take(t, s.client) {
		var r struct{ URL, ParentURL string }
		require.NoError(t, json.Unmarshal([]byte(m.Body), &r))
		told[r.URL] = true
		if r.URL == r.ParentURL {
			pages[r.URL]++
		}
	}
	dead, reasons := map[string]bool{}, map[string]int{}
	for _, m := range broker.Take(t, s.queue+".dead") {
		var r struct{ URL string }
		require.NoError(t, json.Unmarshal([]byte(m.Body), &r))
		dead[r.URL] = true
		reason, _ := m.Headers["x-reason"].(string)
		kind, _, _ := strings.Cut(reason, ":")
		reasons[strings.Split(r.URL, "/")[3]+": "+kind]++
	}
	lost, again := 0, 0
	for _, page := range s.sent {
		if pages[page] == 0 && !dead[page] {
			lost++
			t.Errorf("lost: %s", page)
		}
		if !dead[page] {
			again += max(pages[page]-1, 0)
		}
	}
	requests, untold := 0, 0
	for _, r := range s.site.requests() {
		requests++
		if u, err := url.Parse(r); err == nil && !told[r] {
			untold++
			t.Logf("asked for and not told: %s", u)
		}
	}
	faults := map[string]int{}
	for _, m := range s.marks {
		faults[m.name]++
	}
	report := fmt.Sprintf("pages %d, lost %d, dead %d %v, opened again %d, requests %d, not told %d, faults %d %v, workers killed %d, connections %d, took %s\n",
		len(s.sent), lost, len(dead), reasons, again, requests, untold, len(s.marks), faults, s.kills, s.wire.Connections(), took.Round(time.Second))
	t.Log(report)
	require.NoError(t, os.WriteFile(filepath.Join(s.folder, "soak.txt"), []byte(report), 0o600))
	assert.Zero(t, lost)
	assert.Zero(t, untold)
}

// sample notes every ten seconds what the worker and its browser take.
func (s *soak) sample(began time.Time) {
	defer close(s.sampled)
	f, err := os.Create(filepath.Join(s.folder, "soak.csv"))
	if err != nil {
		s.t.Error(err)
		return
	}
	defer f.Close()
	w := csv.NewWriter(f)
	_ = w.Write([]string{"seconds", "worker_mib", "browser_mib", "processes", "fault"})
	told := 0
	for {
		s.mu.Lock()
		pid := s.worker.Process.Pid
		var names []string
		for ; told < len(s.marks); told++ {
			names = append(names, s.marks[told].name)
		}
		s.mu.Unlock()
		own, browser, n := 0, 0, 0
		for _, p := range processes(pid) {
			n++
			if p.pid == pid {
				own = p.memory()
			} else {
				browser += p.memory()
			}
		}
		_ = w.Write([]string{fmt.Sprint(int(time.Since(began).Seconds())), fmt.Sprint(own >> 10), fmt.Sprint(browser >> 10), fmt.Sprint(n), strings.Join(names, "; ")})
		w.Flush()
		select {
		case <-time.After(10 * time.Second):
		case <-s.stopped:
			return
		}
	}
}

// process is one that runs.
type process struct{ pid, parent int }

// processes returns a process and all below it.
func processes(root int) (family []process) {
	parents := map[int][]int{}
	all, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range all {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		pid, _ := strconv.Atoi(strings.Split(path, "/")[2])
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		parent, _ := strconv.Atoi(fields[1])
		parents[parent] = append(parents[parent], pid)
	}
	family = []process{{root, 0}}
	for i := 0; i < len(family); i++ {
		for _, pid := range parents[family[i].pid] {
			family = append(family, process{pid, family[i].pid})
		}
	}
	return family
}

// memory is what a process takes, in KiB, its part of what it shares with others.
func (p process) memory() (kib int) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", p.pid))
	for line := range strings.Lines(string(text)) {
		if n, err := fmt.Sscanf(line, "Pss: %d kB", &kib); n == 1 && err == nil {
			return kib
		}
	}
	return 0
}
