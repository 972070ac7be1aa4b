package crawl

import (
	"cmp"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// What every driver of a frontier does the same, so that they give the same answers.

// Hash returns where a driver first looks for the host or URL that a text names: 63 bits, never 0. If two texts have the same hash, the
// second one is at a NextHash.
func Hash(text string) int64 {
	sum := sha256.Sum256([]byte(text))
	return max(int64(binary.BigEndian.Uint64(sum[:])>>1), 1)
}

// NextHash returns where to look if another text is at n.
func NextHash(n int64) int64 {
	if n == math.MaxInt64 {
		return 1
	}
	return n + 1
}

// HostText returns the text that names a host to Hash.
func HostText(h scraperutils.Host) string { return net.JoinHostPort(h.Name, h.Port) }

// HostsNamed returns the hosts that a HostFilter may mean, in order.
func HostsNamed(name string) []scraperutils.Host {
	bare := strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
	hosts := []scraperutils.Host{{Name: bare, Port: "443"}, {Name: bare, Port: "80"}}
	if i := strings.LastIndexByte(name, ':'); i >= 0 {
		before := strings.TrimSuffix(strings.TrimPrefix(name[:i], "["), "]")
		hosts = append([]scraperutils.Host{{Name: before, Port: name[i+1:]}}, hosts...)
	}
	return hosts
}

// urlSpace is the namespace of URLs in RFC 9562.
var urlSpace = [16]byte{0x6b, 0xa7, 0xb8, 0x11, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8}

// VisitID returns the ID of a URL's visit. The first visit has number 1. The ID is a version 5 UUID: of the URL for the first visit, and
// of the URL with the number as its fragment for later ones.
func VisitID(url string, number int) string {
	if number > 1 {
		url += "#" + strconv.Itoa(number)
	}
	sum := sha1.Sum(append(urlSpace[:], url...))
	id := sum[:16]
	id[6] = id[6]&0x0f | 0x50
	id[8] = id[8]&0x3f | 0x80
	text := make([]byte, 0, 36)
	for i, end := range []int{4, 6, 8, 10, 16} {
		if i > 0 {
			text = append(text, '-')
		}
		text = hex.AppendEncode(text, id[(len(text)-i)/2:end])
	}
	return string(text)
}

// ReasonWord returns the word of a reason by which failures are counted.
func ReasonWord(reason string) string {
	if i := strings.IndexAny(reason, ": "); i >= 0 {
		return reason[:i]
	}
	return reason
}

// Priorities is the number of priorities.
const Priorities = 10

// PriorityOf returns the priority that a driver stores for p.
func PriorityOf(e Entry) int { return min(max(e.Priority, 0), Priorities-1) }

// Placed is an entry with the hashes where a driver first looks for its host and its URL.
type Placed struct {
	Entry
	HostHash int64
	URLHash  int64
	PathHash int64 // counts Variants, together with the host's hash; 0: they are not counted
}

// Place returns entries in the order of their hashes. Drivers add entries in this order, so that no two of them wait for each other in a
// circle.
func Place(entries []Entry, hash func(string) int64) []Placed {
	type place struct {
		host, url int64
		at        int // in entries; of those that are the same, the first comes first
	}
	places := make([]place, len(entries)) // small, for they are moved a lot
	hosts := map[scraperutils.Host]int64{}
	for i := range entries {
		e := &entries[i]
		h, ok := hosts[e.Host]
		if !ok {
			h = hash(HostText(e.Host))
			hosts[e.Host] = h
		}
		places[i] = place{h, hash(e.URL), i}
	}
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.host, b.host), cmp.Compare(a.url, b.url), cmp.Compare(a.at, b.at))
	})
	placed := make([]Placed, len(entries))
	for i, p := range places {
		e := &entries[p.at]
		placed[i] = Placed{Entry: *e, HostHash: p.host, URLHash: p.url}
		if path, _, query := strings.Cut(e.URL, "?"); query && e.Variants > 0 {
			placed[i].PathHash = hash(path)
		}
	}
	return placed
}

// FoundIn returns all URLs that the reports found.
func FoundIn(reports []Report) []Entry {
	var found []Entry
	for _, r := range reports {
		found = append(found, r.Found...)
	}
	return found
}

// SortTraps sorts traps for a list, and returns at most limit of them.
func SortTraps(traps []Trap, limit int) []Trap {
	slices.SortFunc(traps, func(a, b Trap) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Host.Name, b.Host.Name), cmp.Compare(a.Host.Port, b.Host.Port), cmp.Compare(a.Rule, b.Rule))
	})
	return traps[:min(len(traps), cmp.Or(limit, DefaultTraps))]
}

// DefaultTraps is how many traps a list has by default.
const DefaultTraps = 100

// VisitedAt returns when a visit was requested, according to its result. Zero means that the result does not say.
func VisitedAt(r Result) time.Time {
	if r.At.IsZero() {
		return time.Time{}
	}
	return r.At.Add(-r.Took)
}

// CheckReports returns an error for invalid reports, which no driver accepts.
func CheckReports(reports []Report) error {
	for _, r := range reports {
		for _, result := range r.Results {
			switch result.State {
			case StateReady, StateRetry, StateDone, StateFailed:
			default:
				return fmt.Errorf("result of key %d: state is %q, expected ready, retry, done or failed", result.Key, result.State)
			}
		}
	}
	return nil
}

// farthest bounds what a driver keeps, in milliseconds, so that sums of two never overflow. It is some 36 million years.
const farthest = 1 << 60

// Millis returns a time as milliseconds since 1970, rounded down.
func Millis(t time.Time) int64 {
	if s := t.Unix(); s < -farthest/1000 || s > farthest/1000 {
		return max(min(s, farthest), -farthest)
	}
	return t.UnixMilli()
}

// MillisUp returns a time before which nothing may happen, as milliseconds since 1970, rounded up.
func MillisUp(t time.Time) int64 {
	n := Millis(t)
	if TimeOf(n).Before(t) && n < farthest {
		n++
	}
	return n
}

// IntervalMillis returns an interval that must be kept, in milliseconds, rounded up. A negative interval is 0.
func IntervalMillis(d time.Duration) int64 {
	n := d.Milliseconds()
	if d%time.Millisecond > 0 && d < math.MaxInt64-time.Millisecond {
		n++
	}
	return max(n, 0)
}

// TimeOf converts milliseconds since 1970 to a time in UTC.
func TimeOf(millis int64) time.Time { return time.UnixMilli(millis).UTC() }
