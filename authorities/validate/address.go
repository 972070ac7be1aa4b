package validate

import (
	"slices"
	"strings"
	"unicode"
)

// AddressRule says when an address can be found on a map. The zero AddressRule is the usual one.
type AddressRule struct {
	IgnoreCase   bool     // states and known suburbs count in any case
	KnownSuburbs []string // these tell where it is without a postcode
}

// geocodable reports whether an address names a type of street, a state (in capitals, before a space or the end), and a place:
// by a number of four digits, by a word in capitals, or by a known suburb.
func (r AddressRule) geocodable(address string) bool {
	words := wordsOf(address)
	return slices.ContainsFunc(words, isStreetType) && r.hasState(address) &&
		(slices.ContainsFunc(words, isPostcode) || slices.ContainsFunc(words, isCapitals) || r.hasKnownSuburb(words))
}

func (r AddressRule) hasState(address string) bool {
	if r.IgnoreCase {
		address = strings.ToUpper(address)
	}
	for _, state := range states {
		if strings.HasSuffix(address, " "+state) || strings.Contains(address, " "+state+" ") {
			return true
		}
	}
	return false
}

func (r AddressRule) hasKnownSuburb(words []string) bool {
	text := " " + strings.Join(words, " ") + " "
	if r.IgnoreCase {
		text = strings.ToUpper(text)
	}
	for _, suburb := range r.KnownSuburbs {
		if r.IgnoreCase {
			suburb = strings.ToUpper(suburb)
		}
		if strings.Contains(text, " "+strings.Join(wordsOf(suburb), " ")+" ") {
			return true
		}
	}
	return false
}

// wordsOf splits a text at all that is no letter, digit or underscore.
func wordsOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.In(r, unicode.Letter, unicode.Mark, unicode.Digit, unicode.Pc)
	})
}

func isStreetType(word string) bool { return slices.Contains(streetTypes, strings.ToLower(word)) }

func isPostcode(word string) bool { return len(word) == 4 && strings.Trim(word, "0123456789") == "" }

// isCapitals reports whether a word is in capitals, as suburbs often are, and no state.
func isCapitals(word string) bool {
	if len(word) < 2 {
		return false
	}
	for _, c := range word {
		if c < 'A' || c > 'Z' {
			return false
		}
	}
	return !slices.Contains(states, word)
}
