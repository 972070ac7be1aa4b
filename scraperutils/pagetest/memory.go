package pagetest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Memory is what the browser takes.
type Memory struct {
	Heap  int64 // bytes of the page's script that are in use, without garbage
	Nodes int   // of its documents
	RSS   int64 // bytes of all processes of the browser, added up; 0 where the system does not tell
}

// Memory returns what the browser takes now.
func (w *Window) Memory() Memory {
	w.t.Helper()
	var heap struct{ UsedSize float64 }
	var dom struct{ Nodes int }
	w.Call("HeapProfiler.collectGarbage", map[string]any{}, nil)
	w.Call("Runtime.getHeapUsage", map[string]any{}, &heap)
	w.Call("Memory.getDOMCounters", map[string]any{}, &dom)
	return Memory{Heap: int64(heap.UsedSize), Nodes: dom.Nodes, RSS: RSS(w.cmd.Process.Pid)}
}

// RSS returns the bytes of memory that a process and its descendants take, added up, or 0 where the system does not tell.
func RSS(process int) (bytes int64) {
	parents, sizes := map[int]int{}, map[int]int64{}
	files, _ := filepath.Glob("/proc/[0-9]*/status") // the pattern is well formed
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has just ended
		}
		pid, parent, kib := field(text, "Pid:"), field(text, "PPid:"), field(text, "VmRSS:")
		parents[int(pid)], sizes[int(pid)] = int(parent), kib*1024
	}
	for pid := range parents {
		for p := pid; p > 1; p = parents[p] {
			if p == process {
				bytes += sizes[pid]
				break
			}
		}
	}
	return bytes
}

// field reads a number out of a process's status.
func field(status []byte, name string) (n int64) {
	_, after, found := strings.Cut("\n"+string(status), "\n"+name)
	if found {
		_, _ = fmt.Sscan(after, &n) // a field that is no number is 0
	}
	return n
}
