package atdis_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities/atdis"
	"github.com/multiscraper/multiscraper/scraperutils"
)

func TestServerErrors(t *testing.T) {
	second := func() *council {
		return &council{pages: map[string]string{"": feed(`"current": 1, "next": 2`, numbered(1))}}
	}
	t.Run("end a flaky feed", func(t *testing.T) {
		m, err := second().scrape(t, atdis.Options{Flaky: true})
		require.NoError(t, err)
		assert.Len(t, m.Rows(), 1)
		m, err = (&council{}).scrape(t, atdis.Options{Flaky: true})
		require.NoError(t, err)
		assert.Empty(t, m.Rows())
	})
	t.Run("are errors elsewhere", func(t *testing.T) {
		m, err := second().scrape(t, atdis.Options{})
		assert.ErrorContains(t, err, "fetch page 2 of the feed: 500 Internal Server Error for http")
		assert.Equal(t, scraperutils.ClassHTTP5xx, scraperutils.ClassOf(err))
		assert.Len(t, m.Rows(), 1, "what was read stays")
		_, err = (&council{}).scrape(t, atdis.Options{})
		assert.ErrorContains(t, err, "fetch page 1 of the feed: 500")
	})
	t.Run("of another kind are errors even there", func(t *testing.T) {
		s := second()
		s.status = http.StatusBadGateway
		_, err := s.scrape(t, atdis.Options{Flaky: true})
		assert.ErrorContains(t, err, "502")
	})
}

func TestLayoutErrors(t *testing.T) {
	for name, c := range map[string]struct{ json, want string }{
		"a page":             {"<html>Sorry</html>", "no JSON object in http"},
		"nothing":            {"", "no JSON object in http"},
		"a list":             {"[]", "no JSON object in http"},
		"cut off":            {`{"response": [`, "no JSON object in http"},
		"no response":        {`{"pagination": {}, "applications": []}`, "(found: applications, pagination)"},
		"an error in JSON":   {`{"error": "database is down"}`, "no list response in http"},
		"null":               {`null`, "no list response in http"},
		"response an object": {`{"pagination": {}, "response": {"application": {}}}`, "no list response in http"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := one(c.json).scrape(t, atdis.Options{})
			var layout *scraperutils.LayoutError
			require.ErrorAs(t, err, &layout)
			assert.ErrorContains(t, err, c.want)
		})
	}
}
