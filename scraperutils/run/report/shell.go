package report

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
	"github.com/multiscraper/multiscraper/scraperutils/site/dates"
)

// replay returns the command that plays the recording of a site's failure, as of a day or a time. Values from a database are
// untrusted: to a shell each is one word, and to a terminal plain text.
func (t Terms) replay(label, file, evidence, asOf string) string {
	command := t.Command + flag(t.Site, label)
	if file != "" {
		command += flag(t.Sites, file)
	}
	return command + flag("replay", evidence) + flag("as-of", asOf) + " --db replay.sqlite"
}

// asOf returns the value of --as-of that repeats the requests of a run: its time, because the day may differ in a site's own time
// zone. For a run as of another day it is that day.
func (t Terms) asOf(r runlog.Run) string {
	if r.Day.Equal(dates.Today(r.At, t.Zone)) {
		return r.At.UTC().Format(time.RFC3339)
	}
	return r.Day.Format(time.DateOnly)
}

// flag returns a flag with its value. A value that begins with a dash is not taken for a flag.
func flag(name, value string) string {
	if strings.HasPrefix(value, "-") {
		return " --" + name + "=" + quoted(value)
	}
	return " --" + name + " " + quoted(value)
}

// quoted writes a word for a shell: as it is where it is plain, else in quotes, and what does not print as bash and zsh spell it.
func quoted(word string) string {
	switch {
	case !utf8.ValidString(word) || strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsPrint(r) }):
		return spelt(word)
	case word == "" || strings.ContainsFunc(word, special):
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}

// special reports whether a character may mean something to a shell.
func special(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) && !strings.ContainsRune("@%+:,./-_", r)
}

// spelt writes a word in $'…', the bytes of what does not print in hexadecimal.
func spelt(word string) string {
	var b strings.Builder
	b.WriteString("$'")
	for len(word) > 0 {
		r, size := utf8.DecodeRuneInString(word)
		switch {
		case r == '\'' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == utf8.RuneError && size == 1, !unicode.IsPrint(r):
			for _, c := range []byte(word[:size]) {
				fmt.Fprintf(&b, `\x%02x`, c)
			}
		default:
			b.WriteRune(r)
		}
		word = word[size:]
	}
	b.WriteByte('\'')
	return b.String()
}
