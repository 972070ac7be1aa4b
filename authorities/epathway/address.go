package epathway

import (
	"strings"

	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/scraperutils"
)

// listAddress makes an address of a row's cell and suburb. A cell's further lines name the parcels of land. An empty cell is
// no address, whatever the suburb.
func listAddress(cell, suburb, state string) string {
	line := cell
	if end := strings.IndexAny(cell, "\r\n"); end >= 0 {
		line = scraperutils.Trim(cell[:end])
	}
	if line != "" && !strings.Contains(line, suburb) {
		line += ", " + suburb
	}
	return finishAddress(line, state)
}

// finishAddress does what the addresses of lists and of detail pages have in common.
func finishAddress(address, state string) string {
	address = withoutBuilding(register.SingleSpaces(address))
	if address == "" || strings.Contains(address, state) {
		return address
	}
	return address + ", " + state
}

// withoutBuilding drops the first of three or more parts: the name of a building. Empty parts at the end are none.
func withoutBuilding(address string) string {
	whole := strings.TrimRight(address, ", \t\n\v\f\r")
	if strings.Count(whole, ",") < 2 {
		return address
	}
	_, rest, _ := strings.Cut(whole, ",")
	return scraperutils.Trim(rest)
}
