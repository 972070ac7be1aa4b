package dates

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/language"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// longestText is how long a date may be, in bytes, with its day of the week, its time and white space.
const longestText = 200

// ParseIn reads a date as it is written in a locale, such as language.German or language.MustParse("en-AU"), and returns it as
// midnight UTC. With numbers alone the order is the locale's: 1/2/2026 is January 2nd in en-US, and February 1st in en-GB, en-AU and the
// other languages; English without a region, and en-CA, take it where it can only mean one day. Months and days of the week may be
// shortened. A year of two digits is one of 1970 to 2069. A date that begins with its year is read in every locale. What time of day
// follows is passed over, with its zone: the date is the one that is written.
//
// Languages are English, German, French, Spanish, Italian, Dutch and Portuguese; another is a *scraperutils.ConfigError. Empty text is
// the zero time and no error. A text that is no date, or one that the calendar does not have, is a
// *scraperutils.UnprocessableRecord that says what is accepted.
func ParseIn(locale language.Tag, text string) (time.Time, error) {
	base, _ := locale.Base()
	t := tongues[base.String()]
	if t == nil {
		return time.Time{}, &scraperutils.ConfigError{Name: "locale of dates", Value: locale.String(), Accepted: languages}
	}
	if len(text) > longestText {
		return time.Time{}, &scraperutils.UnprocessableRecord{Reason: fmt.Sprintf("a text of %d bytes is no date: %s", len(text), t.accepted(locale))}
	}
	folded := fold(text)
	if folded == "" {
		return time.Time{}, nil
	}
	if day, ok := t.parse(orderOf(locale), t.withoutTime(folded)); ok {
		return day, nil
	}
	return time.Time{}, &scraperutils.UnprocessableRecord{Reason: fmt.Sprintf("%q is no date in %s: %s", scraperutils.Trim(text), t.name, t.accepted(locale))}
}

// accepted says what a date may look like.
func (t *tongue) accepted(locale language.Tag) string {
	good := t.good
	switch orderOf(locale) {
	case monthFirst:
		good = "12/31/2026, December 31, 2026"
	case unsaid:
		good = "31 December 2026, December 31, 2026, or with a region such as en-US or en-GB 1/2/2026"
	}
	return "expected one like " + good + " or 2026-12-31"
}

// fold returns a text in lower case with plain letters, digits and spaces.
func fold(text string) string {
	plain := transform.Chain(norm.NFKD, runes.Remove(runes.In(unicode.Mn)), norm.NFC)
	folded, _, err := transform.String(plain, text)
	if err != nil {
		return text
	}
	return strings.Join(strings.Fields(strings.ToLower(folded)), " ")
}

var timeOfDay = regexp.MustCompile(`^(.*?\d{2})(?:t|,? (?:([a-z ]+) )?)(?:\d{1,2}[:h.]\d{2}(?:[:.]\d{2}(?:[.,]\d+)?)?|\d{1,2} ?(?:am|pm|h|uhr))(?: ?(?:am|pm|a\.m\.|p\.m\.|h|uhr|uur))?(?: ?(?:z|[a-z]{3,4}|(?:utc|gmt)?[+-]\d{2}:?\d{2}))?$`)

// withoutTime cuts a time of day off the end. The word before it, if any, is one of the language's own.
func (t *tongue) withoutTime(text string) string {
	m := timeOfDay.FindStringSubmatch(text)
	if m == nil || m[2] != "" && !slices.Contains(t.at, m[2]) {
		return text
	}
	return m[1]
}

var (
	yearFirst = regexp.MustCompile(`^(\d{4})([-/.])(\d{1,2})([-/.])(\d{1,2})$`)
	numbers   = regexp.MustCompile(`^(?:([a-z-]+)[.,]*,? )?(\d{1,2})([-/.]) ?(\d{1,2})([-/.]) ?(\d{4}|\d{2})\.?$`)
	words     = regexp.MustCompile(`^(?:([a-z-]+)[.,]*,? )?(?:([a-z]+) )?(\d{1,2})(?:st|nd|rd|th|er|re|o|a|°|\.)?[ -]?(?:([a-z]+) )?([a-z]+)[.,]*[ -](?:([a-z]+) )?(\d{4}|\d{2})$`)
	american  = regexp.MustCompile(`^(?:([a-z]+)[.,]*,? )?([a-z]+)\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})$`)
)

// parse reads a folded date without its time.
func (t *tongue) parse(o order, text string) (time.Time, bool) {
	if m := yearFirst.FindStringSubmatch(text); m != nil && m[2] == m[4] {
		return dayOn(m[1], number(m[3]), m[5])
	}
	if m := numbers.FindStringSubmatch(text); m != nil && m[3] == m[5] && t.isDay(m[1]) {
		return inOrder(o, m[2], m[4], m[6])
	}
	if m := words.FindStringSubmatch(text); m != nil && t.isDay(m[1]) && t.areSmall(m[2], m[4], m[6]) {
		return dayOn(m[7], t.month(m[5]), m[3])
	}
	if m := american.FindStringSubmatch(text); m != nil && t.name == "English" && t.isDay(m[1]) {
		return dayOn(m[4], t.month(m[2]), m[3])
	}
	return time.Time{}, false
}

// isDay reports whether a word may stand before a date. Small ones may, too: le 1er mai.
func (t *tongue) isDay(word string) bool {
	return word == "" || t.weekday(word) || t.areSmall(word)
}

func (t *tongue) areSmall(all ...string) bool {
	return !slices.ContainsFunc(all, func(word string) bool { return word != "" && !slices.Contains(t.small, word) })
}

// inOrder reads a date of three numbers. Where the order is not said, it must mean one day alone.
func inOrder(o order, first, second, year string) (time.Time, bool) {
	european, asDayFirst := dayOn(year, number(second), first)
	american, asMonthFirst := dayOn(year, number(first), second)
	switch {
	case o == dayFirst:
		return european, asDayFirst
	case o == monthFirst:
		return american, asMonthFirst
	case asDayFirst && asMonthFirst && !european.Equal(american):
		return time.Time{}, false
	case asDayFirst:
		return european, true
	default:
		return american, asMonthFirst
	}
}

// dayOn returns a day, if the calendar has it.
func dayOn(year string, month int, day string) (time.Time, bool) {
	y, d := number(year), number(day)
	switch {
	case len(year) == 2 && y < 70:
		y += 2000
	case len(year) == 2:
		y += 1900
	}
	date := time.Date(y, time.Month(month), d, 0, 0, 0, 0, time.UTC)
	return date, y > 0 && date.Year() == y && int(date.Month()) == month && date.Day() == d
}

// number reads digits that a pattern has found.
func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}
