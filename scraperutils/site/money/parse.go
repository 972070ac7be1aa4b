package money

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/currency"
	"golang.org/x/text/language"
	"golang.org/x/text/width"

	"github.com/multiscraper/multiscraper/scraperutils"
)

// longestText is how long an amount may be, in bytes.
const longestText = 100

// Parse reads an amount as it is written in a locale, such as language.MustParse("de-AT"): with the locale's mark before the decimals;
// with the other of point and comma, a space or an apostrophe between thousands, or nothing; and with a symbol or a code of ISO 4217
// before or behind it. One without a currency is in that of the locale's country. $, ¥, £ and kr are those of that country where it
// has one of that name, and else of the United States, Japan, the United Kingdom and Sweden. Minus signs and accountants'
// parentheses count; 5.– and 5,-- have no cents.
//
// Empty text is the zero Amount and no error. A text that is no amount, one with more decimals than the currency has, and one without
// a currency where the locale names no country are a *scraperutils.UnprocessableRecord that says what is accepted.
func Parse(locale language.Tag, text string) (Amount, error) {
	if len(text) > longestText {
		return Amount{}, &scraperutils.UnprocessableRecord{Reason: fmt.Sprintf("a text of %d bytes is no amount of money", len(text))}
	}
	plain := oneLine(text)
	if plain == "" {
		return Amount{}, nil
	}
	r := reader{locale: locale, marks: marksOf(locale)}
	amount, why := r.read(plain)
	if why != "" {
		return Amount{}, &scraperutils.UnprocessableRecord{
			Reason: fmt.Sprintf("%q is no amount of money in %s: %s", scraperutils.Trim(text), locale, why),
		}
	}
	return amount, nil
}

// oneLine returns a text with one kind of space and of width, such as the ¥ of an ordinary keyboard.
func oneLine(text string) string {
	return strings.Join(strings.Fields(width.Narrow.String(text)), " ")
}

// reader reads an amount of one locale.
type reader struct {
	locale language.Tag
	marks  marks
}

var parts = regexp.MustCompile(`^([^0-9]*)([0-9](?:.*[0-9])?)([^0-9]*)$`)

// read returns an amount, or why a text is none.
func (r reader) read(text string) (Amount, string) {
	m := parts.FindStringSubmatch(text)
	if m == nil {
		return Amount{}, r.accepted()
	}
	before, digits, after := m[1], m[2], m[3]
	if mark := r.marks.decimal; strings.HasSuffix(before, mark) { // .50
		before, digits = strings.TrimSuffix(before, mark), "0"+mark+digits
	}
	if whole, ok := strings.CutPrefix(after, r.marks.decimal); ok { // 5.– has no cents
		after = strings.TrimLeft(whole, "-–—−")
	}
	before, after, negative, ok := signed(before, after)
	if !ok {
		return Amount{}, r.accepted()
	}
	unit, ok := r.currency(strings.Fields(before + " " + after))
	if !ok {
		return Amount{}, "expected a currency such as EUR, beside it or by the locale's country"
	}
	return r.amount(digits, unit, negative)
}

// signed takes the sign from what stands around the digits.
func signed(before, after string) (string, string, bool, bool) {
	before, after = strings.TrimSpace(before), strings.TrimSpace(after)
	signs := 0
	if strings.HasPrefix(before, "(") && strings.HasSuffix(after, ")") {
		before, after, signs = before[1:], after[:len(after)-1], 1
	}
	take := func(from string, cut func(s, sign string) (string, bool)) string {
		for _, sign := range []string{"-", "−", "–"} {
			if rest, ok := cut(from, sign); ok {
				signs++
				return strings.TrimSpace(rest)
			}
		}
		return from
	}
	before = take(before, strings.CutPrefix)
	before = take(before, strings.CutSuffix)
	after = take(after, strings.CutPrefix)
	after = take(after, strings.CutSuffix)
	return strings.TrimSpace(before), strings.TrimSpace(after), signs == 1, signs <= 1
}

// amount reads the digits: whole units in groups of three (or, but for the last, of two, as in India), and decimals.
func (r reader) amount(digits string, unit currency.Unit, negative bool) (Amount, string) {
	whole, decimals, _ := strings.Cut(digits, r.marks.decimal)
	whole, ok := r.marks.ungrouped(whole)
	scale, _ := currency.Standard.Rounding(unit)
	if !ok || strings.ContainsFunc(decimals, func(c rune) bool { return !unicode.IsDigit(c) }) {
		return Amount{}, r.accepted()
	}
	if len(decimals) > scale {
		if strings.Trim(decimals[scale:], "0") != "" {
			return Amount{}, fmt.Sprintf("expected at most %s of %s", scraperutils.Count(scale, "decimal"), unit)
		}
		decimals = decimals[:scale]
	}
	minor, err := strconv.ParseInt(whole+decimals+strings.Repeat("0", scale-len(decimals)), 10, 64)
	if err != nil {
		return Amount{}, "expected a smaller one"
	}
	if negative {
		minor = -minor
	}
	return Amount{Minor: minor, Currency: unit.String()}, ""
}

// accepted says how an amount is written.
func (r reader) accepted() string {
	return "expected one like 1" + r.marks.group + "234" + r.marks.decimal + "56, with a currency such as € or EUR or without"
}
