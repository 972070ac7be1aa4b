package db_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/db"
)

// Whatever waits for a file that another program has locked stops when its context ends.
func TestWaitForALockEnds(t *testing.T) {
	path := newPath(t)
	d := open(t, path, db.Options{})
	save(t, d.Ledger("data", "id"), rec("id", 1))
	unopened := newPath(t)
	for _, p := range []string{path, unopened} {
		run(t, another(t, p), "BEGIN EXCLUSIVE")
	}
	why := errors.New("somebody wants it to end")
	for name, wait := range map[string]func(ctx context.Context) error{
		"opening": func(ctx context.Context) error { _, err := db.Open(ctx, unopened, db.Options{}); return err },
		"opening to read": func(ctx context.Context) error {
			_, err := db.OpenReader(ctx, path)
			return err
		},
		"a query": func(ctx context.Context) (err error) {
			for _, err = range d.Query(ctx, "SELECT * FROM data") {
			}
			return err
		},
		"a statement": func(ctx context.Context) error {
			_, err := d.Exec(ctx, "DELETE FROM data")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(100*time.Millisecond, func() { cancel(why) }) // by then it waits
			began := time.Now()
			err := wait(ctx)
			assert.Less(t, time.Since(began), 15*time.Second)
			require.Error(t, err)
			assert.True(t, errors.Is(err, why) || errors.Is(err, context.Canceled), err)
			var refused *db.OpenError
			assert.NotErrorAs(t, err, &refused, "nothing is the matter with the file")
		})
	}
}
