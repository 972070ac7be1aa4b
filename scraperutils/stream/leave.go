package stream

import (
	"context"
	"errors"
	"time"
)

// leave ends all readers, keeps their leases alive meanwhile, and returns why it did, or what went wrong then.
func (w *crew) leave(ctx context.Context, how leaving, why error) error {
	for _, h := range w.held {
		h.leave(how)
	}
	grace := time.NewTimer(w.Grace)
	defer grace.Stop()
	if how == drains {
		grace.Stop()
	}
	renew := time.NewTicker(w.tick())
	defer renew.Stop()
	asked := ctx.Done()
	if ctx.Err() != nil {
		asked = nil
	}
	for len(w.held) > 0 {
		select {
		case h := <-w.ended:
			delete(w.held, h.lease.Shard)
			if why == nil && h.err != nil && !errors.Is(h.err, ErrLost) {
				why = h.err
			}
		case <-renew.C:
			w.renew(context.WithoutCancel(ctx))
		case <-asked: // while it drains
			asked = nil
			if why == nil {
				why = context.Cause(ctx)
			}
			for _, h := range w.held {
				h.leave(stopped)
			}
			grace.Reset(w.Grace)
		case <-grace.C:
			for _, h := range w.held {
				h.cancel(errors.New("it took too long to stop"))
			}
		}
	}
	return why
}

// leave tells a reader to end.
func (h *holding) leave(how leaving) {
	if h.left < drains {
		close(h.drain)
	}
	if h.left < stopped && how == stopped {
		close(h.stop)
	}
	h.left = max(h.left, how)
}
