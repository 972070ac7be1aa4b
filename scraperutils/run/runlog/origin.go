package runlog

import (
	"context"
	"fmt"
)

// Origin returns where the records of a database come from: FromFixtures if all that is known of it are runs on built-in sites,
// FromNetwork if any was on real ones, or if there are records of which no run is known, and "" if there is nothing yet. Replays do not
// count: a recording may be of either.
func Origin(ctx context.Context, q Querier, records string) (Source, error) {
	found := Source("")
	note := func(s Source) {
		switch {
		case s == FromReplay:
		case s == FromFixtures && found == "":
			found = FromFixtures
		case s != FromFixtures:
			found = FromNetwork
		}
	}
	for h, err := range historyTable.read(ctx, q, "") { // never trimmed
		if err != nil {
			return "", fmt.Errorf("read where records come from: %w", err)
		}
		note(h.Source)
	}
	runs := 0
	for r, err := range runTable.read(ctx, q, "") {
		if err != nil {
			return "", fmt.Errorf("read where records come from: %w", err)
		}
		note(r.Source)
		runs++
	}
	if found != "" || runs > 0 {
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
