package authorities_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// stateOf is the state of a row, "" where it has none.
func stateOf(e registry.Entry) string {
	state, _ := e.Options["state"].(string)
	return state
}

// The registry has every council of the recorded facts, as it stands there.
func TestRegistryHasAllCouncils(t *testing.T) {
	known, err := authorities.Load()
	require.NoError(t, err)

	var facts []map[string]any
	readJSON(t, filepath.Join(councils(t), "authorities.json"), &facts)
	require.NotEmpty(t, facts)
	for _, f := range facts {
		name := fmt.Sprintf("%s/%s", f["platform"], f["authority"])
		entries, err := known.Select([]string{name})
		require.NoError(t, err)
		require.Len(t, entries, 1, name)
		e := entries[0]
		assert.Equal(t, f["url"], e.URL, name)
		assert.Equal(t, f["tls_insecure"] == true, e.TLSInsecure, name)
		assert.Equal(t, f["australian_proxy"] == true, e.ByProxy, name)
		state, _ := f["state"].(string)
		assert.Equal(t, state, stateOf(e), name)
		seconds, _ := f["timeout"].(float64)
		assert.Equal(t, seconds, e.Timeout.Seconds(), name)
		for _, common := range []string{"authority", "platform", "url", "tls_insecure", "australian_proxy", "timeout"} {
			delete(f, common)
		}
		for key, value := range f {
			if value == nil {
				delete(f, key)
			}
		}
		want, err := json.Marshal(f)
		require.NoError(t, err)
		got, err := json.Marshal(e.Options)
		require.NoError(t, err)
		assert.JSONEq(t, string(want), string(got), name)
	}
}

func TestFilesAddAndReplaceAuthorities(t *testing.T) {
	yml := write(t, "more.yml", `
- {authority: nowhere, platform: icon, url: https://nowhere.example/XC.Track, period: last14days, types: [1, "x"], timeout: 80}
- {authority: kyogle, platform: icon, url: https://other.example, period: thisweek}
`)
	asJSON := write(t, "more.json", `[{"authority": "elsewhere", "platform": "technologyone", "url": "http://elsewhere.example", "period": "L14", "webguest": null}]`)
	known, err := authorities.Load(yml, asJSON, write(t, "empty.yml", "# nothing yet\n"))
	require.NoError(t, err)
	builtIn, err := authorities.Load()
	require.NoError(t, err)
	assert.Len(t, known.All(), len(builtIn.All())+2)
	entries, err := known.Select([]string{"kyogle", "nowhere", "elsewhere"})
	require.NoError(t, err)
	assert.Equal(t, "https://other.example", entries[0].URL)
	assert.Equal(t, "1m20s", entries[1].Timeout.String())
	assert.Equal(t, "technologyone", entries[2].Platform)
}

func TestBadRowsAreNamed(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"unknown platform":               {`[{authority: a, platform: ikon, url: "http://a.example"}]`, `authority a: platform: can't use "ikon": expected one of atdis, civica`},
		"missing platform":               {`[{authority: a, url: "http://a.example"}]`, `authority a: platform: can't use ""`},
		"missing option":                 {`[{authority: a, platform: icon, url: "http://a.example"}]`, `authority a: period: can't use "": expected one of last7days`},
		"misspelt option":                {`[{authority: a, platform: icon, url: "http://a.example", perriod: last14days}]`, `authority a: option: can't use "perriod": expected one of period, types, authority, platform`},
		"bad URL":                        {`[{authority: a, platform: icon, url: a.example, period: last14days}]`, `authority a: url: can't use "a.example": expected one that begins with http:// or https://`},
		"bad type":                       {`[{authority: a, platform: icon, url: "http://a.example", period: last14days, tls_insecure: maybe}]`, `authority a: line 1: cannot unmarshal`},
		"bad timeout":                    {`[{authority: a, platform: icon, url: "http://a.example", period: last14days, timeout: -1}]`, `authority a: timeout: can't use "-1"`},
		"an endless timeout":             {`[{authority: a, platform: icon, url: "http://a.example", period: last14days, timeout: 9223372037}]`, `authority a: timeout: can't use "9223372037": expected a number of seconds, 0 to 3600`},
		"no label":                       {`[{platform: icon, url: "http://a.example", period: last14days}]`, `authority (without label): authority: can't use ""`},
		"a label with a comma":           {`[{authority: "a,b", platform: icon, url: "http://a.example", period: last14days}]`, `authority a,b: authority: can't use "a,b"`},
		"twice in a file":                {"- {authority: a, platform: icon, url: 'http://a.example', period: thisweek}\n- {authority: a, platform: icon, url: 'http://b.example', period: thisweek}", `line 2, authority a: this authority stands in the file already`},
		"a label that is an option":      {`[{authority: --help, platform: icon, url: "http://a.example", period: last14days}]`, `authority: can't use "--help": expected a label of letters, digits, _, - and .`},
		"a label that is a command":      {`[{authority: "a;id", platform: icon, url: "http://a.example", period: last14days}]`, `authority: can't use "a;id"`},
		"a label that is a folder":       {`[{authority: "..", platform: icon, url: "http://a.example", period: last14days}]`, `authority: can't use ".."`},
		"a label that turns text around": {"[{authority: \"a\u202e\", platform: icon, url: 'http://a.example', period: last14days}]", `authority: can't use "a\u202e"`},
		"a label too long for a file":    {`[{authority: ` + strings.Repeat("a", 101) + `, platform: icon, url: "http://a.example", period: last14days}]`, `at most 100 bytes`},
		"a password without a scheme":    {`[{authority: a, platform: icon, url: "me:hunter2@a.example/x", period: last14days}]`, `authority a: url: can't use "//a.example/x"`},
		"several documents":              {"---\n- {authority: a, platform: icon, url: 'http://a.example', period: thisweek}\n---\n- {authority: b, platform: icon, url: 'http://b.example', period: thisweek}", `line 3: expected one list of rows, not several documents`},
		"text after the list":            {"[]\n]", `rows.yml`},
		"no row":                         {`[kyogle]`, `expected a row such as`},
		"no list":                        {`{authority: a}`, `expected a list of rows`},
		"no YAML":                        {"\t{", `not YAML or JSON`},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, "rows.yml", c.text)
			_, err := authorities.Load(path)
			require.Error(t, err)
			assert.Contains(t, err.Error(), c.want)
			assert.Contains(t, err.Error(), path)
			assert.Equal(t, 1, strings.Count(err.Error(), "\n")+1, err.Error())
		})
	}
	_, err := authorities.Load("no such file")
	assert.ErrorContains(t, err, "no such file")
	_, err = authorities.Load("/dev/zero")
	assert.EqualError(t, err, "read authorities: read /dev/zero: expected an ordinary file, not a device")
	_, err = authorities.Load(write(t, "large.yml", strings.Repeat("# \n", 2_000_000)))
	assert.ErrorContains(t, err, "expected at most 4194304 bytes")
}

func TestSelect(t *testing.T) {
	known, err := authorities.Load()
	require.NoError(t, err)
	labels := func(of ...string) (selected []string) {
		entries, err := known.Select(of)
		require.NoError(t, err)
		for _, e := range entries {
			selected = append(selected, e.Label)
		}
		return selected
	}
	all := func(wanted func(registry.Entry) bool) (labels []string) {
		for _, e := range known.All() {
			if wanted(e) {
				labels = append(labels, e.Label)
			}
		}
		return labels
	}
	assert.Equal(t, all(func(registry.Entry) bool { return true }), labels())
	assert.Equal(t, []string{"hobart", "kyogle"}, labels("hobart", "kyogle", "hobart"), "in their order, each once")
	assert.Equal(t, all(func(e registry.Entry) bool { return e.Platform == "icon" }), labels("icon/*"))
	assert.Equal(t, []string{"kyogle"}, labels("icon/kyogle"))
	assert.Equal(t, []string{"noosa"}, labels("noo*"))
	assert.Equal(t, []string{"kyogle", "noosa"}, labels("ky*le", "*oosa", "noo*"), "each once")
	assert.Equal(t, all(func(e registry.Entry) bool { return e.Platform == "icon" && strings.HasPrefix(e.Label, "b") }), labels("icon/b*"))
	assert.Equal(t, all(func(e registry.Entry) bool { return strings.Contains(e.Label, "_") }), labels("*_*"))
	assert.Equal(t, all(func(registry.Entry) bool { return true }), labels("*"))
	assert.Equal(t, labels("kyogle"), labels("*/kyogle"))

	for label, want := range map[string]string{
		"kyogel":               "unknown authority: kyogel (did you mean kyogle?); `scrape list` shows all",
		"Hobart":               "unknown authority: Hobart (did you mean hobart?)",
		"technologyone/kyogle": "unknown authority: technologyone/kyogle",
		"icon/kyogel":          "unknown authority: icon/kyogel (did you mean icon/kyogle?)",
		"nosa*":                "unknown authority: nosa* (did you mean noosa?)",
		"noosa*a":              "unknown authority: noosa*a (did you mean noosa",
		"xx*":                  "unknown authority: xx*",
		"*/xx":                 "unknown authority: */xx",
		"icons/*":              "unknown authority: icons/* (did you mean icon/*?)",
		"xyzzyxyzzy":           "unknown authority: xyzzyxyzzy; `scrape list`",
	} {
		_, err := known.Select([]string{"kyogle", label})
		var unknown *registry.UnknownError
		require.ErrorAs(t, err, &unknown, label)
		assert.Contains(t, err.Error(), want)
	}
	_, err = known.Select([]string{"kyogel", "kyogel", "kyoggle"})
	assert.EqualError(t, err, "unknown authority: kyogel, kyoggle (did you mean kyogle?); `scrape list` shows all", "each once")
}

func TestLabels(t *testing.T) {
	for list, want := range map[string][]string{"": nil, " ": nil, "b, a": {"b", "a"}, " a ,c ": {"a", "c"}, "a,a": {"a", "a"}} {
		got, err := registry.Labels(list)
		require.NoError(t, err)
		assert.Equal(t, want, got, list)
	}
	_, err := registry.Labels(",a")
	assert.ErrorContains(t, err, "a label is missing between commas")
}

func ExampleLoad() {
	known, err := authorities.Load()
	if err != nil {
		fmt.Println(err)
		return
	}
	entries, err := known.Select([]string{"kyogle"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(entries[0].Label, entries[0].Platform, entries[0].URL)
	// Output: kyogle icon https://etrack.kyogle.nsw.gov.au/Pages/XC.Track
}

func FuzzLoad(f *testing.F) {
	f.Add("- {authority: a, platform: icon, url: 'http://a.example', period: thisweek}")
	f.Add("- &a [*a]")
	f.Add("[{<<: {a: 1}}]")
	builtIn, err := authorities.Load()
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, text string) {
		known, err := authorities.Load(write(t, "rows.yml", text))
		if err == nil && len(known.All()) < len(builtIn.All()) {
			t.Fatal("rows were lost")
		}
	})
}
