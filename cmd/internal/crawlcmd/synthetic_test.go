package crawlcmd_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/testsize"
)

// synthetic is a web that knows what a correct crawler asks for: ../shared/web, as a process.
type synthetic struct {
	address string
	journal // without agents
}

// verdict is what it says of a crawl.
type verdict struct {
	Counts struct{ Wanted, Asked, Requests, Missing, Unreached, Extra, Twice, Forbidden, Trapped int }
	First  map[string][]string
	Least  int64 `json:"least_gap_ns"`
	Delay  int64 `json:"least_gap_crawl_delay_ns"`
	Most   int   `json:"most_in_flight"`
}

// syntheticFolder is where the program of the web is, which is built once; TestMain removes it. "": nobody has asked for it.
var syntheticFolder string

// buildOnce builds the web from its source and returns the program.
var buildOnce = sync.OnceValues(func() (string, error) {
	var err error
	if syntheticFolder, err = os.MkdirTemp("", "synthetic"); err != nil {
		return "", err
	}
	binary := filepath.Join(syntheticFolder, "web")
	build := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", binary, ".")
	build.Dir = syntheticSource
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the web: %w: %s", err, out)
	}
	return binary, nil
})

var syntheticSource = filepath.Join("..", "..", "..", "..", "shared", "web")

// buildSynthetic returns the program of the web; a test without it is skipped.
func buildSynthetic(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds a web and crawls it")
	}
	if _, err := os.Stat(syntheticSource); err != nil {
		t.Skip("no ../shared/web beside the repository: there is no web to judge by")
	}
	binary, err := buildOnce()
	require.NoError(t, err)
	return binary
}

func startSynthetic(t *testing.T, binary string, seed, hosts, pages int, flags ...string) *synthetic {
	t.Helper()
	args := []string{"-listen", "127.0.0.1:0", "-seed", strconv.Itoa(seed), "-hosts", strconv.Itoa(hosts), "-pages", strconv.Itoa(pages)}
	c := exec.Command(binary, append(args, flags...)...)
	says, err := c.StderrPipe()
	require.NoError(t, err)
	log, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	s, read := &synthetic{}, make(chan struct{})
	go func() { defer close(read); s.follow(log) }()
	t.Cleanup(func() { _ = c.Process.Kill(); <-read; _ = c.Wait() })
	for lines := bufio.NewScanner(says); lines.Scan(); {
		if _, address, ok := strings.Cut(lines.Text(), "listening on "); ok {
			s.address = address
			return s
		}
	}
	require.Fail(t, "the web did not start")
	return nil
}

// follow notes what the web logs.
func (s *synthetic) follow(log io.Reader) {
	for lines := bufio.NewScanner(log); lines.Scan(); {
		var r struct {
			Start  int64 `json:"start_ns"`
			End    int64 `json:"end_ns"`
			Host   string
			Path   string
			Status int
		}
		if json.Unmarshal(lines.Bytes(), &r) == nil { // the end may have cut the last line off
			s.note(seen{url: "http://" + r.Host + r.Path, host: r.Host, status: r.Status, began: time.Unix(0, r.Start), ended: time.Unix(0, r.End)})
		}
	}
}

func (s *synthetic) verdict(t *testing.T) (v verdict) {
	t.Helper()
	answer, err := http.Get("http://" + s.address + "/-/verdict?nofollow=1&sitemaps=1")
	require.NoError(t, err)
	defer answer.Body.Close()
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&v))
	return v
}

// judged is one crawl of a synthetic web.
type judged struct {
	seed, hosts, pages int
	web                []string      // flags of the web
	crawl              []string      // flags of the crawl
	gap                time.Duration // least, between an answer and the next request to its host
	delay              time.Duration // the same of hosts that ask for it
	kills              int
}

// atOnce is how many requests a crawl that is killed has in flight, those counted of which the answer is not committed.
const atOnce = 16

// judgedCrawls are one that is killed, or all three where all tests are run; with CRAWL_JUDGED=all there are twenty and more.
func judgedCrawls() []judged {
	quick := []string{"-slow", "20ms", "-big", "50000"}
	some := []judged{
		{seed: 901, hosts: 6, pages: 60, web: quick, crawl: []string{"--no-delay"}},
		{seed: 902, hosts: 5, pages: 40, web: quick, crawl: []string{"--no-delay"}, kills: 2},
		{seed: 903, hosts: 12, pages: 15, web: append(quick, "-links", "3", "-fail", "50", "-moved", "150", "-traps=false"), crawl: []string{"--min-interval", "20ms"}, gap: 20 * time.Millisecond},
	}
	if all := os.Getenv("CRAWL_JUDGED") == "all"; !all && !testsize.Full() {
		return some[1:2]
	} else if !all {
		return some
	}
	none := []string{"--no-delay"}
	for i, c := range []judged{
		{hosts: 5, pages: 40}, {hosts: 5, pages: 500}, {hosts: 200, pages: 40}, {hosts: 10, pages: 400, web: []string{"-links", "1"}}, {hosts: 20, pages: 100, web: []string{"-links", "30"}},
		{hosts: 50, pages: 80, web: []string{"-fail", "100"}}, {hosts: 50, pages: 80, web: []string{"-gone", "200"}}, {hosts: 50, pages: 80, web: []string{"-moved", "300"}},
		{hosts: 30, pages: 100, web: []string{"-big", "3000000"}}, {hosts: 30, pages: 100, web: []string{"-slow", "2s"}}, {hosts: 100, pages: 100}, {hosts: 7, pages: 333, web: []string{"-links", "0"}},
		{hosts: 10, pages: 20, web: []string{"-crawl-delay", "1", "-traps=false"}, delay: time.Second}, {hosts: 8, pages: 40, kills: 2}, {hosts: 40, pages: 60, kills: 5}, {hosts: 15, pages: 150, kills: 3},
		{hosts: 60, pages: 50, crawl: []string{"--min-interval", "10ms"}, gap: 10 * time.Millisecond}, {hosts: 25, pages: 200, crawl: []string{"--requests", "5", "--no-delay"}},
		{hosts: 9, pages: 300, crawl: []string{"--max-load", "50"}}, {hosts: 200, pages: 60, web: []string{"-moved", "100", "-fail", "40"}}, {hosts: 80, pages: 120, web: []string{"-links", "4"}},
	} {
		c.seed = 1000 + i
		c.web = append(append([]string{}, quick...), c.web...)
		if c.crawl == nil {
			c.crawl = none
		}
		some = append(some, c)
	}
	return some
}

// A crawl asks for what a correct one asks for: all of that, nothing else, nothing twice, and leaves calendars that have no end.
func TestJudgedCrawls(t *testing.T) {
	binary := buildSynthetic(t)
	for _, c := range judgedCrawls() {
		t.Run(fmt.Sprint("seed ", c.seed), func(t *testing.T) { judge(t, binary, c) })
	}
}

func judge(t *testing.T, binary string, c judged) {
	began, web, folder := time.Now(), startSynthetic(t, binary, c.seed, c.hosts, c.pages, c.web...), t.TempDir()
	if c.kills > 0 {
		c.crawl = append([]string{"--requests", strconv.Itoa(atOnce)}, c.crawl...)
	}
	args := append([]string{"http://h000.test/", "--scope", "all", "--proxy", web.address, "--warc", "off", "--retry-after", "0.2s"}, c.crawl...)
	for n := range c.kills {
		p := start(t, folder, args...)
		enough := c.hosts * c.pages * (n + 1) / (c.kills + 2)
		await(t, func() bool { return p.ProcessState != nil || web.verdict(t).Counts.Requests >= enough })
		p.kill(t)
	}
	good(t, folder, args...)
	v := web.verdict(t)
	t.Logf("%d hosts, %d pages, %v %v: wanted %d, asked %d, requests %d, twice %d, trapped %d a host, least gap %s, %d in flight, in %s", c.hosts, c.pages, c.web, c.crawl,
		v.Counts.Wanted, v.Counts.Asked, v.Counts.Requests, v.Counts.Twice, v.Counts.Trapped/c.hosts, time.Duration(v.Least), v.Most, time.Since(began).Round(time.Millisecond))
	assert.Zero(t, v.Counts.Missing, v.First["missing"])
	assert.Zero(t, v.Counts.Extra, v.First["extra"])
	assert.Zero(t, v.Counts.Forbidden, v.First["forbidden"])
	assert.LessOrEqual(t, v.Counts.Twice, c.kills*(c.hosts+atOnce), v.First["twice"]) // robots.txt, and what was in flight
	if c.kills == 0 {
		assert.Equal(t, 1, v.Most)
		assert.GreaterOrEqual(t, time.Duration(v.Least), c.gap)
		assert.GreaterOrEqual(t, time.Duration(v.Delay), c.delay)
	}
	var status struct {
		Ready, Waiting, Failed int
		Traps                  []struct {
			Host, Rule, Example string
			Count               int
		}
	}
	require.NoError(t, json.Unmarshal([]byte(good(t, folder, "status", "--json")), &status))
	assert.Zero(t, status.Ready+status.Waiting)
	named := map[string]bool{}
	for _, trap := range status.Traps {
		assert.Equal(t, "series of pages", trap.Rule)
		assert.Contains(t, trap.Example, trap.Host+"/calendar/")
		named[trap.Host] = true
	}
	if strings.Contains(strings.Join(c.web, " "), "-traps=false") {
		assert.Empty(t, named)
		return
	}
	assert.LessOrEqual(t, v.Counts.Trapped, 100*c.hosts)
	assert.Len(t, named, c.hosts, "each trap is named")
	assert.Contains(t, good(t, folder, "status"), "series of pages: ")
}
