// Package money reads amounts as sites write them, without a float in between.
//
//	text "1.234,56 €" → Parse, with a locale → Amount{Minor: 123456, Currency: "EUR"} → a column: 1234.56
//
// The locale says which mark parts the decimals from the rest, by the data of Unicode's CLDR, and which currency an amount has that
// names none. A text that could mean another amount elsewhere, such as 1.23 in German or 1,23 in English, is an error: a price that
// is wrong by a factor of a hundred is worse than one that is missing.
//
// The package holds no state.
package money
