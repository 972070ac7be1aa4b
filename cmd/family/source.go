package family

import (
	"context"
	"fmt"

	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// mixedSourceError says that made-up records would stand beside real ones.
type mixedSourceError struct {
	Database string
	Holds    runlog.Source // what the database holds
}

func (e *mixedSourceError) Error() string {
	if e.Holds == runlog.FromFixtures {
		return fmt.Sprintf("%s holds made-up records of built-in sites: give another database for real ones, --db FILE", e.Database)
	}
	return fmt.Sprintf("%s holds records of real sites: give another database for built-in ones, --db FILE; without --db it is %s", e.Database, triedDatabase)
}

// sameSource refuses to put records of built-in sites beside real ones, or the other way round.
func (f *Family) sameSource(ctx context.Context, q runlog.Querier, database string, source runlog.Source) error {
	if source == runlog.FromReplay {
		return nil
	}
	holds, err := runlog.Origin(ctx, q, f.Table.Name)
	if err != nil {
		return err
	}
	if holds != "" && holds != source {
		return &mixedSourceError{database, holds}
	}
	return nil
}
