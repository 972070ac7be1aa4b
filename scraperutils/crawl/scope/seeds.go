package scope

import (
	"net/netip"

	"golang.org/x/net/publicsuffix"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Seeds reports whether a host counts as one that was added, by the name that NameOf gives it.
type Seeds func(name string) bool

// NameOf returns the name by which hosts are compared: the registrable domain, or the host name, with its port unless that is a usual
// one, because a site is the same with http and https.
func (k Kind) NameOf(h scraperutils.Host) string {
	if k != Domain {
		return h.String()
	}
	if _, err := netip.ParseAddr(h.Name); err == nil {
		return h.Name
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(h.Name)
	if err != nil { // it is a public suffix itself, or has no dot
		return h.Name
	}
	return domain
}
