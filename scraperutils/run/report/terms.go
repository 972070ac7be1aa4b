package report

import (
	"cmp"
	"strings"
	"time"
	"unicode/utf8"
)

// Terms is what the report calls things.
type Terms struct {
	Command   string         // by which runs are made; "scrape" where it is ""
	Site      string         // what one of its sites is called; "site" where it is ""
	Sites     string         // and several of them; Site with an s where it is ""
	ExpectBad string         // the variable that names those whose failure is expected; "EXPECT_BAD" where it is ""
	Zone      *time.Location // whose date is a run's; nil is UTC
}

func (t Terms) withDefaults() Terms {
	t.Command = cmp.Or(t.Command, "scrape")
	t.Site = cmp.Or(t.Site, "site")
	t.Sites = cmp.Or(t.Sites, t.Site+"s")
	t.ExpectBad = cmp.Or(t.ExpectBad, "EXPECT_BAD")
	t.Zone = cmp.Or(t.Zone, time.UTC)
	return t
}

// heading is a word as it begins a line.
func heading(word string) string {
	_, size := utf8.DecodeRuneInString(word)
	return strings.ToUpper(word[:size]) + word[size:]
}
