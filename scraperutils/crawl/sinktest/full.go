package sinktest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// Full makes a sink fill a small disk. What does not fit must be an error and leave nothing behind. When there is room again, the sink
// must store it.
func Full(t *testing.T, place func(folder string) Store) {
	disk := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", disk).CombinedOutput(); err != nil {
		t.Skipf("a small disk can't be mounted: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", disk).CombinedOutput(); err != nil {
			t.Errorf("unmount: %v: %s", err, out)
		}
	})
	filler := filepath.Join(disk, "filler")
	if err := os.WriteFile(filler, make([]byte, 3<<20+3<<18), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &suite{T: t, store: place(filepath.Join(disk, "sink")), want: map[string]*crawl.Page{}}
	sink := s.open()
	refused := s.fill(sink)
	s.check()
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	s.put(sink, refused)
	s.check()
	s.close(sink)
	s.check()
}

// fill stores pages until they do not fit, and returns those.
func (s *suite) fill(sink crawl.Sink) []*crawl.Page {
	s.Helper()
	for from := 0; from < 10_000; from += 10 {
		pages := Pages(from, 10)
		err := sink.Store(s.Context(), pages)
		if err == nil {
			s.counts(pages)
			continue
		}
		if !errors.Is(err, syscall.ENOSPC) {
			s.Errorf("error %v, expected that no space is left", err)
		}
		return pages
	}
	s.Fatal("the disk was never full")
	return nil
}
