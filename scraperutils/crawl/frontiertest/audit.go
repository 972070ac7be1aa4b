package frontiertest

import (
	"context"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// Audit compares what a frontier counts with what is in it, and returns the first difference. Nobody may change the frontier meanwhile.
func Audit(ctx context.Context, f crawl.Frontier) error {
	counted := map[int64]*crawl.HostStatus{}
	total := crawl.Counts{FailedBy: map[string]int{}}
	for after := (crawl.Cursor{}); ; {
		urls, err := f.URLs(ctx, crawl.URLFilter{After: after, Limit: 10_000})
		if err != nil {
			return err
		}
		for _, u := range urls {
			h := counted[u.HostID]
			if h == nil {
				h = &crawl.HostStatus{ID: u.HostID, Host: u.Host}
				counted[u.HostID] = h
			}
			count(h, &total, u)
			after = u.Cursor
		}
		if len(urls) == 0 {
			break
		}
	}
	return compare(ctx, f, counted, total)
}

// count counts one URL.
func count(h *crawl.HostStatus, total *crawl.Counts, u crawl.URLStatus) {
	switch u.State {
	case crawl.StateRetry, crawl.StateReady:
		if h.Pending == 0 || u.Due.Before(h.Due) {
			h.Due = u.Due
		}
		h.Pending++
		if u.State == crawl.StateRetry {
			h.Retrying++
			total.Retrying++
		}
	case crawl.StateDone:
		h.Done++
		total.Done++
	case crawl.StateFailed:
		h.Failed++
		total.Failed++
		total.FailedBy[crawl.ReasonWord(u.Reason)]++
	}
}

func compare(ctx context.Context, f crawl.Frontier, counted map[int64]*crawl.HostStatus, total crawl.Counts) error {
	now := time.Unix(0, 0)
	hosts, err := f.Hosts(ctx, crawl.HostFilter{Limit: 1 << 40})
	if err != nil {
		return err
	}
	for _, h := range hosts {
		c := counted[h.ID]
		if c == nil {
			c = &crawl.HostStatus{ID: h.ID, Host: h.Host}
		}
		total.Hosts++
		if !h.Until.IsZero() {
			total.Leased++
		}
		if !h.Until.IsZero() || c.Pending > 0 && !h.Due.After(now) {
			total.Ready += c.Pending
		} else {
			total.Waiting += c.Pending
		}
		switch {
		case !h.Until.IsZero():
			c.Due = h.Until
		case c.Pending > 0 && h.NotBefore.After(c.Due):
			c.Due = h.NotBefore
		}
		want := h
		want.Due, want.Pending, want.Retrying, want.Done, want.Failed = c.Due, c.Pending, c.Retrying, c.Done, c.Failed
		if h != want {
			return fmt.Errorf("the frontier says of a host\n%+v\na count finds\n%+v", h, want)
		}
		delete(counted, h.ID)
	}
	if len(counted) > 0 {
		return fmt.Errorf("%d hosts of URLs are not there", len(counted))
	}
	got, err := f.Counts(ctx, now)
	if err == nil && !reflect.DeepEqual(got, total) {
		return fmt.Errorf("the frontier says\n%+v\na count finds\n%+v", got, total)
	}
	return err
}

func audit(t testing.TB, f crawl.Frontier) {
	t.Helper()
	require.NoError(t, Audit(t.Context(), f))
}
