package family

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/db"
)

// When the database is made smaller, as the ScraperUtils gem has it.
const (
	vacuumAfterDays = 5 // rows that many days past their time tell that nobody has cleaned up for a while
	vacuumByChance  = 0.03
)

// cleanUp drops what is too old, unless a signal has come: the next run does it.
func (j *job) cleanUp(ctx context.Context) error {
	if ctx.Err() != nil {
		return nil
	}
	line, err := j.family.Table.cleanUp(ctx, j.books.database, j.clock.Today(), j.settings.keepDays, j.settings.vacuum || rand.Float64() < vacuumByChance)
	if line != "" {
		j.screen.log.Info().Msg(line)
	}
	return err
}

// cleanUp deletes the rows of a sink's tables that are more than keepDays older than today; 0 keeps all. It gives their space back
// where vacuum says so, and where rows were five days older still. It returns what it did, in the gem's words but for what it
// did not delete, or "". Where no row of data has a day, it leaves the file as it is.
func (t Table) cleanUp(ctx context.Context, database *db.DB, today time.Time, keepDays int, vacuum bool) (string, error) {
	before := today.AddDate(0, 0, -keepDays).Format(time.DateOnly)
	if keepDays == 0 {
		before = "" // no day is before that
	}
	if _, _, err := database.Trim(ctx, rejectedTable, "run_at", before); err != nil {
		return "", err
	}
	if t.Day == "" {
		return "", nil
	}
	if dated, err := database.Has(ctx, t.Name, t.Day); err != nil || !dated {
		return "", err
	}
	rows, oldest, err := database.Trim(ctx, t.Name, t.Day, before)
	if err != nil {
		return "", err
	}
	var did []string
	if rows > 0 {
		did = append(did, fmt.Sprintf("Deleting %d %s scraped between %s and %s", rows, t.Rows, oldest, before))
		vacuum = vacuum || oldest != "" && oldest < today.AddDate(0, 0, -keepDays-vacuumAfterDays).Format(time.DateOnly)
	}
	if vacuum {
		did = append(did, "  Running VACUUM to reclaim space...")
		err = database.Vacuum(ctx)
	}
	return strings.Join(did, "\n"), err
}
