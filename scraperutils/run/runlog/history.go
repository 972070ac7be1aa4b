package runlog

import (
	"context"
	"fmt"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// silenceAtLeast is how long an authority may give nothing before that means anything: some sites have news once a month.
const silenceAtLeast = 33 * 24 * time.Hour

// quietTimes is how many times its usual gap an authority may be quiet.
const quietTimes = 3

// History is what the database remembers of an authority over all its runs.
type History struct {
	Authority   string
	FirstRun    time.Time
	LastRun     time.Time
	LastVerdict Verdict
	LastClass   scraperutils.Class
	LastTook    time.Duration
	LastRecords time.Time     // the last day that it gave records; zero: it never did
	Source      Source        // the kind of runs; "" is the network too
	UsualGap    time.Duration // between such days, a running average
	Verdicts    map[Verdict]int
}

// silentOn reports whether an authority that used to give records, and gives none on a day, has been quiet for too long.
func (h History) silentOn(today time.Time) bool {
	return !h.LastRecords.IsZero() && today.Sub(h.LastRecords) > max(silenceAtLeast, quietTimes*h.UsualGap)
}

// after returns the history after one more outcome, on a day.
func (h History) after(o Outcome, today time.Time) History {
	if h.FirstRun.IsZero() {
		h.FirstRun = o.Started
	}
	h.Authority, h.LastRun, h.LastVerdict, h.LastClass = o.Authority, o.Started, o.Verdict, o.Class
	if o.Requests > 0 {
		h.LastTook = o.Took
	}
	if o.Saved > 0 {
		if gap := today.Sub(h.LastRecords); !h.LastRecords.IsZero() && gap > 0 {
			if h.UsualGap == 0 {
				h.UsualGap = gap
			}
			h.UsualGap = (3*h.UsualGap + gap) / 4
		}
		if today.After(h.LastRecords) { // it may be a run as of a day in the past
			h.LastRecords = today
		}
	}
	counts := map[Verdict]int{o.Verdict: h.Verdicts[o.Verdict] + 1}
	for v, n := range h.Verdicts {
		if v != o.Verdict {
			counts[v] = n
		}
	}
	h.Verdicts = counts
	return h
}

const day = 24 * time.Hour

// ReadHistory returns the history of each authority. It is empty if the database has never seen a run.
func ReadHistory(ctx context.Context, q Querier) (map[string]History, error) {
	all := map[string]History{}
	for h, err := range historyTable.read(ctx, q, "") {
		if err != nil {
			return nil, fmt.Errorf("read the history of authorities: %w", err)
		}
		all[h.Authority] = h
	}
	return all, nil
}
