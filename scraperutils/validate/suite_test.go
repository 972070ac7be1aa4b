package validate_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/conformance"
	"github.com/multiscraper/multiscraper/scraperutils/validate"
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

// raised is an exception of the gem as [class, text], null where there was none.
type raised []string

// assertRaised checks that an error says the same. The gem's RuntimeErrors are an UnprocessableSite here: one type for what is
// wrong with a whole database.
func assertRaised(t *testing.T, want raised, err error) {
	t.Helper()
	if len(want) == 0 {
		require.NoError(t, err)
		return
	}
	require.EqualError(t, err, want[1])
	if want[0] == "ScraperUtils::UnprocessableRecord" {
		var bad *scraperutils.UnprocessableRecord
		assert.ErrorAs(t, err, &bad)
		return
	}
	var bad *scraperutils.UnprocessableSite
	assert.ErrorAs(t, err, &bad)
}

func TestSuiteGeocodable(t *testing.T) {
	conformance.Each(t, "geocodable", "0.15.0", func(t *testing.T, c struct {
		In struct {
			Address      *string
			IgnoreCase   bool     `json:"ignore_case"`
			KnownSuburbs []string `json:"known_suburbs"`
		}
		Out bool
	}) {
		address := "" // what Record.Text makes of nil
		if c.In.Address != nil {
			address = *c.In.Address
		}
		rule := validate.AddressRule{IgnoreCase: c.In.IgnoreCase, KnownSuburbs: c.In.KnownSuburbs}
		assert.Equal(t, c.Out, rule.Geocodable(address))
	})
	t.Log("the suite of 0.8.2 is history: its rule (units and lots count as streets, a suburb must stand before the state) was replaced")
}

func TestSuiteDescription(t *testing.T) {
	conformance.Each(t, "reasonable_description", "0.15.0", func(t *testing.T, c struct {
		In  struct{ Text *string }
		Out struct{ Placeholder, Reasonable bool }
	}) {
		text := ""
		if c.In.Text != nil {
			text = *c.In.Text
		}
		assert.Equal(t, c.Out.Placeholder, validate.Placeholder(text))
		assert.Equal(t, c.Out.Reasonable, validate.Reasonable(text))
	})
	t.Log("the suite of 0.8.2 is history: planning words did not count")
}
