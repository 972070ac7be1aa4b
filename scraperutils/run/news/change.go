package news

import "github.com/multiscraper/multiscraper/scraperutils/run/runlog"

// Change says how an outcome compares to the one before.
type Change string

// The changes.
const (
	None       Change = ""           // it works as before
	New        Change = "new"        // it fails and did not the last time, or it runs for the first time
	Still      Change = "still"      // it failed the last time too, or its failure is expected
	Recovered  Change = "recovered"  // it works again
	Unfinished Change = "unfinished" // the run ended before it did, which says nothing about it
)

// Changes returns all changes but None.
func Changes() []Change { return []Change{New, Still, Recovered, Unfinished} }

// Compare says how a verdict compares to the one of the time before, which is "" where there is none.
func Compare(before, now runlog.Verdict) Change {
	switch failed, had := now.Bad(), before.Bad(); {
	case failed && had:
		return Still
	case failed:
		return New
	case had:
		return Recovered
	}
	return None
}
