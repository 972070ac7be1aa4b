package dates_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/site/dates"
)

func TestParseIn(t *testing.T) {
	for locale, texts := range map[string]map[string]string{
		"en-US": {
			"1/2/2026": "2026-01-02", "12/31/26": "2026-12-31", "December 31, 2026": "2026-12-31", "Dec. 31 2026": "2026-12-31", "Sept 5th, 2026": "2026-09-05",
			"Thursday, December 31, 2026 at 11:59 PM EST": "2026-12-31", "31 December 2026": "2026-12-31", "1-2-2026": "2026-01-02", "7/4/1976 3:04pm": "1976-07-04",
		},
		"en-AU": {
			"1/2/2026": "2026-02-01", "31/12/2026 5:04:23 p.m.": "2026-12-31", "Thu 31st December 2026": "2026-12-31", "31-Dec-2026": "2026-12-31", "the 1st of May 2026": "2026-05-01",
			"Thursday the 31st of December 2026": "2026-12-31", "1\u00a0May\u00a02026": "2026-05-01", "December 31, 2026": "2026-12-31", "31.12.69": "2069-12-31", "31.12.70": "1970-12-31",
			"2026-12-31": "2026-12-31", "2026/12/31": "2026-12-31", "2026-12-31T23:59:59Z": "2026-12-31", "2026-12-31T23:59:59.123+10:00": "2026-12-31", "2026-12-31 23:59": "2026-12-31",
			"": "", " \u00a0\n": "",
		},
		"en":    {"13/2/2026": "2026-02-13", "2/13/2026": "2026-02-13", "2/2/2026": "2026-02-02", "3 May 2026": "2026-05-03", "1. May 2026": "2026-05-01"},
		"en-CA": {"2026-05-03": "2026-05-03", "13/2/2026": "2026-02-13"},
		"de": {
			"1.2.2026": "2026-02-01", "31.12.26": "2026-12-31", "31. 12. 2026": "2026-12-31", "31. Dezember 2026": "2026-12-31", "Donnerstag, den 31. Dez. 2026, 14:30 Uhr": "2026-12-31",
			"1. März 2026": "2026-03-01", "1. Maerz 2026": "2026-03-01", "1. Mrz 2026": "2026-03-01", "Do., 31.12.2026": "2026-12-31", "1. JÄNNER 2026": "2026-01-01", "1.2.2026 um 14.30 Uhr": "2026-02-01",
		},
		"de-CH": {"1.2.2026": "2026-02-01"},
		"fr": {
			"1er janvier 2026": "2026-01-01", "31/12/2026": "2026-12-31", "le 1/2/2026": "2026-02-01", "le 31 décembre 2026": "2026-12-31", "jeudi 31 déc. 2026 à 14h30": "2026-12-31", "14 JUILLET 2026": "2026-07-14",
			"1 août 2026": "2026-08-01", "1 aou\u0302t 2026": "2026-08-01", "5 févr. 2026": "2026-02-05", "5 juin 2026": "2026-06-05",
		},
		"es": {
			"31 de diciembre de 2026": "2026-12-31", "jueves, 31 de diciembre de 2026 a las 14:30": "2026-12-31", "1 de setiembre de 2026": "2026-09-01", "5 ene 2026": "2026-01-05", "31/12/2026": "2026-12-31",
			"1º de mayo de 2026": "2026-05-01",
		},
		"es-US": {"1/2/2026": "2026-02-01"},
		"it":    {"1º gennaio 2026": "2026-01-01", "giovedì 31 dicembre 2026 alle ore 14:30": "2026-12-31", "5 mag 2026": "2026-05-05", "1° maggio 2026": "2026-05-01", "31-12-2026": "2026-12-31"},
		"nl":    {"31 december 2026": "2026-12-31", "do 1 mrt. 2026": "2026-03-01", "31-12-2026 om 14:30 uur": "2026-12-31", "5 mei 2026": "2026-05-05", "5 okt 2026": "2026-10-05"},
		"pt-BR": {"31 de dezembro de 2026": "2026-12-31", "quinta-feira, 31 de dezembro de 2026 às 14h30": "2026-12-31", "1º de março de 2026": "2026-03-01", "5 set 2026": "2026-09-05", "31/12/2026": "2026-12-31"},
	} {
		for text, want := range texts {
			got, err := dates.ParseIn(language.MustParse(locale), text)
			require.NoError(t, err, "%s %s", locale, text)
			if want == "" {
				assert.True(t, got.IsZero())
				continue
			}
			assert.Equal(t, want, got.Format(time.DateOnly), "%s %s", locale, text)
		}
	}
}

func TestParseInRefusesWhatIsNone(t *testing.T) {
	for locale, texts := range map[string][]string{
		"en-US": {"31/12/2026", "2/30/2026", "soon", "2026", "May 2026", "May 32, 2026", "Smarch 1, 2026", "1/2/2026 late", "1/2-2026", "0/1/2026", "1/1/0000", "Closing 31 May 2026", "ma 5 2026", "1/2/126", "31.12.20 26", "1/2/2026 26", "foo 1/2/2026", "31 Dezember 2026"},
		"en":    {"1/2/2026", "14/13/2026"},
		"en-CA": {"1/2/2026"},
		"en-GB": {"12/31/2026", "29/2/2026"},
		"de":    {"31. décembre 2026", "12/31/2026", "ju 1 2026", "1. ju 2026", "Dezember 31, 2026", "31. of Dezember 2026", "1.2.2026 at 14:30"},
		"fr":    {"5 jui 2026", "1er foo 2026"},
	} {
		for _, text := range texts {
			got, err := dates.ParseIn(language.MustParse(locale), text)
			var bad *scraperutils.UnprocessableRecord
			require.ErrorAs(t, err, &bad, "%s %s became %s", locale, text, got)
			assert.Contains(t, err.Error(), text)
		}
	}
	for locale, want := range map[string]string{
		"en-US": `"x" is no date in English: expected one like 12/31/2026, December 31, 2026 or 2026-12-31`,
		"en-AU": `"x" is no date in English: expected one like 31/12/2026, 31 December 2026 or 2026-12-31`,
		"en":    `"x" is no date in English: expected one like 31 December 2026, December 31, 2026, or with a region such as en-US or en-GB 1/2/2026 or 2026-12-31`,
		"de-AT": `"x" is no date in German: expected one like 31.12.2026, 31. Dezember 2026 or 2026-12-31`,
		"ja":    `locale of dates: can't use "ja": expected de, en, es, fr, it, nl or pt, with a region or without, such as en-AU`,
	} {
		_, err := dates.ParseIn(language.MustParse(locale), " x ")
		assert.EqualError(t, err, want)
	}
	_, err := dates.ParseIn(language.German, strings.Repeat("1", 1000))
	assert.ErrorContains(t, err, "a text of 1000 bytes is no date")
}

// Each month is read by its name in each language, and none by another's.
func TestMonths(t *testing.T) {
	for base, names := range map[string]string{
		"en": "jan feb mar apr may jun jul aug sep oct nov dec", "de": "jan feb mär apr mai jun jul aug sep okt nov dez", "fr": "janv févr mars avr mai juin juil août sept oct nov déc",
		"es": "ene feb mar abr may jun jul ago sept oct nov dic", "it": "gen feb mar apr mag giu lug ago set ott nov dic", "nl": "jan feb mrt apr mei jun jul aug sep okt nov dec",
		"pt": "jan fev mar abr mai jun jul ago set out nov dez",
	} {
		for i, name := range strings.Fields(names) {
			got, err := dates.ParseIn(language.MustParse(base), "5 "+name+" 2026")
			require.NoError(t, err)
			assert.Equal(t, time.Month(i+1), got.Month(), "%s %s", base, name)
		}
	}
}

func FuzzParseIn(f *testing.F) {
	for _, text := range []string{"31.12.2026", "Thursday, December 31, 2026 at 11:59 PM EST", "1er août 2026", "quinta-feira, 31 de dezembro de 2026 às 14h30"} {
		for _, locale := range []string{"en-US", "en", "de", "fr", "pt"} {
			f.Add(locale, text)
		}
	}
	f.Fuzz(func(t *testing.T, locale, text string) {
		tag, err := language.Parse(locale)
		if err != nil {
			return
		}
		day, err := dates.ParseIn(tag, text)
		if err != nil || day.IsZero() {
			return
		}
		again, err := dates.ParseIn(tag, day.Format(time.DateOnly))
		if err != nil || !again.Equal(day) || day != day.Truncate(24*time.Hour) {
			t.Fatalf("%q became %s and then %s, %v", text, day, again, err)
		}
	})
}

func ExampleParseIn() {
	for _, locale := range []string{"en-US", "en-AU"} {
		day, err := dates.ParseIn(language.MustParse(locale), "3/4/2026")
		fmt.Println(locale, day.Format(time.DateOnly), err)
	}
	day, err := dates.ParseIn(language.German, "Donnerstag, 31. Dezember 2026, 14:30 Uhr")
	fmt.Println(day.Format(time.DateOnly), err)
	_, err = dates.ParseIn(language.German, "12/31/2026")
	fmt.Println(err)
	// Output:
	// en-US 2026-03-04 <nil>
	// en-AU 2026-04-03 <nil>
	// 2026-12-31 <nil>
	// "12/31/2026" is no date in German: expected one like 31.12.2026, 31. Dezember 2026 or 2026-12-31
}
