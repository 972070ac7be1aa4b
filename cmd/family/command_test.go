package family

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities"
	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils/run/news"
)

// ended is what a command printed and returned.
type ended struct {
	code           int
	stdout, stderr string
}

// scrape runs a command line as main does, with an environment that holds env alone (NAME=value).
func scrape(t testing.TB, ctx context.Context, env []string, args ...string) ended {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := councils.grammar().Run(ctx, args, cli.NewConsole("scrape", env, &stdout, &stderr))
	return ended{code, stdout.String(), stderr.String()}
}

// database is a path in a folder of the test's own.
func database(t testing.TB) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "data.sqlite")
}

// rows reads a database: fields as text, NULL left out.
func rows(t testing.TB, path, query string, args ...any) (all []map[string]string) {
	t.Helper()
	reader, err := db.OpenReader(t.Context(), path)
	require.NoError(t, err)
	defer reader.Close()
	for r, err := range reader.Query(t.Context(), query, args...) {
		require.NoError(t, err)
		row := map[string]string{}
		for _, f := range r {
			if f.Value != nil {
				row[f.Name] = r.Text(f.Name)
			}
		}
		all = append(all, row)
	}
	return all
}

// shared is a folder of recorded facts. A test that needs it is skipped where it is missing.
func shared(t testing.TB, name string) string {
	t.Helper()
	folder := filepath.Join("..", "..", "..", "shared", name)
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("no recorded facts: %v", err)
	}
	return folder
}

func readJSON(t testing.TB, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, into))
}

// What can't be used is one line that says what to do, and nothing runs.
func TestBadInput(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	notSQLite := filepath.Join(folder, "notes.txt")
	require.NoError(t, os.WriteFile(notSQLite, []byte(strings.Repeat("not a database ", 100)), 0o600))
	badRows := filepath.Join(folder, "rows.yml")
	require.NoError(t, os.WriteFile(badRows, []byte("- {authority: a, platform: ikon, url: 'http://a.example'}"), 0o600))
	db := filepath.Join(folder, "data.sqlite")
	for name, c := range map[string]struct {
		env  []string
		args []string
		want string
	}{
		"an unknown authority":         {nil, []string{"--authority", "kyogel"}, "scrape: unknown authority: kyogel (did you mean kyogle?); `scrape list` shows all"},
		"one in the environment":       {[]string{"MORPH_AUTHORITIES=kyogle, x"}, nil, "scrape: unknown authority: x"},
		"a label that is missing":      {nil, []string{"--authority", "a,,b"}, `scrape: --authority: can't use "a,,b": expected labels with commas between them`},
		"a timeout that is no time":    {[]string{"MORPH_RUN_TIMEOUT=abc"}, nil, `scrape: MORPH_RUN_TIMEOUT: can't use "abc": expected seconds or a duration like 6h, over zero`},
		"a timeout of zero":            {[]string{"MORPH_RUN_TIMEOUT=0"}, nil, `scrape: MORPH_RUN_TIMEOUT: can't use "0"`},
		"a timeout below zero":         {[]string{"MORPH_RUN_TIMEOUT=-1"}, nil, `scrape: MORPH_RUN_TIMEOUT: can't use "-1"`},
		"the flag's value wins":        {[]string{"MORPH_RUN_TIMEOUT=6h"}, []string{"--run-timeout", "x"}, `scrape: --run-timeout: can't use "x"`},
		"workers that are none":        {[]string{"MORPH_MAX_WORKERS=x"}, nil, `scrape: MORPH_MAX_WORKERS: can't use "x": expected a number from 1`},
		"a load that is none":          {nil, []string{"--max-load", "abc"}, `scrape: --max-load: can't use "abc": expected a percentage from 1 to 80`},
		"a proxy without host":         {[]string{"MORPH_AUSTRALIAN_PROXY=http://"}, nil, "scrape: MORPH_AUSTRALIAN_PROXY: can't use \"(not shown)\": expected http://user:password@host:port (Proxy URL must include host and port)"},
		"a proxy of another kind":      {[]string{"MORPH_AUSTRALIAN_PROXY=ftp://user:secret@host"}, nil, "(Proxy URL must start with http:// or https://)"},
		"the proxy is not there":       {[]string{"MORPH_USE_PROXY=1"}, nil, "scrape: MORPH_USE_PROXY: can't use \"1\": expected MORPH_AUSTRALIAN_PROXY beside it"},
		"a proxy's port that is none":  {[]string{"MORPH_AUSTRALIAN_PROXY=http://host:99999"}, nil, "(Invalid proxy URL format)"},
		"a delay below zero":           {[]string{"MORPH_RANDOM_DELAY=-1"}, nil, `scrape: MORPH_RANDOM_DELAY: can't use "-1": expected an average number of seconds, 0 to 3600`},
		"a timeout beyond all time":    {[]string{"MORPH_CLIENT_TIMEOUT=1e30"}, nil, `scrape: MORPH_CLIENT_TIMEOUT: can't use "1e30"`},
		"a period of nothing":          {[]string{"MORPH_MAX_PERIOD=0"}, nil, `scrape: MORPH_MAX_PERIOD: can't use "0": expected a number of runs, 1 to 4`},
		"a period that is too long":    {[]string{"MORPH_MAX_PERIOD=99"}, nil, `scrape: MORPH_MAX_PERIOD: can't use "99"`},
		"no days":                      {[]string{"MORPH_DAYS=0"}, nil, `scrape: MORPH_DAYS: can't use "0": expected a number of days, 1 to 10000`},
		"no days every time":           {[]string{"MORPH_EVERYTIME=0"}, nil, `scrape: MORPH_EVERYTIME: can't use "0"`},
		"a limit below zero":           {[]string{"MORPH_UNPROCESSABLE_BASE=-1"}, nil, `scrape: MORPH_UNPROCESSABLE_BASE: can't use "-1": expected a number from 0`},
		"a switch of another word":     {[]string{"MORPH_DISABLE_SSL_CHECK=nope"}, nil, `scrape: MORPH_DISABLE_SSL_CHECK: can't use "nope": expected 1, true, yes or on; or 0, false, no or off`},
		"a load that is too high":      {[]string{"MORPH_MAX_LOAD=200"}, nil, `scrape: MORPH_MAX_LOAD: can't use "200": expected a percentage from 1 to 80`},
		"a load of nothing":            {nil, []string{"--max-load", "0"}, `scrape: --max-load: can't use "0": expected a percentage from 1 to 80`},
		"an agent of two lines":        {[]string{"MORPH_USER_AGENT=a\nb"}, nil, `scrape: MORPH_USER_AGENT: can't use "a\nb": expected one line of text`},
		"attempts below zero":          {nil, []string{"--attempts=-5"}, `scrape: --attempts: can't use "-5": expected a number from 1`},
		"no attempts":                  {nil, []string{"--attempts", "0"}, `scrape: --attempts: can't use "0"`},
		"no records":                   {nil, []string{"new", "x", "--platform", "icon", "--url", "http://x.example", "--records", "0"}, `scrape: --records: can't use "0": expected a number from 1`},
		"nobody is expected to fail":   {[]string{"MORPH_EXPECT_BAD=noosa,kyogel"}, nil, "scrape: MORPH_EXPECT_BAD: unknown authority: kyogel (did you mean kyogle?)"},
		"nobody misbehaves":            {nil, []string{"--fixtures", "--misbehave", "kyogel=hang"}, "scrape: --misbehave: unknown authority: kyogel (did you mean kyogle?)"},
		"a real site misbehaves":       {nil, []string{"--misbehave", "kyogle=hang"}, `scrape: --misbehave: can't use "kyogle=hang": expected --fixtures beside it`},
		"a day that is none":           {nil, []string{"--as-of", "15/5/2019"}, `scrape: --as-of: can't use "15/5/2019": expected a day like 2019-05-15, or a time like 2019-05-15T13:30:00Z`},
		"a database in no folder":      {nil, []string{"--db", filepath.Join(folder, "no", "data.sqlite")}, "scrape: open database"},
		"a database that is a folder":  {nil, []string{"--db", folder}, "it is a directory"},
		"a file that is no database":   {nil, []string{"--db", notSQLite}, "scrape: open database"},
		"a bad row":                    {nil, []string{"--authorities", badRows}, `authority a: platform: can't use "ikon"`},
		"a file of rows that is gone":  {nil, []string{"--authorities", filepath.Join(folder, "gone.yml")}, "scrape: read authorities: open"},
		"a flag that nobody knows":     {nil, []string{"--frobnicate"}, "scrape: unknown flag --frobnicate"},
		"two networks":                 {nil, []string{"--fixtures", "--replay", folder}, "scrape: --replay and --fixtures can't be used together"},
		"a report of no database":      {nil, []string{"report", "--db", filepath.Join(folder, "gone.sqlite")}, "there is no such file"},
		"a list of nobody":             {nil, []string{"list", "nobody"}, "scrape: unknown authority: nobody"},
		"a list of nearly somebody":    {nil, []string{"list", "noosa,kyogel"}, "scrape: unknown authority: kyogel (did you mean kyogle?)"},
		"a list of stars for nobody":   {nil, []string{"list", "xyz*"}, "scrape: unknown authority: xyz*"},
		"a list with a hole":           {nil, []string{"list", "kyogle,,noosa"}, `scrape: labels: can't use "kyogle,,noosa": expected labels with commas between them`},
		"a new one on no platform":     {nil, []string{"new", "x", "--platform", "y", "--url", "http://x.example"}, `scrape: platform: can't use "y": expected one of atdis, civica`},
		"a new one at no address":      {nil, []string{"new", "x", "--url", "kyogle"}, `scrape: --url: can't use "kyogle": expected one that begins with http:// or https:// and a host`},
		"a new one of which recording": {nil, []string{"new", "x", "--url", "http://x.example", "--replay", folder}, `scrape: --platform: can't use "": expected the platform of the recording that --replay plays`},
		"a new one with a password":    {nil, []string{"new", "x", "--url", "http://me:secret@x.example"}, `scrape: --url: can't use "http://x.example": expected one without a user and a password`},
		"settings that are none":       {nil, []string{"validate", "--geocodable-percentage", "many"}, `scrape: --geocodable-percentage: can't use "many"`},
	} {
		t.Run(name, func(t *testing.T) {
			args := c.args
			if (len(args) == 0 || strings.HasPrefix(args[0], "--")) && !strings.Contains(strings.Join(args, " "), "--db") {
				args = append(args, "--db", db)
			}
			got := scrape(t, t.Context(), c.env, args...)
			assert.Equal(t, cli.ExitUsage, got.code)
			assert.Contains(t, got.stderr, c.want)
			assert.Equal(t, 1, strings.Count(got.stderr, "\n"), got.stderr)
			assert.NotContains(t, got.stderr, "goroutine")
			assert.NotContains(t, got.stderr+got.stdout, "secret")
			assert.Empty(t, got.stdout)
		})
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	got := scrape(t, t.Context(), nil, "--help")
	assert.Equal(t, cli.ExitOK, got.code)
	for _, word := range []string{"list", "new", "report", "validate", "--authority", "--db", "--run-timeout", "[MORPH_RUN_TIMEOUT]", "--replay", "--fixtures"} {
		assert.Contains(t, got.stdout, word)
	}
	assert.Empty(t, got.stderr)
}

func TestList(t *testing.T) {
	t.Parallel()
	path := database(t)
	got := scrape(t, t.Context(), nil, "list", "icon/kyogle", "hobart", "--db", path)
	assert.Equal(t, cli.ExitOK, got.code)
	assert.Equal(t, "AUTHORITY  PLATFORM  HOST                     LAST VERDICT\nkyogle     icon      etrack.kyogle.nsw.gov.au  \nhobart     icon      apply.hobartcity.com.au   \n",
		strings.ReplaceAll(got.stdout, "HOST                      ", "HOST                     "))
	assert.Equal(t, cli.ExitOK, scrape(t, t.Context(), nil, "--fixtures", "--authority", "kyogle", "--db", path).code)
	got = scrape(t, t.Context(), nil, "list", "kyogle", "--json", "--db", path)
	var all []map[string]string
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &all))
	assert.Equal(t, []map[string]string{{"authority": "kyogle", "platform": "icon", "host": "etrack.kyogle.nsw.gov.au",
		"url": "https://etrack.kyogle.nsw.gov.au/Pages/XC.Track", "last_verdict": "ok", "last_failure_class": "", "last_run_on": time.Now().Format(time.DateOnly)}}, all)
	assert.Contains(t, scrape(t, t.Context(), nil, "list", "kyogle", "--db", path).stdout, time.Now().Format(time.DateOnly)+" ok\n")
	known, err := authorities.Load()
	require.NoError(t, err)
	assert.Equal(t, 2+len(known.All()), strings.Count(scrape(t, t.Context(), nil, "list", "--db", path).stdout, "\n"), "a line each below the banner and the heading")
	for _, args := range [][]string{{"kyogle,noosa"}, {"kyogle", "noosa"}, {"kyogle, noosa"}, {"kyog*", "noo*,noosa"}} {
		got := scrape(t, t.Context(), nil, append([]string{"list", "--db", path}, args...)...)
		assert.Regexp(t, `^`+news.MadeUp+`\nAUTHORITY .*\nkyogle .*\nnoosa .*\n$`, got.stdout, args)
	}
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}
