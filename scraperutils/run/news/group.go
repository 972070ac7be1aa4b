package news

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// Group is authorities of one platform that fail in the same way.
type Group struct {
	Platform string
	Class    scraperutils.Class // "" of those that are silent
	All      []Authority        // new ones first
	Of       int                // authorities of the platform in the run
}

// Groups returns the failures, the largest group first.
func (r *Run) Groups() []Group {
	type key struct {
		platform string
		class    scraperutils.Class
	}
	of, byKey := map[string]int{}, map[key]*Group{}
	var all []*Group
	for _, change := range []Change{New, Still} {
		for _, a := range r.With(change) {
			k := key{a.Platform, a.Class}
			if byKey[k] == nil {
				byKey[k] = &Group{Platform: k.platform, Class: k.class}
				all = append(all, byKey[k])
			}
			byKey[k].All = append(byKey[k].All, a)
		}
	}
	for _, a := range r.Authorities {
		of[a.Platform]++
	}
	groups := make([]Group, len(all))
	for i, g := range all {
		g.Of = of[g.Platform]
		groups[i] = *g
	}
	slices.SortStableFunc(groups, func(a, b Group) int { return cmp.Compare(len(b.All), len(a.All)) })
	return groups
}

// alike is how many authorities of a platform must fail alike before that says something about its vendor.
const alike = 3

// Cause returns what failures of this kind usually come from, if several fail alike, or "".
func (g Group) Cause() string {
	if len(g.All) < alike {
		return ""
	}
	switch g.Class {
	case scraperutils.ClassLayout, scraperutils.ClassQuality, scraperutils.ClassHTTP4xx, scraperutils.ClassHTTP3xx:
		return "likely a change of the vendor"
	case scraperutils.ClassDNS, scraperutils.ClassConnect, scraperutils.ClassTimeout, scraperutils.ClassTLS:
		return "likely the vendor's servers, or the network here"
	case scraperutils.ClassBlocked, scraperutils.ClassRateLimited, scraperutils.ClassRobots:
		return "likely a new rule of the vendor for crawlers"
	case scraperutils.ClassHTTP5xx, scraperutils.ClassMaintenance:
		return "likely an outage of the vendor"
	}
	return ""
}

// Reason returns why an authority failed, in one line.
func (a Authority) Reason() string {
	text := a.Remark()
	switch {
	case a.Verdict == runlog.Silent:
		text = "it used to give records and has given none for too long"
	case a.Err != nil:
		text = a.Err.Error()
	}
	return strings.Join(strings.Fields(text), " ")
}

// Brief returns Reason with the hosts of addresses alone, for a line of a screen.
func (a Authority) Brief() string { return address.ReplaceAllString(a.Reason(), "$1/…") }

// address is one with a path, up to what ends it in a sentence.
var address = regexp.MustCompile(`https?://([^/\s)"]+)/[^\s)"]+`)

// kind is the class of a failure, or its verdict if it has none.
func (a Authority) kind() string { return cmp.Or(string(a.Class), string(a.Verdict)) }
