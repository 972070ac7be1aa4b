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
)

func TestDefaultSettings(t *testing.T) {
	assert.Equal(t, validate.Settings{
		Database:    "data.sqlite",
		Geocodable:  validate.Threshold{Percentage: 50, Variation: 3},
		Description: validate.Threshold{Percentage: 50, Variation: 3},
		InfoURL:     validate.Threshold{Percentage: 75, Variation: 3},
	}, validate.DefaultSettings())
}

// write puts a settings file into a folder of its own.
func write(t testing.TB, name, text string) (dir, path string) {
	t.Helper()
	dir = t.TempDir()
	path = filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return dir, path
}

func TestReadSettings(t *testing.T) {
	usual := validate.DefaultSettings()
	for _, c := range []struct {
		name, text string
		change     func(*validate.Settings)
	}{
		{"empty file", "", func(*validate.Settings) {}},
		{"comments alone", "# nothing\n", func(*validate.Settings) {}},
		{"one key", "database: nope.sqlite", func(s *validate.Settings) { s.Database = "nope.sqlite" }},
		{"empty values are unset", "database:\ngeocodable_percentage: ''\ninfo_url_variation: null\nknown_suburbs: []", func(*validate.Settings) {}},
		{"zero is a value", "geocodable_percentage: 0\ngeocodable_variation: 0", func(s *validate.Settings) { s.Geocodable = validate.Threshold{} }},
		{"all keys", `
database: d.sqlite
geocodable_percentage: 60
geocodable_variation: 4
description_percentage: 62.5
description_variation: 5
info_url_percentage: "80"
info_url_variation: 6
ignore_case: true
known_suburbs: [Goulburn, South Melbourne]
global_info_url: https://e.com/
bot_check_expected: true
`, func(s *validate.Settings) {
			*s = validate.Settings{
				Database:         "d.sqlite",
				Geocodable:       validate.Threshold{Percentage: 60, Variation: 4},
				Description:      validate.Threshold{Percentage: 62.5, Variation: 5},
				InfoURL:          validate.Threshold{Percentage: 80, Variation: 6},
				Addresses:        validate.AddressRule{IgnoreCase: true, KnownSuburbs: []string{"Goulburn", "South Melbourne"}},
				GlobalInfoURL:    "https://e.com/",
				BotCheckExpected: true,
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := usual
			c.change(&want)
			dir, path := write(t, validate.ConfigFile, c.text)
			s, from, err := validate.ReadSettings(dir, "")
			require.NoError(t, err)
			assert.Equal(t, want, s)
			assert.Equal(t, ".scraper_validation.yml", from)

			s, from, err = validate.ReadSettings(t.TempDir(), path)
			require.NoError(t, err)
			assert.Equal(t, want, s)
			assert.Equal(t, path, from)
		})
	}
}

func TestReadSettingsChoosesTheFile(t *testing.T) {
	dir, _ := write(t, validate.ConfigFile, "database: usual.sqlite\ngeocodable_percentage: 10")
	_, other := write(t, "other.yml", "database: other.sqlite")

	s, from, err := validate.ReadSettings(dir, other)
	require.NoError(t, err)
	assert.Equal(t, other, from)
	assert.Equal(t, "other.sqlite", s.Database)
	assert.Equal(t, 50.0, s.Geocodable.Percentage, "a named file stands alone")

	s, from, err = validate.ReadSettings(t.TempDir(), "")
	require.NoError(t, err)
	assert.Empty(t, from)
	assert.Equal(t, validate.DefaultSettings(), s)

	missing := filepath.Join(dir, "missing.yml")
	_, _, err = validate.ReadSettings(dir, missing)
	require.ErrorIs(t, err, os.ErrNotExist)
	assert.ErrorContains(t, err, missing)
}

func TestReadSettingsRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"no number", "geocodable_percentage: x", `geocodable_percentage: can't use "x": expected a percentage from 0 to 100`},
		{"too much", "info_url_percentage: 101", `info_url_percentage: can't use "101": expected a percentage from 0 to 100`},
		{"no number at all", "description_percentage: .nan", `description_percentage: can't use "NaN": expected a percentage from 0 to 100`},
		{"under zero", "info_url_variation: -1", `info_url_variation: can't use "-1": expected a number of records from 0`},
		{"no truth", "bot_check_expected: maybe", `bot_check_expected: can't use "maybe": expected true or false`},
		{"no address", "global_info_url: e.com", `global_info_url: can't use "e.com": expected an address like https://council.example/applications`},
		{"unknown key", "databse: x", `setting: can't use "databse": expected one of bot_check_expected, database, description_percentage, description_variation, geocodable_percentage, geocodable_variation, global_info_url, ignore_case, info_url_percentage, info_url_variation, known_suburbs`},
		{"a list of files", "- a\n- b", "expected lines like database: data.sqlite"},
		{"a word", "database", "expected lines like database: data.sqlite"},
		{"keys inside a key", "database: {a: b}", "database: expected one value, or a list of them"},
		{"keys inside a list", "known_suburbs: [{a: b}]", "known_suburbs: expected one value, or a list of them"},
		{"a key twice", "database: a\ndatabase: b", `line 2: mapping key "database" already defined at line 1`},
		{"no YAML", "a: [", "line 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, path := write(t, validate.ConfigFile, c.text)
			_, _, err := validate.ReadSettings(dir, "")
			require.ErrorContains(t, err, c.want)
			assert.ErrorContains(t, err, path)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestSet(t *testing.T) {
	s := validate.DefaultSettings()
	require.NoError(t, s.Set("known_suburbs", " Goulburn , ,South Melbourne"))
	assert.Equal(t, []string{"Goulburn", "South Melbourne"}, s.Addresses.KnownSuburbs)

	var bad *scraperutils.ConfigError
	require.ErrorAs(t, s.Set("ignore_case", "x"), &bad)
	assert.Equal(t, "ignore_case", bad.Name)
	require.ErrorAs(t, s.Set("nothing", "x"), &bad)
	require.ErrorAs(t, s.Set("nothing", ""), &bad)
	assert.Contains(t, bad.Accepted, strings.Join(validate.Keys(), ", "))
}
