package authorities_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities/atdis"
	"github.com/multiscraper/multiscraper/authorities/register/registertest"
	"github.com/multiscraper/multiscraper/scraperutils"
)

// Every recorded feed gives its number of records, also one that breaks off or goes in a circle.
func TestRecordedFeeds(t *testing.T) {
	folder := councils(t)
	var cases []struct {
		Case, URL string
		From      string `json:"lodged_from"`
		To        string `json:"lodged_to"`
		Flaky     bool
		Records   int
	}
	readJSON(t, filepath.Join(folder, "atdis-cases.json"), &cases)
	require.NotEmpty(t, cases)
	for _, c := range cases {
		t.Run(c.Case, func(t *testing.T) {
			from, err := time.Parse(time.DateOnly, c.From)
			require.NoError(t, err)
			require.Equal(t, c.To, from.AddDate(0, 0, 30).Format(time.DateOnly), "the recording is of the period that is asked for")

			scraper, err := atdis.New(scraperutils.Authority{Label: c.Case, URL: c.URL}, atdis.Options{Timezone: "Australia/Sydney", Flaky: c.Flaky})
			require.NoError(t, err)
			recording := filepath.Join(folder, "cassettes", "atdis", c.Case+".yml")
			got, err := registertest.Replay(t, scraper, recording, c.To)
			require.NoError(t, err)
			assert.Len(t, got.Rows(), c.Records)
			assert.Empty(t, got.Rejected)
			for _, row := range got.Rows() {
				assert.Regexp(t, `^.+, [A-Z .'-]+, NSW \d{4}$`, row["address"])
				assert.GreaterOrEqual(t, row["date_received"], c.From)
				assert.LessOrEqual(t, row["date_received"], c.To)
			}
		})
	}
}
