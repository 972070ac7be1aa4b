package postgrestest

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Number returns the number that a query at a URL returns.
func Number(t testing.TB, url, query string) (n int) {
	t.Helper()
	ctx := context.Background() // a cleanup may call it
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }() // nothing depends on it
	if err := conn.QueryRow(ctx, query).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// Deadlocks returns how many deadlocks there were so far, in all schemas of the database.
func Deadlocks(t testing.TB, url string) int {
	t.Helper()
	time.Sleep(1100 * time.Millisecond) // connections that rest tell what they have counted once a second
	return Number(t, url, "select deadlocks from pg_stat_database where datname = current_database()")
}
