package frontiertest

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// The variables of a process that is there to be killed: the name of its place, and how many were there before it.
const (
	childPlace = "TEST_FRONTIER_PLACE"
	childRound = "TEST_FRONTIER_ROUND"
)

// Main is the TestMain of a driver whose places have names. It runs the tests and their final clean-up, or acts as the process that one
// of them kills.
func Main(m *testing.M, open func(name string, now time.Time) (crawl.Frontier, error), ends ...func()) {
	name := os.Getenv(childPlace)
	if name == "" {
		code := m.Run()
		for _, end := range ends {
			end()
		}
		os.Exit(code)
	}
	round, _ := strconv.Atoi(os.Getenv(childRound))
	f, err := open(name, roundStart(round))
	if err == nil {
		err = workUntilKilled(f, round)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func roundStart(round int) time.Time { return at(time.Duration(round) * time.Hour) }

// workUntilKilled adds URLs, claims and completes at the same time, and writes what is acknowledged to standard output.
func workUntilKilled(f crawl.Frontier, round int) error {
	ends := make(chan error)
	for adder := range 2 {
		go func() { ends <- addUntilKilled(f, round, adder) }()
	}
	go func() { ends <- completeUntilKilled(f, round) }()
	return <-ends
}

func addUntilKilled(f crawl.Frontier, round, adder int) error {
	r := rand.New(rand.NewPCG(uint64(round), uint64(adder)))
	for n := 0; ; n++ {
		var batch []crawl.Entry
		for i := range 1 + r.IntN(9) {
			batch = append(batch, entry(fmt.Sprintf("h%d", r.IntN(20)), fmt.Sprintf("%d-%d-%d-%d", round, adder, n, i)))
		}
		if _, err := f.Add(context.Background(), roundStart(round), batch); err != nil {
			return err
		}
		for _, e := range batch {
			fmt.Println("added", e.URL)
		}
	}
}

func completeUntilKilled(f crawl.Frontier, round int) error {
	now := roundStart(round)
	for n := 0; ; n++ {
		leases, err := f.Claim(context.Background(), now, crawl.Claim{Worker: "child", Hosts: 3, URLs: 3, Until: now.Add(time.Minute)})
		if err != nil {
			return err
		}
		var reports []crawl.Report
		for i, l := range leases {
			state := crawl.StateDone
			if i == 1 {
				state = crawl.StateFailed
			}
			reports = append(reports, crawl.Report{Held: l.Held, Results: results(l.URLs, crawl.Result{State: state, Reason: "child"}), Found: []crawl.Entry{
				entry("found", fmt.Sprintf("%d-%d-%d", round, n, i))}})
		}
		receipts, err := f.Complete(context.Background(), now, reports)
		if err != nil {
			return err
		}
		for i, l := range leases {
			for _, u := range l.URLs {
				if receipts[i].Lost {
					return fmt.Errorf("the only worker has lost a lease of %s", l.Host)
				}
				fmt.Println("ended", u.URL)
			}
		}
	}
}

// However a process dies, what it was told to be done is done, and what is counted is there.
func kills(t *testing.T, d Driver) {
	if testing.Short() {
		t.Skip("kills processes")
	}
	place := d.New(t, crawl.Hash)
	if place.Name == "" {
		t.Skip("this frontier dies with its process")
	}
	rounds := d.size(1, 3, 5, 8)
	r := rand.New(rand.NewPCG(1, 2))
	added, ended := map[string]bool{}, map[string]bool{}
	for round := range rounds {
		killAfter(t, place.Name, round, 1+r.IntN(1500), added, ended)
		f := open(t, place, roundStart(round))
		audit(t, f)
		require.NoError(t, f.Close())
	}
	f := open(t, place, roundStart(rounds))
	states := map[string]crawl.State{}
	all, err := f.URLs(t.Context(), crawl.URLFilter{Limit: 1 << 30})
	require.NoError(t, err)
	for _, u := range all {
		states[u.URL] = u.State
	}
	for url := range added {
		_, known := states[url]
		assert.True(t, known, url)
	}
	for url := range ended {
		assert.Contains(t, []crawl.State{crawl.StateDone, crawl.StateFailed}, states[url], url)
	}
	t.Logf("%d added and %d ended in %d lives", len(added), len(ended), rounds)
	require.NotEmpty(t, ended)
}

// killAfter runs a child, kills it when it has written some lines and something has ended, in this life or one before, and takes in all
// that it wrote.
func killAfter(t *testing.T, name string, round, lines int, added, ended map[string]bool) {
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childPlace+"="+name, childRound+"="+strconv.Itoa(round))
	var complaint strings.Builder
	child.Stderr = &complaint
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	killed := false
	for scanner := bufio.NewScanner(out); scanner.Scan(); lines-- {
		what, url, ok := strings.Cut(scanner.Text(), " ")
		switch {
		case ok && what == "added":
			added[url] = true
		case ok && what == "ended":
			ended[url] = true
		default:
			require.Fail(t, "a line of another kind", scanner.Text())
		}
		if lines <= 1 && len(ended) > 0 && !killed {
			killed = true
			require.NoError(t, child.Process.Kill()) // what it wrote until then is still read
		}
	}
	require.ErrorContains(t, child.Wait(), "signal: killed", complaint.String())
}
