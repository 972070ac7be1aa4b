package family

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities"
	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/fixtures"
	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
)

// --misbehave takes lists, and patterns of labels.
func TestMisbehaveFlag(t *testing.T) {
	known, err := authorities.Load()
	require.NoError(t, err)
	for name, c := range map[string]struct {
		list []string
		want map[string]fixtures.Misbehaviour
		err  string
	}{
		"nobody":                          {nil, map[string]fixtures.Misbehaviour{}, ""},
		"two":                             {[]string{"noosa=layout", " kyogle = hang "}, map[string]fixtures.Misbehaviour{"noosa": "layout", "kyogle": "hang"}, ""},
		"a pattern":                       {[]string{"noo*=drop"}, map[string]fixtures.Misbehaviour{"noosa": "drop"}, ""},
		"a label over a pattern":          {[]string{"noosa=hang", "noo*=drop"}, map[string]fixtures.Misbehaviour{"noosa": "hang"}, ""},
		"the later of two patterns":       {[]string{"noo*=drop", "noos*=hang"}, map[string]fixtures.Misbehaviour{"noosa": "hang"}, ""},
		"twice the same":                  {[]string{"noosa=hang", "noosa=hang"}, map[string]fixtures.Misbehaviour{"noosa": "hang"}, ""},
		"two ways for one":                {[]string{"noosa=hang", "noosa=drop"}, nil, `--misbehave: can't use "noosa=drop": expected one way to fail for each label, and noosa=hang is given too`},
		"no way":                          {[]string{"noosa"}, nil, `--misbehave: can't use "noosa": expected LABEL=HOW, where HOW is one of bomb, broken,`},
		"a way that is none":              {[]string{"noosa=sulk"}, nil, `--misbehave: can't use "noosa=sulk": expected LABEL=HOW`},
		"no label":                        {[]string{"=hang"}, nil, `--misbehave: can't use "=hang": expected LABEL=HOW`},
		"a hole":                          {[]string{"noosa=hang", ""}, nil, `--misbehave: can't use "": expected LABEL=HOW`},
		"an unknown label":                {[]string{"nosa=hang"}, nil, "--misbehave: unknown authority: nosa (did you mean noosa?)"},
		"an equals sign that is too much": {[]string{"noosa=hang=on"}, nil, `--misbehave: can't use "noosa=hang=on": expected LABEL=HOW`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := misbehaviours(known, c.list)
			if c.err != "" {
				assert.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
}

// A list of misbehaviours is one flag, as one of authorities is.
func TestMisbehaveTakesAList(t *testing.T) {
	t.Parallel()
	path := database(t)
	got := scrape(t, t.Context(), nil, "--fixtures", "--no-delay", "--authority", "noosa,kyogle,hobart", "--misbehave", "noosa=missing, kyogle=layout", "--attempts", "1", "--db", path)
	assert.Equal(t, cli.ExitUnexpected, got.code)
	for label, want := range map[string]string{"noosa": "http-4xx", "kyogle": "layout", "hobart": ""} {
		assert.Equal(t, want, outcome(t, path, label)["failure_class"], label)
	}
}

// A council that shares its host can't lose its name alone: the error says whose names to add, and with these it works.
func TestMisbehavingHost(t *testing.T) {
	t.Parallel()
	args := []string{"--fixtures", "--no-delay", "--authority", "weddin,noosa", "--attempts", "1"}
	unused := database(t)
	got := scrape(t, t.Context(), nil, append(args, "--misbehave", "weddin=nowhere", "--db", unused)...)
	assert.Equal(t, cli.ExitUsage, got.code)
	assert.NoFileExists(t, unused, "nothing ran")
	_, others, found := strings.Cut(got.stderr, "scrape: built-in sites: site weddin can't misbehave as nowhere: its host would take others with it; expected the same of ")
	require.True(t, found, got.stderr)

	path, list := database(t), "weddin=nowhere"
	for label := range strings.SplitSeq(strings.TrimSpace(others), ", ") {
		list += "," + label + "=nowhere"
	}
	got = scrape(t, t.Context(), nil, append(args, "--misbehave", list, "--db", path)...)
	assert.Equal(t, cli.ExitUnexpected, got.code, got.stderr)
	assert.Equal(t, "dns", outcome(t, path, "weddin")["failure_class"])
	assert.Equal(t, "ok", outcome(t, path, "noosa")["verdict"])
}

// A site that has nothing is empty on the day, and silent when it used to have something and that was long ago.
func TestTryingEmptyAndSilent(t *testing.T) {
	t.Parallel()
	path := database(t)
	run := func(asOf string, more ...string) ended {
		args := []string{"--fixtures", "--no-delay", "--authority", "noosa", "--db", path, "--as-of", asOf}
		return scrape(t, t.Context(), nil, append(args, more...)...)
	}
	got := run("2025-05-06", "--misbehave", "noosa=empty")
	assert.Equal(t, cli.ExitOK, got.code, got.stderr)
	assert.Equal(t, "empty", outcome(t, path, "noosa")["verdict"])
	got = run("2025-05-07")
	assert.Equal(t, cli.ExitOK, got.code, got.stderr)
	got = run("2025-06-20", "--misbehave", "noosa=empty")
	assert.Equal(t, cli.ExitUnexpected, got.code)
	assert.Contains(t, got.stderr, "noosa: silent - ")
}

// A row for which there can be no built-in site gets none, one warning and a failure of its own; the others are scraped.
func TestRowsWithoutBuiltInSite(t *testing.T) {
	t.Parallel()
	more := database(t) + ".yml"
	writeFile(t, more, `
- {authority: by_address, platform: icon, url: "https://203.0.113.9/Pages/XC.Track", period: thisweek}
- {authority: mine, platform: icon, url: "https://mine.example/Pages/XC.Track", period: last28days}
`)
	path := database(t)
	got := scrape(t, t.Context(), nil, "--fixtures", "--no-delay", "--authorities", more, "--authority", "kyogle,mine,by_address", "--attempts", "1", "--db", path)
	assert.Equal(t, cli.ExitUnexpected, got.code, got.stderr)
	assert.Equal(t, 1, strings.Count(got.stdout, "there is no built-in site for icon/by_address: they can't be asked here"), got.stdout)
	for label, want := range map[string]string{"kyogle": "ok", "mine": "ok", "by_address": "failed"} {
		assert.Equal(t, want, outcome(t, path, label)["verdict"], label)
	}
	got = scrape(t, t.Context(), nil, "--fixtures", "--no-delay", "--authorities", more, "--authority", "kyogle", "--db", path)
	assert.Equal(t, cli.ExitOK, got.code, got.stderr)
	assert.NotContains(t, got.stdout, "there is no built-in site", "it is not asked")
}

// A platform of one's own has no built-in site.
func TestPlatformsWithoutBuiltInSites(t *testing.T) {
	t.Parallel()
	entry := func(platform, label string) registry.Entry {
		return registry.Entry{Site: site.Site{Platform: platform, Label: label, URL: "http://" + label + ".example"}}
	}
	assert.Equal(t, []string{"there is no built-in site for gazette/a, gazette/c: they can't be asked here"},
		withoutSite(councils.BuiltIn, []registry.Entry{entry("gazette", "a"), entry("icon", "b"), entry("gazette", "c")}))
	assert.Empty(t, withoutSite(councils.BuiltIn, []registry.Entry{entry("icon", "b")}))
}
