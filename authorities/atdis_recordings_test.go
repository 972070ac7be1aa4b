package authorities_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities/atdis"
	"github.com/multiscraper/multiscraper/authorities/register/registertest"
	"github.com/multiscraper/multiscraper/scraperutils/site"
	"github.com/multiscraper/multiscraper/scraperutils/web/cassette"
)

// feedOf is a recorded page of a feed, as the standard names its parts.
type feedOf struct {
	Response []struct {
		Application struct {
			Info struct {
				ID          string  `json:"dat_id"`
				Description string  `json:"description"`
				Lodged      *string `json:"lodgement_date"`
				NoticeFrom  *string `json:"notification_start_date"`
				NoticeTo    *string `json:"notification_end_date"`
			} `json:"info"`
			Reference struct {
				InfoURL string `json:"more_info_url"`
			} `json:"reference"`
			Locations []struct {
				Address struct{ Street, Suburb, State, Postcode string } `json:"address"`
			} `json:"locations"`
		} `json:"application"`
	} `json:"response"`
}

// recordedApplications reads the pages of a recording one by one, without the scraper, and returns what each application must
// become, by reference.
func recordedApplications(t *testing.T, recording, day string) map[string]map[string]string {
	t.Helper()
	tape, err := cassette.Load(recording)
	require.NoError(t, err)
	all := map[string]map[string]string{}
	client := &http.Client{Transport: tape.Player()}
	for _, n := range tape.Interactions {
		response, err := client.Get(n.Request.URL)
		require.NoError(t, err)
		var page feedOf
		if response.StatusCode == http.StatusOK {
			require.NoError(t, json.NewDecoder(response.Body).Decode(&page))
		}
		require.NoError(t, response.Body.Close())
		for _, item := range page.Response {
			a := item.Application
			reference, err := url.QueryUnescape(a.Info.ID)
			require.NoError(t, err)
			place := a.Locations[0].Address
			row := map[string]string{
				"council_reference": reference, "description": a.Info.Description, "info_url": a.Reference.InfoURL, "date_scraped": day,
				"address": place.Street + ", " + place.Suburb + ", " + place.State + " " + place.Postcode,
			}
			for field, stamp := range map[string]*string{"date_received": a.Info.Lodged, "on_notice_from": a.Info.NoticeFrom, "on_notice_to": a.Info.NoticeTo} {
				if stamp != nil {
					row[field] = dateOf(t, *stamp)
				}
			}
			all[reference] = row
		}
	}
	return all
}

// dateOf is the date in Sydney of a timestamp, or the date itself as one of the councils writes it.
func dateOf(t *testing.T, stamp string) string {
	t.Helper()
	if day, err := time.Parse("02/01/2006", stamp); err == nil {
		return day.Format(time.DateOnly)
	}
	at, err := time.Parse(time.RFC3339, stamp)
	require.NoError(t, err)
	sydney, err := time.LoadLocation("Australia/Sydney")
	require.NoError(t, err)
	return at.In(sydney).Format(time.DateOnly)
}

// Every recorded feed gives its applications, field by field, also one that breaks off or goes in a circle.
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
	require.Len(t, cases, len(recordingsIn(t, folder, "atdis")))
	for _, c := range cases {
		t.Run(c.Case, func(t *testing.T) {
			from, err := time.Parse(time.DateOnly, c.From)
			require.NoError(t, err)
			require.Equal(t, c.To, from.AddDate(0, 0, 30).Format(time.DateOnly), "the recording is of the period that is asked for")

			scraper, err := atdis.New(site.Site{Label: c.Case, URL: c.URL}, atdis.Options{Timezone: "Australia/Sydney", Flaky: c.Flaky})
			require.NoError(t, err)
			recording := filepath.Join(folder, "cassettes", "atdis", c.Case+".yml")
			got, err := registertest.Replay(t, scraper, recording, c.To)
			require.NoError(t, err)
			assert.Equal(t, recordedApplications(t, recording, c.To), got.ByReference)
			assert.Len(t, got.ByReference, c.Records)
			assert.Empty(t, got.Rejected)
			assert.Empty(t, got.Skipped)
			for _, row := range got.ByReference {
				assert.GreaterOrEqual(t, row["date_received"], c.From)
				assert.LessOrEqual(t, row["date_received"], c.To)
			}
		})
	}
}
