package crawlcmd

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/crawl"
)

// slowHost is a host that others are done before.
type slowHost struct {
	crawl.HostStatus
	left time.Duration // that its URLs need at least, from now
}

// slowest returns the hosts with the most left to do, in time.
func slowest(ctx context.Context, f crawl.Frontier, n int) ([]slowHost, error) {
	const candidates = 1000
	hosts, err := f.Hosts(ctx, crawl.HostFilter{Slowest: true, Limit: candidates})
	if err != nil {
		return nil, err
	}
	now := time.Now()
	all := make([]slowHost, len(hosts))
	for i, h := range hosts {
		start := h.NotBefore
		if h.Owner == "" {
			start = h.Due
		}
		all[i] = slowHost{h, max(start.Sub(now), 0) + time.Duration(h.Pending-1)*h.Interval}
	}
	slices.SortStableFunc(all, func(a, b slowHost) int { return int(b.left/time.Millisecond - a.left/time.Millisecond) })
	return all[:min(n, len(all))], nil
}

// String says what the host still has to do, and why that takes as long as it does.
func (h slowHost) String() string {
	s := fmt.Sprintf("%s: %s left", h.Host, scraperutils.Digits(h.Pending))
	if h.Interval > 0 {
		s += ", one in " + shortTime(h.Interval)
	}
	switch at := max(h.NotBefore.UnixMilli(), 0); {
	case h.Trouble != "":
		s += fmt.Sprintf(", rests until %s: %s", clock(h.Due), shortTrouble(h.Trouble))
	case h.Rule != "" && at > time.Now().UnixMilli():
		s += fmt.Sprintf(", waits until %s: %s", clock(h.NotBefore), h.Rule)
	case h.Owner == "" && h.Due.After(time.Now()) && h.Retrying > 0:
		s += fmt.Sprintf(", waits until %s: to be tried again", clock(h.Due))
	case h.Rule != "":
		s += " (" + h.Rule + ")"
	}
	if h.left >= time.Second {
		s += ", " + shortTime(h.left) + " to go"
	}
	return s
}

// shortTrouble is the word of a trouble and what was said last: between them stand the host and the request, which are shown already.
func shortTrouble(trouble string) string {
	word, rest, _ := strings.Cut(trouble, ": ")
	rest, _, _ = strings.Cut(rest, " (GET ")
	if i := strings.LastIndex(rest, ": "); i >= 0 {
		rest = rest[i+2:]
	}
	if rest == "" || rest == word {
		return word
	}
	return word + ", " + rest
}

// clock is a time of the day, with the day where that is another one.
func clock(t time.Time) string {
	t = t.Local()
	if t.Format(time.DateOnly) == time.Now().Format(time.DateOnly) {
		return t.Format(time.TimeOnly)
	}
	return t.Format(time.DateTime)
}
