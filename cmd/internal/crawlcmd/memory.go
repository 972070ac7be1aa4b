package crawlcmd

import "runtime/debug"

// garbagePercent is how much garbage there may be, against what is in use: pages wait in memory until they are stored, so garbage that
// waits beside them would be as much again and more. A small machine has more use for the memory than for the time. GOGC wins.
const garbagePercent = 120

// tuneMemory has garbage collected as a crawl needs it.
func tuneMemory(env func(string) string) {
	if env("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
}
