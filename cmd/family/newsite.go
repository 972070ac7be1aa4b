package family

import (
	"github.com/PuerkitoBio/goquery"

	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
)

// New is what the subcommand new knows of a family's platforms. With none of it, it asks for the platform and tries the row as given.
type New struct {
	// Recognize tells by an address whose software a site is ("" where it can't), and what the url of its row is.
	Recognize func(address string) (platform, url string)
	// Guesses returns the options to try on a platform, the likeliest first. What is given replaces a guess.
	Guesses func(platform string, given []registry.Pair) [][]registry.Pair
	// Columns returns the headings of a table on a page, and Meaning what a scraper understands by one, or "".
	Columns func(table *goquery.Selection) []string
	Meaning func(s site.Scraper, heading string) string

	Flags func() RowFlags // returns further flags; nil is none
	File  string          // to which rows are added; "the registry" where it is ""
	Guide string          // where people read how to find an address, platform and options; "" is nowhere
}

// RowFlags is a pointer to a struct of flags, as kong reads them, that stand for keys of a row.
type RowFlags interface {
	// Pairs returns what was given.
	Pairs() []registry.Pair
}

func (n New) recognize(address string) (platform, url string) {
	if n.Recognize == nil {
		return "", address
	}
	return n.Recognize(address)
}

func (n New) guesses(platform string, given []registry.Pair) [][]registry.Pair {
	if n.Guesses == nil {
		return [][]registry.Pair{given}
	}
	return n.Guesses(platform, given)
}

// guide ends a sentence with where to read on.
func (n New) guide() string {
	if n.Guide == "" {
		return ""
	}
	return ": " + n.Guide + " says how to find them"
}
