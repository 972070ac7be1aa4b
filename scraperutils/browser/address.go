package browser

import (
	"fmt"
	"net/netip"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// AddressError reports a private address that a page must not reach, because Options.AllowPrivate is not set.
type AddressError struct {
	Host    string // as the page names it
	Address string // what it resolves to
}

func (e *AddressError) Error() string {
	return fmt.Sprintf("%s is at %s, which is not a public address", e.Host, e.Address)
}

// Class returns ClassConnect.
func (e *AddressError) Class() scraperutils.Class { return scraperutils.ClassConnect }

// notPublic are the blocks of addresses that are not on the public internet, or that carry other addresses: what IANA's registries of
// special-purpose addresses (RFC 6890) call not globally reachable, and tunnels to it.
var notPublic = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24",
	"192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
	"::/96", "::ffff:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16",
	"fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
)

func prefixes(all ...string) []netip.Prefix {
	var parsed []netip.Prefix
	for _, s := range all {
		parsed = append(parsed, netip.MustParsePrefix(s))
	}
	return parsed
}

// public reports whether an address is on the public internet.
func public(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	for _, p := range notPublic {
		if p.Contains(a) {
			return false
		}
	}
	return a.IsValid()
}
