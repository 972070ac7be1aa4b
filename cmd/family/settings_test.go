package family

import (
	"flag"
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils"
)

// switches are the settings that are on or off.
var switches = map[string]func(settings) bool{
	"MORPH_DISABLE_THREADS":   func(s settings) bool { return s.disableThreads },
	"MORPH_NOT_COMPLIANT":     func(s settings) bool { return s.network.NotCompliant },
	"MORPH_DISABLE_SSL_CHECK": func(s settings) bool { return s.network.Insecure },
	"MORPH_USE_PROXY":         func(s settings) bool { return s.network.ProxyForAll },
	"MORPH_DISABLE_RANDOM":    func(s settings) bool { return s.inOrder },
	"VACUUM":                  func(s settings) bool { return s.vacuum },
}

// A switch does what its word says, and nothing is done for a word that nobody knows.
func TestSwitches(t *testing.T) {
	declaredSwitches := 0
	for _, d := range councils.declared() {
		if d.Accepted == cli.Switch {
			declaredSwitches++
			assert.Contains(t, switches, d.Variable)
		}
	}
	assert.Len(t, switches, declaredSwitches)
	words := map[string]bool{"": false, " ": false}
	for _, word := range []string{"1", "true", "yes", "on", "TRUE", "Yes", " on ", "true\n"} {
		words[word] = true
	}
	for _, word := range []string{"0", "false", "no", "off", "FALSE", "No", " off\t"} {
		words[word] = false
	}
	for variable, isOn := range switches {
		for word, want := range words {
			s, err := councils.readSettings(variables{variable: word, "MORPH_AUSTRALIAN_PROXY": "http://proxy.example"}.console(), time.Now())
			require.NoError(t, err, "%s=%q", variable, word)
			assert.Equal(t, want, isOn(s), "%s=%q", variable, word)
		}
		for _, word := range []string{"nope", "2", "-1", "enabled", "tru", "１", "yes\u00a0", "0x1", "null"} {
			_, err := councils.readSettings(variables{variable: word}.console(), time.Now())
			var bad *scraperutils.ConfigError
			require.ErrorAs(t, err, &bad, "%s=%q", variable, word)
			assert.Equal(t, &scraperutils.ConfigError{Name: variable, Value: word, Accepted: cli.Switch}, bad)
		}
	}
}

// numbers are the settings that count or measure: what they are read as, and values beyond their limits.
var numbers = map[string]struct {
	value func(settings) float64
	good  map[string]float64
	bad   []string
}{
	"MORPH_RUN_TIMEOUT": {func(s settings) float64 { return s.runTimeout.Seconds() },
		map[string]float64{"1": 1, "0.5": 0.5, "6h": 21600, " 90m ": 5400, "1e3": 1000}, []string{"0", "0s", "-1h", "1e-12", "367h30", "8761h", "31536001"}},
	"MORPH_KEEP_DAYS": {func(s settings) float64 { return float64(s.keepDays) },
		map[string]float64{"1": 1, "30": 30, "0": 0, "100000": 100000}, []string{"-1", "100001", "1.5", "forever"}},
	"MORPH_CLIENT_TIMEOUT": {func(s settings) float64 { return s.network.Timeout.Seconds() },
		map[string]float64{"60": 60, "1m": 60, "3600": 3600}, []string{"0", "-1", "3601", "2h"}},
	"MORPH_RANDOM_DELAY": {func(s settings) float64 { return s.network.Pace.RandomDelay.Seconds() },
		map[string]float64{"0": 0, "2.5": 2.5, "1h": 3600, "-0": 0}, []string{"-0.1", "3601", "-1s"}},
	"MORPH_MAX_WORKERS": {func(s settings) float64 { return float64(s.maxWorkers) },
		map[string]float64{"1": 1, "+5": 5, " 100000 ": 100_000}, []string{"0", "-5", "1.5", "100001"}},
	"MORPH_MAX_LOAD": {func(s settings) float64 { return s.network.Pace.MaxLoad },
		map[string]float64{"1": 1, "80": 80, "12.5": 12.5, "50%": 50}, []string{"0", "0.9", "-5", "81", "200", "5%%", "%"}},
	"MORPH_DAYS": {func(s settings) float64 { return float64(s.plan.Days) },
		map[string]float64{"1": 1, "10000": 10_000}, []string{"0", "-3", "10001", "3.0"}},
	"MORPH_EVERYTIME": {func(s settings) float64 { return float64(s.plan.EveryTime) },
		map[string]float64{"1": 1, "10000": 10_000}, []string{"0", "-3", "10001"}},
	"MORPH_MAX_PERIOD": {func(s settings) float64 { return float64(s.plan.MaxPeriod) },
		map[string]float64{"1": 1, "4": 4}, []string{"0", "-1", "5"}},
	"MORPH_CYCLE_POSITION": {func(s settings) float64 { return position0(s) },
		map[string]float64{"0": 0, "7": 7}, []string{"-1", "1000001", "0.5"}},
	"MORPH_UNPROCESSABLE_BASE": {func(s settings) float64 { return s.quality.Base },
		map[string]float64{"0": 0, "5.01": 5.01}, []string{"-0.1", "1000001", "5%"}},
	"MORPH_UNPROCESSABLE_PERCENTAGE": {func(s settings) float64 { return s.quality.Percentage },
		map[string]float64{"0": 0, "100": 100, "10%": 10}, []string{"-1", "100.1", "1000"}},
}

func position0(s settings) float64 {
	if s.cycle == nil {
		return math.NaN()
	}
	return float64(*s.cycle)
}

// A number is a number in its range, or an error that says which range that is.
func TestNumbers(t *testing.T) {
	never := []string{"NaN", "nan", "Inf", "-Inf", "infinity", "1e309", "0x10", "0x1p4", "1_0", "５０", "٥", "ten", "5 0", "1,5", "--5", "99999999999999999999", "\u00a05"}
	for variable, c := range numbers {
		for text, want := range c.good {
			s, err := councils.readSettings(variables{variable: text}.console(), time.Now())
			require.NoError(t, err, "%s=%q", variable, text)
			assert.InDelta(t, want, c.value(s), 0, "%s=%q", variable, text)
		}
		for _, text := range append(c.bad, never...) {
			_, err := councils.readSettings(variables{variable: text}.console(), time.Now())
			var bad *scraperutils.ConfigError
			require.ErrorAs(t, err, &bad, "%s=%q", variable, text)
			assert.Equal(t, []string{variable, text}, []string{bad.Name, bad.Value})
		}
	}
	for _, d := range councils.declared() {
		_, number := numbers[d.Variable]
		if _, err := time.ParseDuration(d.Default + "s"); err == nil && !strings.HasSuffix(d.Variable, "DEBUG") {
			assert.True(t, number, "%s is a number", d.Variable)
		}
	}
}

// The default that is declared is what a run has without the setting.
func TestDeclaredDefaults(t *testing.T) {
	const ofTheCommand = "MORPH_RUN_TIMEOUT MORPH_CLIENT_TIMEOUT" // decided where it is used: other commands and authorities have their own
	unset, err := councils.readSettings(variables{}.console(), time.Now())
	require.NoError(t, err)
	for _, d := range councils.declared() {
		s, err := councils.readSettings(variables{d.Variable: d.Default}.console(), time.Now())
		if inWords := err != nil || d.Accepted == someLabels || d.Variable == "MORPH_USER_AGENT" || d.Variable == "MORPH_NOTIFY"; inWords || strings.Contains(ofTheCommand, d.Variable) {
			continue
		}
		assert.Equal(t, unset, s, "%s=%s", d.Variable, d.Default)
	}
}

var update = flag.Bool("update", false, "write what is made from the declarations instead of comparing it")

// The table of settings in the documentation is that of the declarations (-update writes it).
func TestSettingsAreDocumented(t *testing.T) {
	const before, after = "<!-- settings: go generate ./cmd/family -->\n\n", "\n<!-- end of settings -->"
	path := filepath.Join("..", "..", "docs", "configuration.md")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	head, rest, found := strings.Cut(string(text), before)
	require.True(t, found)
	table, tail, found := strings.Cut(rest, after)
	require.True(t, found)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(head+before+councils.declared().Table()+after+tail), 0o666))
		return
	}
	assert.Equal(t, councils.declared().Table(), table)
}

// A flag that is a setting is one of scrape run, and the only one that is asked about it.
func TestSettingsThatAreFlags(t *testing.T) {
	for _, d := range councils.declared() {
		if d.Flag == "" {
			continue
		}
		got := scrape(t, t.Context(), []string{d.Variable + "=,"}, "--db", database(t), d.Flag, ",,")
		assert.Equal(t, cli.ExitUsage, got.code)
		value := ",,"
		if d.Secret {
			value = "(not shown)"
		}
		assert.Regexp(t, "^"+regexp.QuoteMeta(fmt.Sprintf("scrape: %s: can't use %q: expected %s", d.Flag, value, d.Accepted)), got.stderr)
	}
}

// A name that is nearly a setting's is named, one of a user's own is not.
func TestMisspeltNames(t *testing.T) {
	for name, want := range map[string]string{
		"MORPH_MAXLOAD": "MORPH_MAX_LOAD", "MORPH_MAX_LAOD": "MORPH_MAX_LOAD", "morph_max_load": "MORPH_MAX_LOAD", "MOPRH_MAX_LOAD": "MORPH_MAX_LOAD",
		"MORPH_AUTHORITY": "MORPH_AUTHORITIES", "MORPH_DISABLE_SSL_CHECKS": "MORPH_DISABLE_SSL_CHECK", "MORPH_DISABLE_THREAD": "MORPH_DISABLE_THREADS",
		"MORPH_DAY": "MORPH_DAYS", "MORPH_EXPECTED_BAD": "MORPH_EXPECT_BAD", "MORPH-RUN-TIMEOUT": "MORPH_RUN_TIMEOUT", "MORPH_DEBUGG": "MORPH_DEBUG",
		"MORPH_API_KEY": "", "MORPH_DATE": "", "MORPH_PASSWORD": "", "MORPH_USER": "", "MORPH_": "", "MORPH": "", "": "", "DEBUG": "", "DEBUT": "",
		"MAX_LOAD": "", "MORPH_CLIENT_CRAWL_DELAY": "", "PATH": "", strings.Repeat("MORPH_", 10_000): "",
	} {
		got := councils.declared().Misspelt([]string{name})
		if want == "" {
			assert.Empty(t, got, name)
			continue
		}
		assert.Equal(t, []string{name + " in the environment is no setting: did you mean " + want + "?"}, got)
	}
	for _, d := range councils.declared() {
		assert.Empty(t, councils.declared().Misspelt([]string{d.Variable}))
	}
}

// A run says once which name is misspelt, and at its start and its end that no certificate is checked.
func TestRunWarnsOfItsSettings(t *testing.T) {
	t.Parallel()
	const insecure = "MORPH_DISABLE_SSL_CHECK is set: no certificate is checked"
	args := []string{"--fixtures", "--no-delay", "--authority", "kyogle", "--db"}
	got := scrape(t, t.Context(), []string{"MORPH_MAX_LAOD=20", "MORPH_DISABLE_SSL_CHECK=yes", "MORPH_MINE=1"}, append(args, database(t))...)
	assert.Equal(t, cli.ExitOK, got.code, got.stderr)
	assert.Equal(t, 1, strings.Count(got.stdout, "MORPH_MAX_LAOD in the environment is no setting: did you mean MORPH_MAX_LOAD?"))
	assert.NotContains(t, got.stdout, "MORPH_MINE")
	log, report, _ := strings.Cut(got.stdout, "Scraping Summary:")
	assert.Contains(t, log, insecure)
	assert.Contains(t, report, "WARNING: "+insecure)
	assert.Empty(t, got.stderr)

	got = scrape(t, t.Context(), []string{"MORPH_DISABLE_SSL_CHECK=false"}, append(args, database(t))...)
	assert.Equal(t, cli.ExitOK, got.code, got.stderr)
	assert.NotContains(t, got.stdout, "certificate")
}

// Certificates are checked unless a switch says otherwise in so many words.
func TestCertificatesAreChecked(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{"": "failed tls", "false": "failed tls", "0": "failed tls", "no": "failed tls", "true": "ok "} {
		path := database(t)
		scrape(t, t.Context(), []string{"MORPH_DISABLE_SSL_CHECK=" + word}, "--fixtures", "--no-delay", "--authority", "kyogle", "--misbehave", "kyogle=certificate", "--attempts", "1", "--db", path)
		o := outcome(t, path, "kyogle")
		assert.Equal(t, want, o["verdict"]+" "+o["failure_class"], "MORPH_DISABLE_SSL_CHECK=%s", word)
	}
}

// Other commands that ask sites warn too.
func TestNewAndValidateWarnOfTheirSettings(t *testing.T) {
	t.Parallel()
	env := []string{"MORPH_DISABLE_SSL_CHECK=1", "MORPH_DAY=3"}
	got := scrape(t, t.Context(), env, "new", "x", "--platform", "icon", "--url", "https://etrack.kyogle.nsw.gov.au/Pages/XC.Track", "--records", "1", "--fixtures")
	assert.Contains(t, got.stdout, "WARNING: MORPH_DISABLE_SSL_CHECK is set")
	assert.Contains(t, got.stdout, "WARNING: MORPH_DAY in the environment is no setting: did you mean MORPH_DAYS?")
}

// Whatever a variable holds, it is read or refused in a line, and a password is not repeated.
func FuzzReadSettings(f *testing.F) {
	for _, text := range []string{"1", "off", "NaN", "1e309", "50%", "http://u:p@h:1", "http://[::1", "a,b", "6h", "-0", "\x00", "\x1b[2J"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := councils.readSettings(cli.Console{Env: func(string) string { return text }}, time.Now())
		if err != nil {
			for line := range strings.Lines(err.Error()) {
				assert.Regexp(t, `^(MORPH_\w+|VACUUM): can't use ".*": expected `, line)
			}
			return
		}
		assert.True(t, s.network.Pace.MaxLoad >= 1 && s.network.Pace.MaxLoad <= 80, "%g", s.network.Pace.MaxLoad)
		assert.True(t, s.network.Pace.RandomDelay >= 0 && s.runTimeout >= 0 && s.network.Timeout >= 0)
		assert.True(t, s.network.Proxy == nil || s.network.Proxy != nil && s.network.Proxy.Scheme != "" && (&url.URL{Host: s.network.Proxy.Host}).Hostname() != "")
	})
}
