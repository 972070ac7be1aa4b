package frontier

import "context"

// Do has the writer do something, with a function that runs a statement.
func (f *Frontier) Do(ctx context.Context, do func(exec func(string, ...any) (int64, error)) error) error {
	return f.write(ctx, "test", func(t *tx) error { return do(t.exec) })
}
