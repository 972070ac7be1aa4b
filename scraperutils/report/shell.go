package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// replay is the command that plays the recording of an authority's failure on a day. What stands in a database may be anybody's:
// no word of it is more to a shell than a word, nor more to a terminal than text.
func replay(label, file, evidence, day string) string {
	command := "scrape" + flag("authority", label)
	if file != "" {
		command += flag("authorities", file)
	}
	return command + flag("replay", evidence) + flag("as-of", day) + " --db replay.sqlite"
}

// flag is a flag with its value, of which a leading dash makes no flag of its own.
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
