package family

import (
	"context"

	"github.com/multiscraper/multiscraper/db"
)

// store is the database of a run and what is told of its commits.
type store struct {
	*db.DB
	commits *commitLog
}

// openStore opens the database of a run, whose context ends once nothing can be saved any more.
func (f *Family) openStore(ctx context.Context, path string) (context.Context, store, error) {
	ctx, end := context.WithCancelCause(ctx)
	commits := &commitLog{broken: end}
	database, err := db.Open(ctx, path, db.Options{Tables: f.Table.tables(), OnCommit: commits.observe})
	if err != nil {
		end(nil)
	}
	return ctx, store{database, commits}, err
}

// Close closes the database and ends the context.
func (s store) Close() error {
	defer s.commits.broken(nil)
	return s.DB.Close()
}
