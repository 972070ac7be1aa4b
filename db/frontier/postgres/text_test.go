package postgres

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

// Whatever a host sends comes back as it was, and is a text that PostgreSQL keeps. What begins with a word still does.
func FuzzKept(f *testing.F) {
	for _, s := range []string{"", "plain", "größe 日本", "nul\x00", "\x01", "\x01\x01 1", "bad \xff\xc3", "\xed\xa0\x80", "�", "robots: \x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		k := kept(s)
		assert.Equal(t, s, given(k))
		assert.True(t, utf8.ValidString(k))
		assert.NotContains(t, k, "\x00")
		assert.Equal(t, strings.HasPrefix(s, "robots:"), strings.HasPrefix(k, "robots:"))
	})
}

// Two texts that differ are kept as two.
func TestKeptTellsTextsApart(t *testing.T) {
	seen := map[string]string{}
	for _, s := range []string{"", "\x00", "\x01", "\x0100", "00", "\x01\x00", "\x0101", "\xff", "\x01ff", "ff"} {
		assert.NotContains(t, seen, kept(s), "%q and %q", s, seen[kept(s)])
		seen[kept(s)] = s
	}
}
