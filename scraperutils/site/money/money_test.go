package money_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site/money"
)

func TestParse(t *testing.T) {
	for locale, texts := range map[string]map[string]string{
		"en-AU": {
			"1,234.56": "1234.56 AUD", "$1,234.56": "1234.56 AUD", "$ 12": "12.00 AUD", "12.5": "12.50 AUD", "A$12.50": "12.50 AUD", "US$12.50": "12.50 USD", "NZ$12.50": "12.50 NZD", "EUR 12.50": "12.50 EUR",
			"12.50 EUR": "12.50 EUR", "$12.50 AUD": "12.50 AUD", "AUD $12.50": "12.50 AUD", "$12.50 NZD": "12.50 NZD", "-$12.50": "-12.50 AUD", "$-12.50": "-12.50 AUD", "($12.50)": "-12.50 AUD",
			"12.50-": "-12.50 AUD", "−12.50": "-12.50 AUD", "1234567.89": "1234567.89 AUD", "1 234 567.89": "1234567.89 AUD", "$.50": "0.50 AUD", "$5.–": "5.00 AUD", "12.5000": "12.50 AUD", "0": "0.00 AUD",
			"¥1,234": "1234 JPY", "￥１,２３４": "1234 JPY", "1,234\u00a0円": "1234 JPY", "£0.05": "0.05 GBP", "$1,234,567": "1234567.00 AUD", "": "", " \n": "",
		},
		"en-US": {"$12.50": "12.50 USD", "A$12.50": "12.50 AUD", "1'234.50": "1234.50 USD"},
		"en":    {"$12.50": "12.50 USD", "€12.50": "12.50 EUR", "12.50 CHF": "12.50 CHF"},
		"en-IN": {"₹12,34,567.80": "1234567.80 INR", "Rs. 1,23,456": "123456.00 INR"},
		"de-DE": {"1.234,56 €": "1234.56 EUR", "€ 1.234": "1234.00 EUR", "1 234,56": "1234.56 EUR", "1\u202f234,56": "1234.56 EUR", "5,-": "5.00 EUR", "5,-- €": "5.00 EUR", "5,— EUR": "5.00 EUR", "1234,5": "1234.50 EUR", "-0,05 €": "-0.05 EUR"},
		"de":    {"1.234,56 €": "1234.56 EUR"},
		"de-AT": {"€ 1.234,56": "1234.56 EUR", "€ 1 234,56": "1234.56 EUR"},
		"de-CH": {"CHF 1'234.50": "1234.50 CHF", "1’234.50": "1234.50 CHF", "Fr. 5.–": "5.00 CHF"},
		"fr-CH": {"CHF 1’234.50": "1234.50 CHF", "12.50": "12.50 CHF"},
		"fr-FR": {"1 234,56 €": "1234.56 EUR", "1\u202f234,56\u00a0€": "1234.56 EUR", "1.234,56 €": "1234.56 EUR"},
		"es-MX": {"$1,234.56": "1234.56 MXN"},
		"es-ES": {"1234,56 €": "1234.56 EUR"},
		"it-IT": {"€ 1.234,56": "1234.56 EUR"},
		"nl-NL": {"€ 1.234,56": "1234.56 EUR", "€ 5,-": "5.00 EUR"},
		"pt-BR": {"R$ 1.234,56": "1234.56 BRL", "R$1.234": "1234.00 BRL"},
		"ja-JP": {"¥1,234": "1234 JPY", "1,234円": "1234 JPY"},
		"zh-CN": {"¥1,234.50": "1234.50 CNY"},
		"sv-SE": {"1 234,50 kr": "1234.50 SEK"},
		"da-DK": {"1.234,50 kr.": "1234.50 DKK"},
		"ar-KW": {"KWD 1.234": "1.234 KWD"},
	} {
		for text, want := range texts {
			got, err := money.Parse(language.MustParse(locale), text)
			require.NoError(t, err, "%s %s", locale, text)
			assert.Equal(t, want, got.String(), "%s %s", locale, text)
		}
	}
}

func TestParseRefusesWhatIsNone(t *testing.T) {
	for name, c := range map[string]struct{ locale, text, want string }{
		"a German amount in English":    {"en-AU", "1.234,56", "expected one like 1,234.56, with a currency such as € or EUR or without"},
		"an English amount in German":   {"de-DE", "1,234.56", "expected one like 1.234,56"},
		"English cents in German":       {"de-DE", "12.50", "expected one like 1.234,56"},
		"German cents in English":       {"en-AU", "12,50", "expected one like 1,234.56"},
		"two marks between thousands":   {"de-DE", "1.234 567", "expected one like"},
		"a group that is too long":      {"en-AU", "1,2345", "expected one like"},
		"no first group":                {"en-AU", ",234", "expected"},
		"two amounts":                   {"en-AU", "$12.50 $10.00", "expected one like"},
		"a range":                       {"en-AU", "10-12", "expected one like"},
		"words":                         {"en-AU", "from $12.50", "expected a currency"},
		"a unit":                        {"en-AU", "$12.50 per kg", "expected a currency"},
		"free":                          {"en-AU", "free", "expected one like"},
		"a footnote":                    {"en-AU", "$45²", "expected a currency"},
		"too many decimals":             {"en-AU", "1.799", "expected at most 2 decimals of AUD"},
		"decimals of what has none":     {"ja-JP", "¥1.5", "expected at most 0 decimals of JPY"},
		"no currency, no country":       {"en", "12.50", "expected a currency such as EUR, beside it or by the locale's country"},
		"two currencies":                {"en-AU", "€12.50 AUD", "expected a currency"},
		"two signs":                     {"en-AU", "-12.50-", "expected one like"},
		"more than there is":            {"en-AU", "99999999999999999999", "expected a smaller one"},
		"a currency that there is none": {"en-AU", "12.50 XQX", "expected a currency"},
		"a word that is a code":         {"en-AU", "12.50 all", "expected a currency"},
		"digits of another script":      {"en-AU", "١٢", "expected one like"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := money.Parse(language.MustParse(c.locale), c.text)
			var bad *scraperutils.UnprocessableRecord
			require.ErrorAs(t, err, &bad, got)
			assert.ErrorContains(t, err, fmt.Sprintf("%q is no amount of money in %s: ", c.text, c.locale))
			assert.ErrorContains(t, err, c.want)
			assert.Zero(t, got)
		})
	}
	_, err := money.Parse(language.English, strings.Repeat("1", 1000))
	assert.EqualError(t, err, "a text of 1000 bytes is no amount of money")
}

// An amount is a column of a record: exact text, or NULL.
func TestAmountAsAColumn(t *testing.T) {
	r, err := scraperutils.RecordOf(struct {
		Price   money.Amount  `field:"price"`
		Free    money.Amount  `field:"free"`
		None    money.Amount  `field:"none"`
		Pointer *money.Amount `field:"pointer"`
		Least   money.Amount  `field:"least"`
	}{Price: money.Amount{Minor: 450, Currency: "AUD"}, Free: money.Amount{Currency: "AUD"}, Least: money.Amount{Minor: math.MinInt64, Currency: "JPY"}})
	require.NoError(t, err)
	assert.Equal(t, scraperutils.Record{{Name: "price", Value: "4.50"}, {Name: "free", Value: "0.00"}, {Name: "none"}, {Name: "pointer"}, {Name: "least", Value: "-9223372036854775808"}}, r)
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"$1,234.56", "1.234,56 €", "CHF 1'234.50", "(12)", "5,--", "￥１,２３４", "12,34,567.80"} {
		for _, locale := range []string{"en-AU", "de-DE", "de-CH", "fr-FR", "en-IN", "ja-JP", "ar-EG"} {
			f.Add(locale, text)
		}
	}
	f.Fuzz(func(t *testing.T, locale, text string) {
		tag, err := language.Parse(locale)
		if err != nil {
			return
		}
		got, err := money.Parse(tag, text)
		if err != nil || got == (money.Amount{}) {
			return
		}
		again, err := money.Parse(language.MustParse("en-AU"), got.String())
		if err != nil || again != got {
			t.Fatalf("%q in %s became %s and then %s, %v", text, locale, got, again, err)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	tag := language.MustParse("de-DE")
	for b.Loop() {
		if _, err := money.Parse(tag, "1.234,56 €"); err != nil {
			b.Fatal(err)
		}
	}
}

func ExampleParse() {
	for _, c := range []struct{ locale, text string }{{"en-AU", "$1,234.56"}, {"de-DE", "1.234,56 €"}, {"ja-JP", "¥1,234"}} {
		amount, err := money.Parse(language.MustParse(c.locale), c.text)
		fmt.Println(amount.Minor, amount.Currency, amount, err)
	}
	_, err := money.Parse(language.MustParse("de-DE"), "12.50 €")
	fmt.Println(err)
	// Output:
	// 123456 AUD 1234.56 AUD <nil>
	// 123456 EUR 1234.56 EUR <nil>
	// 1234 JPY 1234 JPY <nil>
	// "12.50 €" is no amount of money in de-DE: expected one like 1.234,56, with a currency such as € or EUR or without
}
