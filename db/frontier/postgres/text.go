package postgres

import (
	"strings"
	"unicode/utf8"
)

// PostgreSQL keeps texts of UTF-8 without NUL, but what hosts send may be anything. What it can't keep, and escape itself, is written
// as escape and two hexadecimal digits.
const escape = '\x01'

const hexDigits = "0123456789abcdef"

// kept returns a text as it is kept.
func kept(s string) string {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 && strings.IndexByte(s, escape) < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == 0 || r == escape || r == utf8.RuneError && n == 1 {
			b.Write([]byte{escape, hexDigits[s[i]>>4], hexDigits[s[i]&15]})
		} else {
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// given returns a text as it was given to kept.
func given(s string) string {
	if strings.IndexByte(s, escape) < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == escape && i+2 < len(s) {
			b.WriteByte(byte(strings.IndexByte(hexDigits, s[i+1])<<4 | strings.IndexByte(hexDigits, s[i+2])))
			i += 2
		} else {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}
