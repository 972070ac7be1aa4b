package browser

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// renderers returns the renderers below a browser's process, by what the kernel says of them. Its other helpers start none.
func renderers(browser int) []renderer {
	var all []renderer
	for _, pid := range children(browser) {
		command, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		switch {
		case err != nil: // it has ended
		case bytes.Contains(command, []byte("--type=renderer")):
			all = append(all, renderer{pid, resident(pid)})
		case bytes.Contains(command, []byte("--type=zygote")), !bytes.Contains(command, []byte("--type=")):
			all = append(all, renderers(pid)...)
		}
	}
	return all
}

// children returns the processes that a process has started. Each of its threads has its own.
func children(pid int) []int {
	folder := fmt.Sprintf("/proc/%d/task", pid)
	threads, _ := os.ReadDir(folder) // one that has ended has none
	var all []int
	for _, thread := range threads {
		text, err := os.ReadFile(filepath.Join(folder, thread.Name(), "children"))
		if err != nil {
			continue
		}
		for _, field := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(field); err == nil {
				all = append(all, child)
			}
		}
	}
	return all
}

// resident returns how many bytes of a process are in memory.
func resident(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	var size, pages int64
	_, _ = fmt.Sscan(string(text), &size, &pages)
	return pages * int64(os.Getpagesize())
}

func (r renderer) kill() { _ = syscall.Kill(r.pid, syscall.SIGKILL) } // it may have ended
