package validate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities/validate"
	"github.com/multiscraper/multiscraper/scraperutils"
)

func chipShop() scraperutils.Record {
	return good().
		With("council_reference", "DA-2024/1").
		With("address", "5 Hill St, Lismore NSW 2480").
		With("description", "Fish & chip shop").
		With("info_url", "https://e.com/0")
}

func TestDetails(t *testing.T) {
	for _, c := range []struct {
		name, field, value, page string // field "": none is changed
		missing                  int
	}{
		{"as written", "", "", "DA-2024/1 5 Hill St, Lismore NSW 2480 Fish &amp; chip shop", 0},
		{"not as HTML", "", "", "DA-2024/1 5 Hill St, Lismore NSW 2480 Fish & chip shop", 1},
		{"reference without DA", "", "", "2024/1 5 Hill St, Lismore NSW 2480 Fish &amp; chip shop", 0},
		{"state and postcode swapped", "", "", "DA-2024/1 5 Hill St, Lismore 2480 NSW Fish &amp; chip shop", 0},
		{"no commas", "", "", "DA-2024/1 5 Hill St Lismore NSW 2480 Fish &amp; chip shop", 0},
		{"more spaces", "", "", "DA-2024/1 5  Hill   St, Lismore NSW 2480 Fish \n &amp; chip shop", 0},
		{"nothing", "", "", "x", 3},
		{"another case", "", "", "da-2024/1 5 HILL ST, LISMORE NSW 2480 fish &amp; chip shop", 2},
		{"spaces around a dash", "", "", "DA - 2024/1 5 Hill St, Lismore NSW 2480 Fish &amp; chip shop", 0},
		{"spaces around another dash", "address", "5 - 7 Hill St, Lismore", "DA-2024/1 5-7 Hill St, Lismore Fish &amp; chip shop", 0},
		{"more spaces in the record", "description", "Fish   &  chip shop", "DA-2024/1 5 Hill St, Lismore NSW 2480 Fish &amp; chip shop", 0},
		{"no state on the page", "address", "5 Hill St, Lismore NSW", "DA-2024/1 5 Hill St, Lismore Fish &amp; chip shop", 0},
		{"no postcode on the page", "", "", "DA-2024/1 5 Hill St, Lismore NSW Fish &amp; chip shop", 1},
		{"a state is a word", "address", "5 Hill St, LismoreNSW", "DA-2024/1 5 Hill St, Lismore Fish &amp; chip shop", 1},
		{"quotes", "description", `"Fish" < 'chip' > shop`, "DA-2024/1 5 Hill St, Lismore NSW 2480 &quot;Fish&quot; &lt; &#39;chip&#39; &gt; shop", 0},
		{"no DA inside a reference", "council_reference", "2024/DA-1", "2024/1 5 Hill St, Lismore NSW 2480 Fish &amp; chip shop", 1},
		{"no words swapped in a description", "description", "chip shop", "DA-2024/1 5 Hill St, Lismore NSW 2480 shop chip", 1},
		{"nothing to look for", "description", "", "DA-2024/1 5 Hill St, Lismore NSW 2480", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := chipShop()
			if c.field != "" {
				r = r.With(c.field, c.value)
			}
			check, out := checker()
			require.NoError(t, check.Details([]validate.Sample{{Record: r, Page: validate.Page{Status: 200, Body: c.page}}}))
			want := map[int]string{
				0: "100.0% detail checks passed (0/3 failed)!\n",
				1: "66.7% detail checks passed (1/3 failed)!\n",
				2: "33.3% detail checks passed (2/3 failed)!\n",
				3: "0.0% detail checks passed (3/3 failed)!\n",
			}[c.missing]
			assert.Equal(t, want, lastLine(out.String()), "%s", out)
		})
	}
}

func TestDetailsThatFail(t *testing.T) {
	page := func(status int, body string) []validate.Sample {
		return []validate.Sample{{Index: 8, Record: chipShop(), Page: validate.Page{Status: status, Body: body}}}
	}
	t.Run("broken page", func(t *testing.T) {
		check, _ := checker()
		err := check.Details(page(500, ""))
		var bad *scraperutils.UnprocessableRecord
		require.ErrorAs(t, err, &bad)
		assert.EqualError(t, err, "Expected 200 response, got 500")
	})
	t.Run("too much is missing", func(t *testing.T) {
		check, out := checker()
		check.Settings.InfoURL = validate.Threshold{Percentage: 75, Variation: 0}
		assertReason(t, "Too many failures: 1/2 passed (min required: 2)", check.Details(page(200, "DA-2024/1")))
		assert.Equal(t, "Checking info_url[8]: https://e.com/0 has the expected reference, address and description\n"+
			"  Missing address: 5 Hill St, Lismore NSW 2480\n", out.String())
	})
	t.Run("bots are kept out", func(t *testing.T) {
		for _, status := range []int{200, 403} {
			check, out := checker()
			check.Settings.BotCheckExpected = true
			require.NoError(t, check.Details(page(status, "captcha")))
			assert.Equal(t, "  Bot protection detected - skipping detailed checks\n", lastLine(out.String()))
		}
		check, _ := checker()
		assert.EqualError(t, check.Details(page(403, "captcha")), "Expected 200 response, got 403")
	})
}
