package crawlcmd

import (
	"runtime"
	"runtime/debug"
	runtimemetrics "runtime/metrics"
)

// How much memory there may be for garbage that is not collected yet. Pages wait in memory until they are stored, and thousands of requests
// have stacks and connections: garbage in proportion to all of that would be as much again and more, while a collection costs the same
// however much garbage it finds. So it is in proportion to what is in use while that is little, up to a bound, and above the bound again,
// but less.
const (
	garbagePercent = 200
	memoryBound    = 200 << 20 // bytes of Go's memory; the frontier's cache comes on top
	memoryFactor   = 1.25      // of what is in use, where that is more
)

// tuneMemory has garbage collected as a crawl needs it. GOGC and GOMEMLIMIT win.
func tuneMemory(env func(string) string) {
	if env("GOGC") != "" || env("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(garbagePercent)
	boundMemory()
}

// boundMemory sets the limit of Go's memory by what is in use, now and after each collection.
func boundMemory() {
	inUse := float64(memoryInUse())
	if limit := int64(max(memoryBound, memoryFactor*inUse)); limit != debug.SetMemoryLimit(-1) {
		debug.SetMemoryLimit(limit)
	}
	runtime.AddCleanup(&collected{}, func(struct{}) { boundMemory() }, struct{}{})
}

// collected is what the next collection finds unused.
type collected struct{ _ *collected }

// memoryInUse is what the collector has found in use, and what is no heap: stacks and the runtime's own. In bytes.
func memoryInUse() uint64 {
	samples := []runtimemetrics.Sample{
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
		{Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/gc/heap/live:bytes"},
	}
	runtimemetrics.Read(samples)
	inUse := samples[0].Value.Uint64() + samples[5].Value.Uint64()
	for _, s := range samples[1:5] {
		inUse -= s.Value.Uint64()
	}
	return inUse
}
