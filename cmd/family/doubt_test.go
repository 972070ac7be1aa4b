package family

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities/register"
	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils/site"
)

// givingDated saves applications of which so many have a date.
func givingDated(n, dated int) scraperFunc {
	return func(ctx context.Context, v *site.Visit) error {
		for i := range n {
			a := application(i)
			if i < dated {
				a.Received = "2025-05-07"
			}
			if err := register.Save(ctx, v, a); err != nil {
				return err
			}
		}
		return nil
	}
}

// A council that has given 200 records all day gives one, without its date, and no error: everybody is told.
func TestImplausible(t *testing.T) {
	t.Parallel()
	path := database(t)
	night := func(scrape scraperFunc) ended {
		return scrapeInto(t, t.Context(), path, &runCommand{family: councils}, defaults(t), map[string]scraperFunc{"good": givingDated(5, 5), "thin": scrape})
	}
	for range 5 {
		require.Equal(t, cli.ExitOK, night(givingDated(200, 200)).code)
	}
	got := night(givingDated(1, 0))
	const doubts = "1 record, 200 earlier on the same day; date_received filled in 0%, usually in 100%"
	assert.Equal(t, cli.ExitUnexpected, got.code)
	assert.Equal(t, "ERROR: Unexpected errors in: thin (Add to MORPH_EXPECT_BAD?)\n  thin: implausible - "+doubts+"\n", got.stderr)
	last := rows(t, path, "SELECT * FROM scrape_log WHERE authority_label = 'thin' ORDER BY run_at DESC LIMIT 1")[0]
	assert.Equal(t, []string{"successful", "implausible", "quality", doubts}, []string{last["status"], last["verdict"], last["failure_class"], last["remark"]})
	history := rows(t, path, "SELECT * FROM authority_history WHERE authority_label = 'thin'")[0]
	assert.Equal(t, []string{"implausible", "5", "1"}, []string{history["last_verdict"], history["ok_count"], history["implausible_count"]})

	report := scrape(t, t.Context(), nil, "report", "--db", path)
	assert.Contains(t, report.stdout, "thin: implausible (quality), 1 record, well on ")
	assert.Contains(t, report.stdout, "    "+doubts+"\n")
	assert.Equal(t, cli.ExitOK, night(givingDated(180, 170)).code, "and it is well again")
	assert.Contains(t, scrape(t, t.Context(), nil, "report", "--db", path).stdout, "\nRecovered (1): bad the time before, well now\n  thin: ok, 180 records, after a bad run on ")
}
