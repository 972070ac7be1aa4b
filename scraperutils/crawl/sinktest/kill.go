package sinktest

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// The variables that make a test's process one that stores pages until it is killed.
const (
	placeVariable = "SINKTEST_PLACE"
	fromVariable  = "SINKTEST_FROM"
)

// groupSize is how many pages a process that is to be killed stores at once.
const groupSize = 10

// Main must be called by the TestMain of a package that uses Killed. open opens the sink of a place in the process that is to be killed.
func Main(m *testing.M, open func(place string) (crawl.Sink, error)) int {
	place := os.Getenv(placeVariable)
	if place == "" {
		return m.Run()
	}
	from, err := strconv.Atoi(os.Getenv(fromVariable))
	if err == nil {
		err = storeForEver(open, place, from)
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// storeForEver stores group after group, and names each on standard output when it is stored.
func storeForEver(open func(place string) (crawl.Sink, error), place string, from int) error {
	sink, err := open(place)
	if err != nil {
		return err
	}
	for ; ; from += groupSize {
		if err := sink.Store(context.Background(), Pages(from, groupSize)); err != nil {
			return err
		}
		fmt.Println(from)
	}
}

// Killed runs processes that store pages in a place, and kills each at a moment that the seed decides. In the end, every page that Store
// acknowledged must be there, and nothing may be torn.
func Killed(t *testing.T, place string, store Store, seed uint64, kills int) {
	random := rand.New(rand.NewPCG(seed, 9))
	s := &suite{T: t, store: store, want: map[string]*crawl.Page{}, maybe: map[string]*crawl.Page{}}
	from := 0
	for range kills {
		from = s.killed(place, from, random.IntN(10), time.Duration(random.IntN(5000))*time.Microsecond)
		s.close(s.open()) // what was left is mended
		s.check()
	}
	t.Logf("%d pages were acknowledged by %d processes that were killed", len(s.want), kills)
	s.put(s.open(), Pages(from, groupSize))
	s.check()
}

// killed has one process store pages from a number on, and kills it some time after it has acknowledged some groups. It returns the
// number that comes after its pages.
func (s *suite) killed(place string, from, groups int, later time.Duration) int {
	s.Helper()
	self, err := os.Executable()
	if err != nil {
		s.Fatal(err)
	}
	child := exec.Command(self)
	child.Env = append(os.Environ(), placeVariable+"="+place, fmt.Sprintf("%s=%d", fromVariable, from))
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		s.Fatal(err)
	}
	kill := func() { _ = child.Process.Kill() }
	for lines := bufio.NewScanner(out); lines.Scan(); groups-- {
		if groups == 0 {
			time.AfterFunc(later, kill)
		}
		acknowledged, err := strconv.Atoi(lines.Text())
		if err != nil {
			s.Fatal(err)
		}
		s.counts(Pages(acknowledged, groupSize))
		from = acknowledged + groupSize
	}
	_ = child.Wait() // it was killed
	if child.ProcessState.Exited() {
		s.Fatalf("the process ended by itself: %v", child.ProcessState)
	}
	for _, p := range Pages(from, groupSize) { // it may have been stored without a word
		s.maybe[p.ID] = p
	}
	return from + groupSize
}
