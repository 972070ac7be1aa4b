package validate

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// Settings are what a Checker expects of a database.
type Settings struct {
	Database string // the SQLite file; the Checker only names it

	Geocodable  Threshold // different addresses that can be found on a map, of all records
	Description Threshold // different descriptions that say something, of all records
	InfoURL     Threshold // of the pages that are tried, and of what is looked for on them

	Addresses AddressRule

	GlobalInfoURL    string // the one page of all records; "": found out
	BotCheckExpected bool   // pages that keep programs out are no failure
}

// defaultSettings is data.sqlite, half of the addresses and descriptions and three quarters of the pages, each less 3.
func defaultSettings() Settings {
	half := Threshold{Percentage: 50, Variation: 3}
	return Settings{
		Database:    "data.sqlite",
		Geocodable:  half,
		Description: half,
		InfoURL:     Threshold{Percentage: 75, Variation: 3},
	}
}

// setters read the value of each key.
var setters = map[string]func(s *Settings, value string) (accepted string){
	"database":               func(s *Settings, v string) string { s.Database = v; return "" },
	"geocodable_percentage":  func(s *Settings, v string) string { return setPercentage(&s.Geocodable.Percentage, v) },
	"geocodable_variation":   func(s *Settings, v string) string { return setVariation(&s.Geocodable.Variation, v) },
	"description_percentage": func(s *Settings, v string) string { return setPercentage(&s.Description.Percentage, v) },
	"description_variation":  func(s *Settings, v string) string { return setVariation(&s.Description.Variation, v) },
	"info_url_percentage":    func(s *Settings, v string) string { return setPercentage(&s.InfoURL.Percentage, v) },
	"info_url_variation":     func(s *Settings, v string) string { return setVariation(&s.InfoURL.Variation, v) },
	"ignore_case":            func(s *Settings, v string) string { return setBool(&s.Addresses.IgnoreCase, v) },
	"known_suburbs":          func(s *Settings, v string) string { s.Addresses.KnownSuburbs = split(v); return "" },
	"global_info_url":        setGlobalInfoURL,
	"bot_check_expected":     func(s *Settings, v string) string { return setBool(&s.BotCheckExpected, v) },
}

// settingKeys returns the keys that Set knows, in order.
func settingKeys() []string { return slices.Sorted(maps.Keys(setters)) }

// Set changes one setting, by the key that it has in a file: a percentage from 0 to 100, a variation from 0, true or false,
// text, or suburbs with commas between. A blank value changes nothing. Its error is a *scraperutils.ConfigError.
func (s *Settings) Set(key, value string) error {
	set, ok := setters[key]
	if !ok {
		return &scraperutils.ConfigError{Name: "setting", Value: key, Accepted: "one of " + strings.Join(settingKeys(), ", ")}
	}
	if scraperutils.Blank(value) {
		return nil
	}
	if accepted := set(s, value); accepted != "" {
		return &scraperutils.ConfigError{Name: key, Value: value, Accepted: accepted}
	}
	return nil
}

func setPercentage(into *float64, value string) string {
	return setNumber(into, value, 100, "a percentage from 0 to 100")
}

func setVariation(into *float64, value string) string {
	return setNumber(into, value, math.MaxInt32, "a number of records from 0")
}

func setNumber(into *float64, value string, most float64, accepted string) string {
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || !(0 <= n && n <= most) {
		return accepted
	}
	*into = n
	return ""
}

func setBool(into *bool, value string) string {
	b, err := strconv.ParseBool(value)
	if err != nil {
		return "true or false"
	}
	*into = b
	return ""
}

func setGlobalInfoURL(s *Settings, value string) string {
	if urlProblem(value) != "" {
		return "an address like https://council.example/applications"
	}
	s.GlobalInfoURL = scraperutils.Trim(value)
	return ""
}

func split(list string) (names []string) {
	for name := range strings.SplitSeq(list, ",") {
		if name = scraperutils.Trim(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}
