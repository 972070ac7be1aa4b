package validate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/multiscraper/multiscraper/authorities/validate"
)

func TestGeocodable(t *testing.T) {
	var usual validate.AddressRule
	anyCase := validate.AddressRule{IgnoreCase: true}
	known := validate.AddressRule{KnownSuburbs: []string{"Goulburn", "South Melbourne", "St. Kilda"}}
	knownAnyCase := validate.AddressRule{IgnoreCase: true, KnownSuburbs: []string{"Goulburn"}}
	for _, c := range []struct {
		name    string
		rule    validate.AddressRule
		address string
		want    bool
	}{
		{"street, state, postcode", usual, "123 Smith Street, Sydney NSW 2000", true},
		{"street type shortened", usual, "123 Smith St, Sydney NSW 2000", true},
		{"suburb in capitals", usual, "123 Smith Street SYDNEY NSW", true},
		{"suburb in capitals, comma", usual, "70 Pacific Highway, TUGGERAH, NSW", true},
		{"suburb in capitals and postcode", usual, "5 Sowerby St, GOULBURN NSW 2580", true},
		{"type of street without a name", usual, "3 Quay, SYDNEY NSW", true},
		{"something after it", usual, "1 A St, SYDNEY NSW 2000 (rear)", true},
		{"street type in any case", usual, "1 foo ESPLANADE, Bar NSW 2000", true},
		{"comma after the state", usual, "123 Smith Street, Sydney, NSW, 2000", false},
		{"no street type", usual, "123 Smith, Sydney NSW 2000", false},
		{"unit", usual, "Unit 5, Sydney NSW 2000", false},
		{"lot", usual, "lot 12 folio a123", false},
		{"no state", usual, "123 Smith Street, Sydney 2000", false},
		{"state in small letters", usual, "1 Bay Pde, Malvern vic 3144", false},
		{"state inside a word", usual, "1 Bay Pde, MALVERN XVIC 3144", false},
		{"state at the end of a word", usual, "1 Bay Pde, MALVERN 3144 XVIC", false},
		{"the state is no place", usual, "5 Sowerby St, Goulburn, NSW", false},
		{"no place", usual, "Kings Way, South Melbourne VIC", false},
		{"one capital is no place", usual, "5 Sowerby St, G NSW", false},
		{"capitals inside a word", usual, "5 Sowerby St, McDONALD NSW", false},
		{"five digits are no postcode", usual, "5 Sowerby St, Goulburn NSW 25800", false},
		{"digits of other scripts", usual, "5 Sowerby St, Goulburn NSW ٢٥٨٠", false},
		{"street type inside a word", usual, "1 Stone, Sydney NSW 2000", false},
		{"street type before an accent", usual, "1 Stéphane, Sydney NSW 2000", false},
		{"street type before a combining accent", usual, "1 St\u0301ephane, Sydney NSW 2000", false},
		{"unknown street type", usual, "1 Foo Track, Bar NSW 2000", false},
		{"empty", usual, "", false},
		{"any case: small letters", anyCase, "5 sowerby st, goulburn nsw 2580", true},
		{"any case: state at the end", anyCase, "123 Smith Street, Sydney 2000 nsw", true},
		{"any case: still no place", anyCase, "5 sowerby st, goulburn nsw", false},
		{"known suburb", known, "5 Sowerby St, Goulburn, NSW", true},
		{"known suburb of two words", known, "5 Kings Way, South  Melbourne VIC", true},
		{"known suburb, with a full stop", known, "5 Acland Road, St. Kilda VIC", true},
		{"known suburb, without its full stop", known, "5 Acland Road, St Kilda VIC", true},
		{"another suburb", known, "5 Sowerby St, Yass, NSW", false},
		{"known suburb inside a word", known, "5 Sowerby St, Goulburnia NSW", false},
		{"known suburb in another case", known, "5 Sowerby St, goulburn, NSW", false},
		{"any case: known suburb", knownAnyCase, "5 sowerby st, goulburn nsw", true},
		{"no known suburb is blank", validate.AddressRule{KnownSuburbs: []string{""}}, "5 Sowerby St, Goulburn, NSW", false},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, c.rule.Geocodable(c.address), c.address) })
	}
}

func TestStreetTypes(t *testing.T) {
	var rule validate.AddressRule
	for _, is := range []string{
		"Arcade", "Av", "Ave", "Avenue", "Boulevard", "Blvd", "Bvd", "Circuit", "Cct", "Circle", "Cir", "Close", "Cl", "Court", "Crt", "Ct", "Chase", "Corso", "Cr", "Cres", "Crescent",
		"Cross", "Dr", "Drive", "Drv", "Ent", "Entrance", "Esp", "Esplanade", "Gr", "Grove", "Hwy", "Highway", "La", "Lan", "Lane", "Loop", "Mews", "Mw", "Parade", "Pde", "Parkway", "Pl",
		"Place", "Priv", "Private", "Prom", "Promenade", "Quay", "Rd", "Road", "Rdg", "Ridge", "Rise", "Sq", "Square", "St", "Street", "Tce", "Terrace", "Way", "Wy",
	} {
		assert.True(t, rule.Geocodable("1 Foo "+is+", Bar NSW 2000"), is)
	}
	for _, is := range []string{"L", "Track", "Walk", "Mall", "Row", "Gardens", "Gdns", "Trail", "View", "Vista", "Plaza", "Alley"} {
		assert.False(t, rule.Geocodable("1 Foo "+is+", Bar NSW 2000"), is)
	}
}

func TestDescription(t *testing.T) {
	for _, c := range []struct {
		text                    string
		placeholder, reasonable bool
	}{
		{"Construction of building", false, true},
		{"Change of use", false, true},
		{"two words", false, false},
		{"Change use", false, false},
		{"short", false, false},
		{"", false, false},
		{"  a  b  c ", false, true},
		{"a\u00a0b c", false, false}, // a no-break space is content
		{"Dwelling", false, true},
		{"New shed", false, true},
		{"garage", false, true},
		{"Poolside", false, true},
		{"Unitary", false, true},
		{"N/A", true, false},
		{"Use of land n/a here", true, false},
		{"TBC later on", true, false},
		{"no tbcs are here", false, true},
		{"pan/african food shop", false, true},
		{"to be confirmed by council", true, false},
		{"Not Available at present", true, false},
		{"No description", true, false},
		{"Dwelling, n/a", true, false},
	} {
		t.Run(c.text, func(t *testing.T) {
			assert.Equal(t, c.placeholder, validate.Placeholder(c.text))
			assert.Equal(t, c.reasonable, validate.Reasonable(c.text))
		})
	}
}
