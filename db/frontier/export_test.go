package frontier

import (
	"context"
	"fmt"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// Do has the writer do something, with a function that runs a statement.
func (f *Frontier) Do(ctx context.Context, do func(exec func(string, ...any) (int64, error)) error) error {
	return f.write(ctx, "test", func(t *tx) error { return do(t.exec) })
}

// Setting returns a setting of the connection that writes.
func (f *Frontier) Setting(name string) (value string, err error) {
	err = f.write(context.Background(), "test", func(t *tx) error {
		return t.query(func(r row) error {
			value = fmt.Sprint(r.(*statement).values[0])
			return nil
		}, "PRAGMA "+name)
	})
	return value, err
}

// FailAfter completes a visit and then fails, for a reason, before the commit.
func (f *Frontier) FailAfter(ctx context.Context, why error, l crawl.Held, key int64) error {
	return f.write(ctx, "test", func(t *tx) error {
		if _, err := t.complete(0, crawl.Report{Held: l, Keep: true, Results: []crawl.Result{{Key: key, State: crawl.StateDone}}}); err != nil {
			return err
		}
		if err := t.flush(); err != nil {
			return err
		}
		return why
	})
}
