package money

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/currency"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"
)

// marks are what a locale writes between digits.
type marks struct {
	decimal string // before the decimals
	group   string // between thousands; " " for a space of any kind
}

// marksOf learns a locale's marks from how it writes a number. One whose digits are not 0 to 9 is read as English. In Switzerland
// prices have the point in all languages, whatever other numbers have.
func marksOf(locale language.Tag) marks {
	if region, _ := locale.Region(); region.String() == "CH" || region.String() == "LI" {
		return marks{decimal: ".", group: "’"}
	}
	written := oneLine(message.NewPrinter(locale).Sprint(number.Decimal(1234567.5)))
	before, rest, ok := strings.Cut(written, "234")
	between, decimal, found := strings.Cut(rest, "567")
	decimal, half := strings.CutSuffix(decimal, "5")
	if !ok || !found || !half || before != "1"+between || decimal == "" || between == decimal {
		return marks{decimal: ".", group: ","}
	}
	return marks{decimal: decimal, group: between}
}

// groupings are the marks between thousands that are read where the decimals have another one: those of the locale's neighbors too,
// for an Austrian writes 1.234,56 whatever the standard says, and a Swiss two kinds of apostrophes.
var groupings = map[string]string{".": ", '’", ",": ". '’"}

// ungrouped takes the marks between thousands out.
func (m marks) ungrouped(whole string) (string, bool) {
	groups := []string{whole}
	indian := false
	if at := strings.IndexAny(whole, groupings[m.decimal]+m.group); at >= 0 {
		mark, _ := utf8.DecodeRuneInString(whole[at:])
		groups, indian = strings.Split(whole, string(mark)), mark == ','
	}
	for i, group := range groups {
		last := i == len(groups)-1
		whole := len(groups) == 1 || len(group) == 3 || i == 0 && len(group) < 3 || indian && i > 0 && !last && len(group) == 2
		if !onlyDigits(group) || !whole {
			return "", false
		}
	}
	return strings.Join(groups, ""), true
}

func onlyDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// symbols are the currencies that a symbol may mean, the usual one first.
var symbols = map[string][]string{
	"$": {"USD", "AUD", "NZD", "CAD", "SGD", "HKD", "TWD", "MXN", "ARS", "CLP", "COP", "UYU", "FJD", "JMD"}, "US$": {"USD"}, "A$": {"AUD"}, "AU$": {"AUD"}, "NZ$": {"NZD"},
	"C$": {"CAD"}, "CA$": {"CAD"}, "S$": {"SGD"}, "HK$": {"HKD"}, "NT$": {"TWD"}, "MX$": {"MXN"}, "R$": {"BRL"},
	"€": {"EUR"}, "£": {"GBP", "EGP", "FKP", "GIP", "SHP"}, "¥": {"JPY", "CNY"}, "円": {"JPY"}, "元": {"CNY"}, "₹": {"INR"}, "Rs": {"INR", "PKR", "LKR", "NPR", "MUR"}, "Rs.": {"INR", "PKR", "LKR", "NPR", "MUR"},
	"₩": {"KRW"}, "₺": {"TRY"}, "₴": {"UAH"}, "₪": {"ILS"}, "₫": {"VND"}, "₱": {"PHP"}, "฿": {"THB"}, "₽": {"RUB"}, "руб.": {"RUB"}, "kr": {"SEK", "NOK", "DKK", "ISK"}, "kr.": {"SEK", "NOK", "DKK", "ISK"},
	"Fr.": {"CHF"}, "SFr.": {"CHF"}, "zł": {"PLN"}, "Kč": {"CZK"}, "Ft": {"HUF"}, "lei": {"RON"}, "R": {"ZAR"}, "RM": {"MYR"}, "Rp": {"IDR"},
}

// currency returns the currency that stands beside an amount, or that of the locale's country. A symbol and a code may stand together
// where the symbol may mean the code: $5 NZD.
func (r reader) currency(beside []string) (currency.Unit, bool) {
	home, confidence := currency.FromTag(r.locale)
	var codes []string
	for _, name := range beside {
		codes = append(codes, codeOf(name, home))
	}
	code := ""
	switch {
	case len(beside) == 0:
		return home, confidence > language.Low
	case len(beside) == 1:
		code = codes[0]
	case len(beside) == 2 && (codes[0] == codes[1] || slices.Contains(symbols[beside[0]], codes[1])):
		code = codes[1]
	case len(beside) == 2 && slices.Contains(symbols[beside[1]], codes[0]):
		code = codes[0]
	}
	unit, err := currency.ParseISO(code)
	return unit, err == nil
}

// codeOf returns the code of a symbol or code, "" for what is neither.
func codeOf(named string, home currency.Unit) string {
	if codes := symbols[named]; slices.Contains(codes, home.String()) {
		return home.String()
	} else if len(codes) > 0 {
		return codes[0]
	}
	if unit, err := currency.ParseISO(named); err == nil && named == strings.ToUpper(named) {
		return unit.String()
	}
	return ""
}
