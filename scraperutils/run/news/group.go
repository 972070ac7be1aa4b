package news

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// Looks is what of an authority in a run may look like others.
type Looks struct {
	Platform string // "": unknown
	Verdict  runlog.Verdict
	Class    scraperutils.Class
	URL      string // of its site; "": unknown
	Since    string // the run in which it began to fail; "": one before, and it is not known which
}

func (l Looks) kind() string { return Kind(l.Verdict, l.Class) }

// Kind is the class of a failure, or its verdict if it has none.
func Kind(v runlog.Verdict, c scraperutils.Class) string { return cmp.Or(string(c), string(v)) }

// Group is failures of one kind on one platform.
type Group[T any] struct {
	Platform string // "": unknown
	Class    scraperutils.Class
	Kind     string // Class, or the verdict of those that have none
	Members  []T    // in the order in which they were given
	Of       int    // authorities of the platform in the run
	Meaning  string // what so many of them are likely to mean, or ""
}

// Sentence says how many of a platform fail alike and what that is likely to mean. It is "" where nothing follows from their number.
func (g Group[T]) Sentence() string {
	if g.Meaning == "" {
		return ""
	}
	return fmt.Sprintf("%d of %d %s fail in the same way (%s): %s", len(g.Members), g.Of, g.Platform, g.Kind, g.Meaning)
}

// Alike sorts failures by platform and kind: the largest group first, and of groups of one size that whose first member was given first.
// run is all authorities of the run, those that are well too.
func Alike[T any](failures []T, looks func(T) Looks, run []Looks) []Group[T] {
	type key struct{ platform, kind string }
	at := map[key]int{}
	var groups []Group[T]
	var seen [][]Looks // of the members of each group
	for _, f := range failures {
		l := looks(f)
		k := key{l.Platform, l.kind()}
		i, known := at[k]
		if !known {
			i = len(groups)
			at[k] = i
			groups, seen = append(groups, Group[T]{Platform: l.Platform, Class: l.Class, Kind: k.kind, Of: ofPlatform(run, l.Platform)}), append(seen, nil)
		}
		groups[i].Members, seen[i] = append(groups[i].Members, f), append(seen[i], l)
	}
	for i := range groups {
		groups[i].Meaning = meaning(seen[i], groups[i].Of, run)
	}
	slices.SortStableFunc(groups, func(a, b Group[T]) int { return cmp.Compare(len(b.Members), len(a.Members)) })
	return groups
}

func ofPlatform(run []Looks, platform string) (n int) {
	for _, l := range run {
		if l.Platform == platform {
			n++
		}
	}
	return n
}

// aPattern is how many failures of a platform are needed to look like one failure.
const aPattern = 3

// meaning is what failures of one kind on one platform are likely to have in common. At least three of the platform, and a tenth of it,
// make a pattern where half of them began to fail in the same run.
func meaning(members []Looks, of int, run []Looks) string {
	n, first := len(members), members[0]
	if first.Platform == "" || n < aPattern || 10*n < of || 2*together(members) < n {
		return ""
	}
	switch {
	case onNetwork(first.Class) && isOurs(run, first.Class):
		return "likely our own network"
	case oneHost(members):
		return "they share a host"
	}
	return vendors[first.Class]
}

// vendors is what it is likely to mean that many sites of a vendor fail in a class. Of the others it means nothing.
var vendors = map[scraperutils.Class]string{
	scraperutils.ClassLayout:      "likely a change of the vendor",
	scraperutils.ClassPanic:       "likely a change of the vendor",
	scraperutils.ClassProtocol:    "likely a change of the vendor",
	scraperutils.ClassQuality:     "likely a change of the vendor",
	scraperutils.ClassHTTP3xx:     "likely a change of the vendor",
	scraperutils.ClassHTTP4xx:     "likely a change of the vendor",
	scraperutils.ClassOther:       "likely a change of the vendor",
	scraperutils.ClassHTTP5xx:     "likely an outage of the vendor",
	scraperutils.ClassMaintenance: "likely maintenance by the vendor",
	scraperutils.ClassBlocked:     "likely the vendor keeps us out",
	scraperutils.ClassRobots:      "likely the vendor keeps us out",
	scraperutils.ClassRateLimited: "likely the vendor slows us down",
	scraperutils.ClassDNS:         "likely an outage of the vendor",
	scraperutils.ClassConnect:     "likely an outage of the vendor",
	scraperutils.ClassTLS:         "likely an outage of the vendor",
	scraperutils.ClassTimeout:     "likely an outage of the vendor",
}

func onNetwork(c scraperutils.Class) bool {
	return c == scraperutils.ClassDNS || c == scraperutils.ClassConnect || c == scraperutils.ClassTLS || c == scraperutils.ClassTimeout
}

// isOurs reports whether a class befalls half of the run's authorities, on more than one platform.
func isOurs(run []Looks, class scraperutils.Class) bool {
	hit, platforms := 0, map[string]bool{}
	for _, l := range run {
		if l.Class == class && l.Verdict.Bad() && l.Verdict != runlog.Implausible {
			hit++
			platforms[l.Platform] = true
		}
	}
	return 2*hit >= len(run) && len(platforms) > 1
}

// together is how many of some began to fail in the same run, at most.
func together(all []Looks) (most int) {
	counts := map[string]int{}
	for _, l := range all {
		counts[l.Since]++
		most = max(most, counts[l.Since])
	}
	return most
}

// oneHost reports whether the sites of all are on one host.
func oneHost(all []Looks) bool {
	host := ""
	for i, l := range all {
		u, err := url.Parse(l.URL)
		if err != nil || u.Host == "" || i > 0 && u.Host != host {
			return false
		}
		host = u.Host
	}
	return host != ""
}
