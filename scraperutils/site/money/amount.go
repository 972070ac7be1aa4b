package money

import (
	"database/sql/driver"
	"strconv"
	"strings"

	"golang.org/x/text/currency"
)

// Amount is an amount of money. The zero Amount is none at all: 0.00 has a currency.
type Amount struct {
	Minor    int64  // in the currency's smallest unit, such as cents
	Currency string // its code in ISO 4217, such as EUR
}

// Decimal writes the amount without its currency: 1234.56, or 1234 where the currency has no smaller unit.
func (a Amount) Decimal() string {
	scale := 0
	if unit, err := currency.ParseISO(a.Currency); err == nil {
		scale, _ = currency.Standard.Rounding(unit)
	}
	digits := strconv.FormatInt(a.Minor, 10)
	digits, negative := strings.CutPrefix(digits, "-")
	if short := scale + 1 - len(digits); short > 0 {
		digits = strings.Repeat("0", short) + digits
	}
	if scale > 0 {
		digits = digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
	}
	if negative {
		return "-" + digits
	}
	return digits
}

// String writes the amount with its currency: 1234.56 EUR. None at all is "".
func (a Amount) String() string {
	if a == (Amount{}) {
		return ""
	}
	return a.Decimal() + " " + a.Currency
}

// Value is the amount as a column of a database holds it: its Decimal, as text so that it stays exact, and NULL for none at all. The
// currency needs a column of its own where there are several.
func (a Amount) Value() (driver.Value, error) {
	if a == (Amount{}) {
		return nil, nil
	}
	return a.Decimal(), nil
}
