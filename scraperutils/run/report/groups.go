package report

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// Group is failures of one class on one platform.
type Group struct {
	Platform string // "": unknown
	Class    scraperutils.Class
	Members  []Change
	Of       int    // authorities of the platform in the run
	Meaning  string // what so many of them are likely to mean, or ""
}

// aPattern is how many failures of a platform are needed to look like one failure.
const aPattern = 3

// Group sorts failures of the run by platform and class, the largest group first.
func (o *Overview) Group(failures []Change) []Group {
	type key struct {
		platform string
		class    scraperutils.Class
	}
	at := map[key]int{}
	var groups []Group
	for _, f := range failures {
		k := key{f.Platform, f.Class}
		i, known := at[k]
		if !known {
			i = len(groups)
			at[k] = i
			groups = append(groups, Group{Platform: f.Platform, Class: f.Class, Of: o.inRun(f.Platform)})
		}
		groups[i].Members = append(groups[i].Members, f)
	}
	for i := range groups {
		groups[i].Meaning = o.meaning(groups[i])
	}
	slices.SortStableFunc(groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(len(b.Members), len(a.Members)), cmp.Compare(a.Platform, b.Platform), cmp.Compare(a.Class, b.Class))
	})
	return groups
}

// inRun counts the authorities of a platform in the run.
func (o *Overview) inRun(platform string) (n int) {
	for i := range o.Authorities {
		if a := &o.Authorities[i]; a.InRun && a.Platform == platform {
			n++
		}
	}
	return n
}

// Sentence says how many of a platform fail alike and what that is likely to mean. It is "" where nothing follows from their number.
func (g Group) Sentence() string {
	if g.Meaning == "" {
		return ""
	}
	return fmt.Sprintf("%d of %d %s fail in the same way (%s): %s", len(g.Members), g.Of, g.Platform, g.Class, g.Meaning)
}

// alike says of each group that is a pattern what it is.
func (o *Overview) alike() []string {
	var all []string
	for _, g := range o.Group(o.Changes().Failures()) {
		if sentence := g.Sentence(); sentence != "" {
			all = append(all, sentence)
		}
	}
	return all
}

// meaning is what the members of a group are likely to have in common. At least three of a platform, and a tenth of it, make a pattern
// where half of them began to fail in the same run.
func (o *Overview) meaning(g Group) string {
	n := len(g.Members)
	if g.Platform == "" || n < aPattern || 10*n < g.Of || 2*together(g.Members) < n {
		return ""
	}
	switch {
	case onNetwork(g.Class) && o.isOurs(g.Class):
		return "likely our own network"
	case oneHost(g.Members):
		return "they share a host"
	}
	return vendors[g.Class]
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
func (o *Overview) isOurs(class scraperutils.Class) bool {
	all, hit, platforms := 0, 0, map[string]bool{}
	for i := range o.Authorities {
		a := &o.Authorities[i]
		if !a.InRun {
			continue
		}
		all++
		if a.Class == class && a.Verdict.Bad() && a.Verdict != runlog.Implausible {
			hit++
			platforms[a.Platform] = true
		}
	}
	return 2*hit >= all && len(platforms) > 1
}

// together is how many of some began to fail in the same run, at most.
func together(all []Change) (most int) {
	counts := map[string]int{}
	for _, c := range all {
		first := ""
		if n := len(c.Past); n > 0 && c.Streak.Runs > 0 {
			first = c.Past[n-c.Streak.Runs].Run
		}
		counts[first]++
		most = max(most, counts[first])
	}
	return most
}

// oneHost reports whether the sites of all are on one host.
func oneHost(all []Change) bool {
	host := ""
	for i, c := range all {
		u, err := url.Parse(c.URL)
		if err != nil || u.Host == "" || i > 0 && u.Host != host {
			return false
		}
		host = u.Host
	}
	return host != ""
}
