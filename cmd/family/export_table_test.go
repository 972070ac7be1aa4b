package family

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/db"
	"github.com/multiscraper/multiscraper/scraperutils"
)

// exported makes a database of councils with records that are hard to write down.
func exported(t *testing.T) (path string) {
	t.Helper()
	path = database(t)
	d, err := db.Open(t.Context(), path, db.Options{})
	require.NoError(t, err)
	ledger := d.Ledger("data", "authority_label", "council_reference")
	for i, text := range []string{"plain", "=1+1", `a, "b"`, "two\nlines", "\x1b[2J\U0001F600", "<&>"} {
		require.NoError(t, ledger.Save(scraperutils.Record{
			{Name: "council_reference", Value: fmt.Sprint("DA/", 9-i)}, {Name: "description", Value: text}, {Name: "cost", Value: 1000000 * float64(i)},
			{Name: "parcels", Value: i}, {Name: "plan", Value: []byte{0, byte(i)}}, {Name: "on_notice_to", Value: nil}, {Name: "date_scraped", Value: fmt.Sprintf("2026-11-2%d", i)},
			{Name: "authority_label", Value: []string{"noosa", "kyogle"}[i%2]},
		}))
	}
	require.NoError(t, ledger.Settle(t.Context()))
	require.NoError(t, d.Close())
	return path
}

func TestExport(t *testing.T) {
	t.Parallel()
	path := exported(t)
	whole := scrape(t, t.Context(), nil, "export", "--db", path)
	require.Equal(t, cli.ExitOK, whole.code, whole.stderr)
	lines, err := csv.NewReader(strings.NewReader(whole.stdout)).ReadAll()
	require.NoError(t, err)
	assert.Equal(t, [][]string{
		{"council_reference", "description", "cost", "parcels", "plan", "on_notice_to", "date_scraped", "authority_label"},
		{"DA/4", "<&>", "5000000", "5", "AAU=", "", "2026-11-25", "kyogle"},
		{"DA/6", "two\nlines", "3000000", "3", "AAM=", "", "2026-11-23", "kyogle"},
		{"DA/8", "=1+1", "1000000", "1", "AAE=", "", "2026-11-21", "kyogle"},
		{"DA/5", "\x1b[2J\U0001F600", "4000000", "4", "AAQ=", "", "2026-11-24", "noosa"},
		{"DA/7", `a, "b"`, "2000000", "2", "AAI=", "", "2026-11-22", "noosa"},
		{"DA/9", "plain", "0", "0", "AAA=", "", "2026-11-20", "noosa"},
	}, lines, "every value as it is, in an order that does not depend on the run")

	out := filepath.Join(t.TempDir(), "all.jsonl")
	got := scrape(t, t.Context(), nil, "export", "noo*", "--since", "2026-11-22", "--format", "jsonl", "-o", out, "--db", path)
	assert.Equal(t, ended{}, got)
	text, err := os.ReadFile(out)
	require.NoError(t, err)
	assert.Equal(t, `{"council_reference":"DA/5","description":"\u001b[2J`+"\U0001F600"+`","cost":4000000,"parcels":4,"plan":"AAQ=","on_notice_to":null,"date_scraped":"2026-11-24","authority_label":"noosa"}
{"council_reference":"DA/7","description":"a, \"b\"","cost":2000000,"parcels":2,"plan":"AAI=","on_notice_to":null,"date_scraped":"2026-11-22","authority_label":"noosa"}
`, string(text))
	var first map[string]any
	require.NoError(t, json.Unmarshal(text[:strings.IndexByte(string(text), '\n')], &first))
}

// What can't be exported is one line, and the file of before stays.
func TestBadExport(t *testing.T) {
	t.Parallel()
	path, empty := exported(t), database(t)
	d, err := db.Open(t.Context(), empty, db.Options{})
	require.NoError(t, err)
	require.NoError(t, d.Close())
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"a label":   {[]string{"kyogel", "--db", path}, "scrape: export: unknown authority: kyogel (did you mean kyogle?); `scrape list` shows all\n"},
		"a day":     {[]string{"--since", "yesterday", "--db", path}, "scrape: --since: can't use \"yesterday\": expected a day like 2019-05-15\n"},
		"a format":  {[]string{"--format", "xlsx", "--db", path}, "scrape: --format must be one of \"csv\",\"jsonl\" but got \"xlsx\"; scrape --help shows what there is\n"},
		"no table":  {[]string{"--db", empty}, fmt.Sprintf("scrape: --db: can't use %q: expected a database with a table data, which the first record makes\n", empty)},
		"no file":   {[]string{"--db", "nothing.sqlite"}, "there is no such file"},
		"no folder": {[]string{"-o", filepath.Join(empty, "x", "out.csv"), "--db", path}, "not a directory"},
	} {
		got := scrape(t, t.Context(), nil, append([]string{"export"}, c.args...)...)
		assert.Equal(t, cli.ExitUsage, got.code, name)
		assert.Contains(t, got.stderr, c.want, name)
		assert.Empty(t, got.stdout, name)
	}
}
