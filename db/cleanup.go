package db

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// How long rows are kept, and when the file is made smaller, as the ScraperUtils gem has it.
const (
	KeepDays        = 30
	vacuumAfterDays = 35 // rows so old tell that nobody has cleaned up for a while
	vacuumByChance  = 0.03
)

// CleanUp deletes rows of the table data that were scraped more than KeepDays before today, and what was rejected as long ago.
// It reclaims their space where vacuum says so, where rows were older than 35 days, and now and then. It returns what it
// did, in the gem's words but for what it did not delete, or "". A table that lacks the column by which its rows are old is left alone.
func (d *DB) CleanUp(ctx context.Context, today time.Time, vacuum bool) (string, error) {
	return d.cleanUp(ctx, today, vacuum, rand.Float64() < vacuumByChance)
}

func (d *DB) cleanUp(ctx context.Context, today time.Time, vacuum, chance bool) (string, error) {
	oldest := today.AddDate(0, 0, -KeepDays).Format(time.DateOnly)
	if err := d.dropRejected(ctx, oldest); err != nil {
		return "", err
	}
	if dated, err := d.has(ctx, "data", "date_scraped"); err != nil || !dated {
		return "", err
	}
	old, err := d.one(ctx, "SELECT count(*) AS n, min(date_scraped) AS first FROM data WHERE date_scraped < ?", oldest)
	if err != nil {
		return "", err
	}
	if old.Text("n") != "0" {
		if _, err := d.Exec(ctx, "DELETE FROM data WHERE date_scraped < ?", oldest); err != nil {
			return "", err
		}
	}
	first := old.Text("first")
	vacuum = vacuum || chance || first != "" && first < today.AddDate(0, 0, -vacuumAfterDays).Format(time.DateOnly)
	var did []string
	if old.Text("n") != "0" {
		did = append(did, fmt.Sprintf("Deleting %s applications scraped between %s and %s", old.Text("n"), first, oldest))
	}
	if vacuum {
		did = append(did, "  Running VACUUM to reclaim space...")
		_, err = d.Exec(ctx, "VACUUM")
	}
	return strings.Join(did, "\n"), err
}

func (d *DB) dropRejected(ctx context.Context, oldest string) error {
	if dated, err := d.has(ctx, "rejected", "run_at"); err != nil || !dated {
		return err
	}
	old, err := d.one(ctx, "SELECT count(*) AS n FROM rejected WHERE date(run_at) < ?", oldest)
	if err != nil || old.Text("n") == "0" {
		return err
	}
	_, err = d.Exec(ctx, "DELETE FROM rejected WHERE date(run_at) < ?", oldest)
	return err
}

// has tells whether there is a table with such a column.
func (d *DB) has(ctx context.Context, table, column string) (bool, error) {
	r, err := d.one(ctx, "SELECT count(*) AS n FROM sqlite_schema AS t, pragma_table_info(t.name) AS c "+
		"WHERE t.type = 'table' AND t.name = ? COLLATE NOCASE AND c.name = ? COLLATE NOCASE", table, column)
	return r.Text("n") == "1", err
}

// one returns the only row of a query.
func (d *DB) one(ctx context.Context, query string, args ...any) (row scraperutils.Record, err error) {
	for r, err := range d.Query(ctx, query, args...) {
		if err != nil {
			return nil, fmt.Errorf("clean up: %w", err)
		}
		row = r
	}
	return row, nil
}
