package egress

import (
	"os"
	"slices"
	"time"
)

// LastFailure returns the recording of a site's last failure in a folder of evidence, and when that run began. It reports whether there
// is one.
func LastFailure(folder string, s Site) (path string, began time.Time, ok bool) {
	v := &evidence{folder: folder}
	runs, err := os.ReadDir(folder) // in order
	if err != nil {
		return "", time.Time{}, false
	}
	for _, run := range slices.Backward(runs) {
		at, err := time.ParseInLocation(evidenceLayout, run.Name(), time.Local)
		if path := v.path(run.Name(), s); err == nil && Exists(path) {
			return path, at, true
		}
	}
	return "", time.Time{}, false
}

// LastGood returns the recording of a site's last good run in a folder of evidence. That of a real site comes before that of a built-in
// one. It reports whether there is one.
func LastGood(folder string, s Site) (path string, ok bool) {
	v := &evidence{folder: folder}
	for _, good := range []string{GoodFolder, builtInFolder} {
		if path := v.path(good, s); Exists(path) {
			return path, true
		}
	}
	return "", false
}
