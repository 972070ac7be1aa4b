package frontiertest

import (
	"context"
	"errors"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// Workers are no part of the walks: the suite has tests of its own for them.

func (m *model) Announce(context.Context, time.Time, crawl.WorkerStatus) (bool, error) {
	return false, errors.ErrUnsupported
}
func (m *model) Leave(context.Context, string) error { return errors.ErrUnsupported }
func (m *model) Workers(context.Context, time.Time) ([]crawl.WorkerStatus, error) {
	return nil, errors.ErrUnsupported
}
func (m *model) StopWorkers(context.Context, time.Time) (int, error) { return 0, errors.ErrUnsupported }
