package runlog

import (
	"context"
	"fmt"
)

// Origin returns where the records of a database come from: that of OriginOf or, where there are records of which no run is known,
// FromNetwork.
func Origin(ctx context.Context, q Querier, records string) (Source, error) {
	known, err := ReadHistory(ctx, q)
	if err != nil {
		return "", err
	}
	runs, err := ReadRuns(ctx, q)
	if err != nil {
		return "", err
	}
	if found := OriginOf(runs, known); found != "" || len(runs) > 0 {
		return found, nil
	}
	for _, err := range query(ctx, q, records, "SELECT 1 FROM "+records+" LIMIT 1") {
		if err != nil {
			return "", fmt.Errorf("read where records come from: %w", err)
		}
		return FromNetwork, nil
	}
	return "", nil
}

// OriginOf returns where what is known of a database comes from: FromFixtures if all of it is runs on built-in sites, FromNetwork if any was
// on real ones, and "" if there is nothing yet. Replays do not count: a recording may be of either.
func OriginOf(runs []Run, known map[string]History) (found Source) {
	note := func(s Source) {
		switch {
		case s == FromReplay:
		case s == FromFixtures && found == "":
			found = FromFixtures
		case s != FromFixtures:
			found = FromNetwork
		}
	}
	for _, h := range known { // never trimmed
		note(h.Source)
	}
	for _, r := range runs {
		note(r.Source)
	}
	return found
}
