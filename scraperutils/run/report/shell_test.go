package report

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// hostileWords are words of a database that is anybody's, and how they are written for a shell.
var hostileWords = map[string]string{
	"kyogle":                 "kyogle",
	"/tmp/a-b_c.d:e,f@g+h%i": "/tmp/a-b_c.d:e,f@g+h%i",
	"é/日本":                   "é/日本",
	"":                       "''",
	"/tmp/my evidence":       "'/tmp/my evidence'",
	"it's":                   `'it'\''s'`,
	"a; rm -rf ~":            "'a; rm -rf ~'",
	"$(reboot)":              "'$(reboot)'",
	"`reboot`":               "'`reboot`'",
	"=ls":                    "'=ls'",
	"^a":                     "'^a'",
	"a\nreboot\n":            `$'a\x0areboot\x0a'`,
	"\x1b]0;it's\\\x07":      `$'\x1b]0;it\'s\\\x07'`,
	"a\x00b\xffc\u0085":      `$'a\x00b\xffc\xc2\x85'`,
	"a\u202eb\u00a0c":        `$'a\xe2\x80\xaeb\xc2\xa0c'`,
}

func TestQuoted(t *testing.T) {
	for word, want := range hostileWords {
		assert.Equal(t, want, quoted(word), "%q", word)
	}
}

// What a shell makes of a quoted word is the word.
func TestShellReadsWhatIsQuoted(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash in PATH")
	}
	var script strings.Builder
	var words []string
	for word := range hostileWords {
		if !strings.Contains(word, "\x00") { // which no command line holds
			words = append(words, word)
			script.WriteString("printf '%s\\0' " + quoted(word) + "\n")
		}
	}
	out, err := exec.CommandContext(t.Context(), bash, "-c", script.String()).Output()
	require.NoError(t, err)
	assert.Equal(t, words, strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"))
}

func TestReplayCommand(t *testing.T) {
	assert.Equal(t, "scrape --authority kyogle --replay evidence/2025 --as-of 2025-05-07 --db replay.sqlite", councils.replay("kyogle", "", "evidence/2025", "2025-05-07"))
	assert.Equal(t, "scrape --authority 'a;reboot' --authorities 'my rows.yml' --replay=-e --as-of 2025-05-07 --db replay.sqlite", councils.replay("a;reboot", "my rows.yml", "-e", "2025-05-07"))
}

func FuzzQuoted(f *testing.F) {
	for word := range hostileWords {
		f.Add(word)
	}
	f.Fuzz(func(t *testing.T, word string) {
		text := quoted(word)
		assert.NotRegexp(t, "[\\x00-\\x1f\\x7f]", text, "nothing that a terminal obeys")
		if strings.ContainsAny(word, " ;&|<>()$`\\\"'*?[]#~=!{}\n") {
			assert.Regexp(t, `^\$?'[\s\S]*'$`, strings.ReplaceAll(text, `'\''`, ""))
		}
	})
}

func TestWhenARunIsPlayedAsOf(t *testing.T) {
	at := time.Date(2026, 11, 22, 13, 15, 0, 0, time.UTC)
	day := func(d int) time.Time { return time.Date(2026, 11, d, 0, 0, 0, 0, time.UTC) }
	assert.Equal(t, "2026-11-22T13:15:00Z", councils.asOf(runlog.Run{At: at.In(time.FixedZone("", 3600)), Day: day(22)}))
	assert.Equal(t, "2026-11-20", councils.asOf(runlog.Run{At: at, Day: day(20)}), "it was for another day")
}
