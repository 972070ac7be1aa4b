package crawlcmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// badValues are values that flags can't have.
var badValues = map[string][]string{
	"--frontier":     {"postgres://", "postgres://me:secret@host", "postgres://me:secret@:x/db", "postgres://me:secret@host:99999/db", "postgresql://me:secret@host/"},
	"--lease":        {"0", "0.5", "2h", "x"},
	"--scope":        {"hosts", "nothing", "a.example"},
	"--depth":        {"-1", "x", "1.5"},
	"--include":      {"(", "fine [a"},
	"--exclude":      {"*"},
	"--max-pages":    {"-1", "x"},
	"--max-per-host": {"-5", "many"},
	"--sitemaps":     {"maybe"},
	"--links":        {"all", "forms sources"},
	"--nofollow":     {"yes"},
	"--max-series":   {"-1"},
	"--max-variants": {"x"},
	"--sort-query":   {"2"},
	"--per-host":     {"0", "-1", "101", "two", "1.5"},
	"--max-load":     {"0", "81", "-5", "x", "NaN"},
	"--min-interval": {"-1", "25h", "soon"},
	"--requests":     {"0", "100001", "many", "-4"},
	"--retries":      {"-1", "1001", "x", "1.5"},
	"--retry-after":  {"0", "-1m", "never", "9000h"},
	"--down":         {"0", "-10m", "x"},
	"--accept":       {"text", "*/html", "text/*/x", ",", "te xt/html", "text/html;q=1", "/", "text/"},
	"--max-body":     {"0", "-1", "2GB", "10 apples", "0.1", "1e99", "MB"},
	"--redirects":    {"yes", "never", "follows"},
	"--timeout":      {"0", "2h", "x"},
	"--user-agent":   {"two\nlines", "bell\a"},
	"--proxy":        {"ftp://a:1", "http://", "a:99999", "http://a:0", "http://[::1"},
	"--amqp":         {"http://a/", "amqp://", "rabbit", "amqp://a b/"},
	"--out":          {"exchange", "/", ""},
	"--listen":       {"8080", "localhost", "localhost:x", "localhost:99999", "example.org:80", "0.0.0.0:0", ":0", "[::]:0"},
	"--listen-token": {"short", "with blanks in it and long", "sixteen-characters-é"},
	"--run-timeout":  {"0", "-1", "x", "9000h"},
	"--priority":     {"-1", "10", "high"},
	"--log-format":   {"xml"},
}

// badURLs are texts that are no URLs to be fetched.
var badURLs = []string{
	"example.org", "//example.org/", "http://", "http:///", "https://:80/", "ftp://example.org/", "file:///etc/passwd", "javascript:alert(1)", "mailto:a@example.org",
	"http://a b/", "http://[::1", "http://exa%mple/", "http://example.org:99999/", "http://example.org:x/", "http://me:secret@example.org/", "http://me@example.org/",
	"http://example.org/" + strings.Repeat("x", 9000), "about:blank", "data:text/plain,x", "ws://example.org/", "http://<>/", "http://1.2.3.4.5/", "http://256.256.256.256/",
	"\x1b[31mhttp", "\u202egro.elpmaxe", "C:\\windows", "/etc/passwd", "?page=1", "#top",
}

// Bad input is one clear line each, exit 2, and leaves nothing behind that was not there; a secret is not repeated.
func TestBadInput(t *testing.T) {
	t.Parallel()
	type badCall struct {
		args []string
		says string
		env  string // a variable as well
	}
	cases := map[string]badCall{}
	for flag, values := range badValues {
		for i, v := range values {
			if v == "" {
				continue
			}
			cases[flag+" "+v] = badCall{[]string{flag + "=" + v, "http://a.example/"}, flag, ""}
			if variable := "CRAWL_" + strings.ToUpper(strings.ReplaceAll(flag[2:], "-", "_")); i == 0 && flag != "--priority" && flag != "--log-format" {
				cases[variable+" "+v] = badCall{[]string{"http://a.example/"}, variable, variable + "=" + v}
			}
		}
	}
	for _, u := range badURLs {
		cases["add "+u[:min(len(u), 40)]] = badCall{[]string{"add", "--", u}, "crawl: \"", ""}
	}
	folder := t.TempDir()
	here := func(name, text string) string { return write(t, folder, name, text) }
	for name, c := range map[string]badCall{
		"add nothing":                    {[]string{"add"}, "nothing to add", ""},
		"add a file that is not there":   {[]string{"add", "-f", filepath.Join(folder, "none")}, "no such file", ""},
		"add a folder":                   {[]string{"add", "-f", folder}, "is a folder", ""},
		"add an empty file":              {[]string{"add", "-f", here("empty", "")}, "holds no URL", ""},
		"add a file of comments":         {[]string{"add", "-f", here("comments", "# a\n\n# b\n")}, "holds no URL", ""},
		"add without such a column":      {[]string{"add", "--column", "x", "-f", here("table.csv", "a,b\n1,2\n")}, "no column", ""},
		"a column without a file":        {[]string{"add", "--column", "x", "http://a.example/"}, "--column", ""},
		"an unknown flag":                {[]string{"--deep", "3", "http://a.example/"}, "unknown flag", ""},
		"a depth without links":          {[]string{"--depth", "3", "--keep", "http://a.example/"}, "--scope", ""},
		"an unknown flag of add":         {[]string{"add", "--keep", "http://a.example/"}, "unknown flag", ""},
		"a URL that is no URL":           {[]string{"--warc", "off", "example.org"}, "example.org", ""},
		"out without a broker":           {[]string{"--out", "x/y"}, "--amqp beside it", ""},
		"a queue without a broker":       {[]string{"--from-amqp", "q"}, "--amqp beside it", ""},
		"a broker for nothing":           {[]string{"--amqp", "amqp://me:secret@localhost/"}, "--out or --from-amqp", ""},
		"a broker that is not there":     {[]string{"--amqp", "amqp://me:secret@127.0.0.1:1/", "--out", "x/y"}, "127.0.0.1:1", ""},
		"a queue at no broker":           {[]string{"--amqp", "amqp://me:secret@127.0.0.1:1/", "--from-amqp", "q"}, "127.0.0.1:1", ""},
		"a token without an address":     {[]string{"--listen-token", "0123456789abcdef"}, "--listen beside it", ""},
		"WARC below a file":              {[]string{"--warc", filepath.Join(here("file", "x"), "warc")}, "not a directory", ""},
		"JSON lines into a folder":       {[]string{"--jsonl", folder}, folder, ""},
		"JSON lines below a file":        {[]string{"--jsonl", filepath.Join(here("file", "x"), "pages")}, "not a directory", ""},
		"a frontier that is a folder":    {[]string{"--frontier", folder, "http://a.example/"}, folder, ""},
		"a frontier below a file":        {[]string{"--frontier", filepath.Join(here("file", "x"), "f"), "http://a.example/"}, "not a directory", ""},
		"a frontier that is text":        {[]string{"--frontier", here("text.sqlite", strings.Repeat("no database ", 100)), "http://a.example/"}, "expected a frontier", ""},
		"a database that is not there":   {[]string{"status", "--frontier", "postgres://me:secret@127.0.0.1:1/crawl"}, "no PostgreSQL answers there", ""},
		"a run on one":                   {[]string{"--warc", "off", "--frontier", "postgres://me:secret@127.0.0.1:1/crawl"}, "postgres://me@127.0.0.1:1/crawl", ""},
		"status of text":                 {[]string{"status", "--frontier", here("text.sqlite", strings.Repeat("no database ", 100))}, "expected a frontier", ""},
		"status of none":                 {[]string{"status", "--frontier", filepath.Join(folder, "none.sqlite")}, "there is no frontier", ""},
		"hosts of none":                  {[]string{"hosts", "--frontier", filepath.Join(folder, "none.sqlite")}, "there is no frontier", ""},
		"failed of none":                 {[]string{"failed", "--frontier", filepath.Join(folder, "none.sqlite")}, "there is no frontier", ""},
		"export of none":                 {[]string{"export", "--frontier", filepath.Join(folder, "none.sqlite")}, "there is no frontier", ""},
		"host of none":                   {[]string{"host", "a", "--frontier", filepath.Join(folder, "none.sqlite")}, "there is no frontier", ""},
		"url of none":                    {[]string{"url", "http://a/", "--frontier", filepath.Join(folder, "none.sqlite")}, "there is no frontier", ""},
		"a URL that is none":             {[]string{"url", "a.example"}, "a.example", ""},
		"export since never":             {[]string{"export", "--since", "never"}, "--since", ""},
		"export of a state":              {[]string{"export", "--state", "lost"}, "--state", ""},
		"hosts, none of them":            {[]string{"hosts", "--limit", "0"}, "--limit", ""},
		"host without a name":            {[]string{"host"}, "expected", ""},
		"failed, fewer than none":        {[]string{"failed", "--limit", "-1"}, "--limit", ""},
		"a watch that does not rest":     {[]string{"status", "--watch", "--every", "1ms"}, "--every", ""},
		"a command with too many words":  {[]string{"status", "now"}, "unexpected argument", ""},
		"an address that is in no house": {[]string{"--listen", "192.0.2.1:80", "--listen-token", "0123456789abcdef"}, "--listen", ""},
	} {
		cases[name] = c
	}
	require.Greater(t, len(cases), 150)
	t.Logf("%d cases", len(cases))
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			place := t.TempDir()
			code, out, complaints := callIn(t, []string{c.env}, place, c.args...)
			assert.Equal(t, 2, code, complaints)
			assert.Empty(t, strings.ReplaceAll(out, "\n", ""))
			lines := strings.Split(strings.TrimSuffix(complaints, "\n"), "\n")
			assert.LessOrEqual(t, len(lines), 2, complaints)
			assert.Contains(t, complaints, c.says)
			assert.NotContains(t, complaints, "secret")
			assert.NotContains(t, complaints, "\x1b")
			assert.NotContains(t, complaints, "goroutine")
			assert.Less(t, len(complaints), 600)
		})
	}
	left, err := os.ReadFile(filepath.Join(folder, "file"))
	require.NoError(t, err)
	assert.Equal(t, "x", string(left))
}

// A line that is no URL is named with its number, and the rest is added.
func TestLinesThatAreNoURL(t *testing.T) {
	folder := t.TempDir()
	file := write(t, folder, "urls", "http://a.example/1\nnonsense\n\n# comment\nftp://a.example/\nhttp://a.example/2\n")
	code, out, complaints := call(t, folder, "add", "-f", file)
	assert.Zero(t, code)
	assert.Equal(t, "2 URLs added, 0 known already, 2 refused\n", out)
	assert.Contains(t, complaints, `line 2: "nonsense": no URL`)
	assert.Contains(t, complaints, `line 5: "ftp://a.example/": other scheme`)
	assert.Equal(t, 2, strings.Count(complaints, "\n"))
}
