package crawlcmd

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The bound of the memory grows with what is in use, and shrinks with it.
func TestMemoryIsBounded(t *testing.T) {
	percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(-1)
	debug.SetGCPercent(percent)
	t.Cleanup(func() { debug.SetGCPercent(percent); debug.SetMemoryLimit(limit) })

	for _, name := range []string{"GOGC", "GOMEMLIMIT"} {
		tuneMemory(func(n string) string { return map[string]string{name: "50"}[n] })
		require.Equal(t, limit, debug.SetMemoryLimit(-1), "%s wins", name)
	}
	tuneMemory(func(string) string { return "" })
	require.EqualValues(t, memoryBound, debug.SetMemoryLimit(-1))

	bound := func(reached func(limit int64) bool) {
		t.Helper()
		require.Eventually(t, func() bool { runtime.GC(); return reached(debug.SetMemoryLimit(-1)) }, time.Minute, time.Millisecond)
	}
	used := make([]byte, memoryBound) // its pages are not touched, and take no memory
	bound(func(limit int64) bool { return limit > memoryBound*5/4 })
	assert.Len(t, used, memoryBound)
	used = nil
	bound(func(limit int64) bool { return limit == memoryBound })
	assert.Nil(t, used)
}
