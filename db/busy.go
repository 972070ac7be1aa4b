package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mattn/go-sqlite3"
)

// How a file that another program has locked is waited for. SQLite waits deaf to interrupts, so it does so for a moment only
// where a context may end the wait; the rest is waited here.
const (
	deafFor  = 50 * time.Millisecond
	tryAgain = 10 * time.Millisecond
)

// patiently retries while the file is locked, for the given time at most. If ctx ends first, it returns the cause of ctx.
func patiently(ctx context.Context, within time.Duration, try func() error) error {
	give := time.Now().Add(within)
	for {
		err := try()
		if !isLocked(err) || time.Now().After(give) {
			return err
		}
		select {
		case <-time.After(tryAgain):
		case <-ctx.Done():
			return fmt.Errorf("wait for a database that another program has locked: %w", context.Cause(ctx))
		}
	}
}

func isLocked(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && (e.Code == sqlite3.ErrBusy || e.Code == sqlite3.ErrLocked)
}
