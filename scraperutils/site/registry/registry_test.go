package registry_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
)

const good = "library: a, platform: catalog, url: http://a.example, section: plays"

// A bad row is a line that says what is accepted, in the words of the family.
func TestBadRows(t *testing.T) {
	for row, want := range map[string]string{
		"{}":                                         `library: can't use "": expected a label of letters`,
		"[a]":                                        "expected a row such as {library: example, platform: p, url: https://…}",
		"{site: a, platform: catalog}":               `library: can't use ""`,
		"{" + good + ", country: [x]}":               "cannot unmarshal !!seq into string",
		"{" + good + ", country: x}":                 "",
		"{" + good + ", proxy: maybe}":               "cannot unmarshal !!str `maybe` into bool",
		"{" + good + ", library: b}":                 `mapping key "library" already defined`,
		"{" + good + ", timeout: 5000}":              `timeout: can't use "5000": expected a number of seconds, 0 to 3600`,
		"{" + good + ", least_filled: {title: 101}}": `least_filled: title: can't use "101": expected a percentage, 0 to 100`,
		"{library: a, platform: catalog, url: 'ftp://u:p@a.example'}": `url: can't use "ftp://a.example": expected one that begins with http:// or https://`,
		"{library: a, platform: shelf, url: http://a.example}":        `platform: can't use "shelf": expected one of catalog`,
		"{library: a, platform: catalog, url: http://a.example}":      `section: can't use "": expected one of novels, plays`,
	} {
		_, err := libraries("").ParseRow(row)
		if want == "" {
			assert.NoError(t, err, row)
			continue
		}
		assert.ErrorContains(t, err, want, row)
	}
}

// Files add rows and replace them; each bad row is a line of its own.
func TestFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "more.yml")
	write := func(text string) { require.NoError(t, os.WriteFile(file, []byte(text), 0o600)) }
	write("- {" + good + ", proxy: true, timeout: 90}\n- {library: b, platform: catalog, url: http://b.example, section: novels}\n")
	known, err := registry.Load(libraries("- {"+good+"}"), file)
	require.NoError(t, err)
	all := known.All()
	require.Len(t, all, 2)
	assert.Equal(t, []any{"a", true, 90.0, file, map[string]any{"section": "plays"}}, []any{all[0].Label, all[0].ByProxy, all[0].Timeout.Seconds(), all[0].File, all[0].Options})

	for text, want := range map[string]string{
		"a: b":                                 ": expected a list of rows, each with library, platform and url",
		"- {" + good + "}\n- {" + good + "}\n": " line 2, library a: this library stands in the file already",
		"- {platform: x}\n- {library: c}":      " line 1, library (without label): library: can't use",
		"- a\n---\n- b":                        " line 2: expected one list of rows, not several documents",
		"{":                                    ": not YAML or JSON: ",
	} {
		write(text)
		_, err := registry.Load(libraries(""), file)
		assert.ErrorContains(t, err, file+want, text)
	}
	_, err = registry.Load(libraries("- {library: c}"))
	assert.ErrorContains(t, err, "the built-in rows line 1, library c: platform: can't use")
}

// Options may stand in a struct in line, have no tag, or be shared by all platforms.
func TestOptionsOfEveryForm(t *testing.T) {
	type shared struct {
		Country string `yaml:"country"`
	}
	type options struct {
		shared  `yaml:",inline"`
		Section string
		Mine    string `yaml:"-"`
		Days    int    `yaml:"days,omitempty"`
	}
	var got options
	c := libraries("")
	c.Platforms = registry.Platforms{"catalog": registry.Platform(func(_ site.Site, o options) (catalog, error) { got = o; return catalog{}, nil })}
	_, err := c.ParseRow("{" + good + ", country: NZ, days: 3}")
	require.NoError(t, err)
	assert.Equal(t, options{shared{"NZ"}, "plays", "", 3}, got)
	_, err = c.ParseRow("{" + good + ", mine: x}")
	assert.ErrorContains(t, err, `option: can't use "mine": expected one of section, days, library,`)
}

// A program's own rows may be anything, and never end it.
func FuzzParseRow(f *testing.F) {
	for _, row := range []string{"{" + good + "}", "&a [*a]", "{<<: {a: 1}, library: a}", "{library: &x a, platform: *x}", "!!binary x", "{url: !!float a}"} {
		f.Add(row)
	}
	c := libraries("")
	f.Fuzz(func(t *testing.T, row string) {
		e, err := c.ParseRow(row)
		if err == nil && (e.Scraper == nil || e.Label == "") {
			t.Fatalf("%q is neither a row nor an error", row)
		}
	})
}
