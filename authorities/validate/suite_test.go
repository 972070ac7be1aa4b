package validate_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities/validate"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/conformance"
)

// councilRecords returns what scrapes of real councils gave, by file, or skips where they are not.
func councilRecords(t *testing.T) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(conformance.Shared(t), "councils", "expected", "*", "*.json"))
	require.NoError(t, err)
	if len(paths) == 0 {
		t.Skip("the records of councils are not here")
	}
	files := map[string][]byte{}
	for _, path := range paths {
		files[path], err = os.ReadFile(path)
		require.NoError(t, err)
	}
	return files
}

// assertRaised checks that an error says the same. The gem's RuntimeErrors are an UnprocessableSite here: one type for what is
// wrong with a whole database.
func assertRaised(t *testing.T, want conformance.Raised, err error) {
	t.Helper()
	switch want.Class {
	case "":
		require.NoError(t, err)
		return
	case "ScraperUtils::UnprocessableRecord":
		var bad *scraperutils.UnprocessableRecord
		assert.ErrorAs(t, err, &bad)
	case "ScraperUtils::UnprocessableSite", "RuntimeError":
		var bad *scraperutils.UnprocessableSite
		assert.ErrorAs(t, err, &bad)
	default:
		assert.Fail(t, "a class that nobody has translated", want.Class)
	}
	require.EqualError(t, err, want.Text)
}

type addressCase struct {
	In struct {
		Address      *string
		IgnoreCase   bool     `json:"ignore_case"`
		KnownSuburbs []string `json:"known_suburbs"`
		StreetType   string   `json:"street_type"` // that of Address
	}
	Out bool
}

func (c addressCase) test(t *testing.T) {
	address := "" // what Record.Text makes of nil
	if c.In.Address != nil {
		address = *c.In.Address
	}
	rule := validate.AddressRule{IgnoreCase: c.In.IgnoreCase, KnownSuburbs: c.In.KnownSuburbs}
	assert.Equal(t, c.Out, rule.Geocodable(address))
}

func TestSuiteGeocodable(t *testing.T) {
	conformance.Each(t, "geocodable", "0.15.0", func(t *testing.T, c addressCase) { c.test(t) })
}

func TestSuiteGeocodableBefore(t *testing.T) {
	conformance.Each(t, "geocodable", "0.8.2", func(t *testing.T, c addressCase) { c.test(t) })
}

type descriptionCase struct {
	In  struct{ Text *string }
	Out struct{ Placeholder, Reasonable bool }
}

func (c descriptionCase) test(t *testing.T) {
	text := ""
	if c.In.Text != nil {
		text = *c.In.Text
	}
	assert.Equal(t, c.Out.Placeholder, validate.Placeholder(text))
	assert.Equal(t, c.Out.Reasonable, validate.Reasonable(text))
}

func TestSuiteDescription(t *testing.T) {
	conformance.Each(t, "reasonable_description", "0.15.0", func(t *testing.T, c descriptionCase) { c.test(t) })
}

func TestSuiteDescriptionBefore(t *testing.T) {
	conformance.Each(t, "reasonable_description", "0.8.2", func(t *testing.T, c descriptionCase) { c.test(t) })
}

// The words that the gem knows are known here, and no others.
func TestVocabulary(t *testing.T) {
	var gem struct {
		Version          string
		StreetTypes      []string `json:"street_type_words"`
		NoStreetTypes    []string `json:"not_street_types"`
		States           []string
		PlanningKeywords []string `json:"planning_keywords"`
	}
	conformance.Vocabulary(t, "scraper_utils 0.15.0", &gem)
	address := func(street, state string) bool {
		return validate.AddressRule{}.Geocodable("1 Foo " + street + ", Bar " + state + " 2000")
	}
	for _, word := range gem.StreetTypes {
		assert.True(t, address(word, "NSW"), word)
	}
	for _, word := range gem.NoStreetTypes {
		assert.False(t, address(word, "NSW"), word)
	}
	for _, state := range gem.States {
		assert.True(t, address("Street", state), state)
	}
	for _, word := range gem.PlanningKeywords {
		assert.True(t, validate.Reasonable(word), word)
	}
	var bot []string
	conformance.Vocabulary(t, "bot_words", &bot)
	for _, word := range bot {
		assert.True(t, validate.Page{Status: 200, Body: word}.BotProtected(), word)
	}
	var placeholders []string
	conformance.Vocabulary(t, "placeholder_phrases", &placeholders)
	for _, phrase := range placeholders {
		assert.True(t, validate.Placeholder(strings.TrimSuffix(phrase, " (word)")), phrase)
	}
}
