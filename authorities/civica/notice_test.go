package civica_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/authorities/civica"
	"github.com/multiscraper/multiscraper/scraperutils"
)

func TestNoticePeriod(t *testing.T) {
	type rows = [][4]string
	for name, c := range map[string]struct {
		summary  string
		rows     rows
		from, to string // "" is none
	}{
		"neighbours":                   {tasks, rows{{"Notification to Neighbours", "1/2/2019", "x", "3/2/2019"}}, "2019-02-01", "2019-02-03"},
		"advertised":                   {tasks, rows{{"Advert-Went/Courier 30 Days", "1/2/2019", "x", "3/2/2019"}}, "2019-02-01", "2019-02-03"},
		"notification":                 {tasks, rows{{" Notification\n", " 1/2/2019 ", "x", "3/2/2019"}}, "2019-02-01", "2019-02-03"},
		"the other table":              {"Tasks Associated with this Development Application", rows{{"Notification", "1/2/2019", "", "3/2/2019"}}, "2019-02-01", "2019-02-03"},
		"the table in capitals":        {strings.ToUpper(tasks), rows{{"Notification", "1/2/2019", "", "3/2/2019"}}, "2019-02-01", "2019-02-03"},
		"the latest opening":           {tasks, rows{{"Notification", "1/3/2019", "", "5/3/2019"}, {"Notification to Neighbours", "10/12/2019", "", ""}, {"Notification", "9/11/2019", "", "11/11/2019"}}, "2019-12-10", ""},
		"of two on one day the first":  {tasks, rows{{"Notification", "1/3/2019", "", "5/3/2019"}, {"Notification", "1/3/2019", "", "6/3/2019"}}, "2019-03-01", "2019-03-05"},
		"not opened yet":               {tasks, rows{{"Notification", "", "", ""}}, "", ""},
		"opened or not":                {tasks, rows{{"Notification", "", "", "9/9/2019"}, {"Notification", "1/2/2019", "", "3/2/2019"}}, "2019-02-01", "2019-02-03"},
		"completed only":               {tasks, rows{{"Notification", "", "", "3/2/2019"}}, "", "2019-02-03"},
		"a stage nobody has seen":      {tasks, rows{{"Advertised - Website", "1/2/2019", "", "3/2/2019"}}, "", ""},
		"a name in another case":       {tasks, rows{{"NOTIFICATION", "1/2/2019", "", "3/2/2019"}}, "", ""},
		"a name that contains one":     {tasks, rows{{"Notification letters", "1/2/2019", "", "3/2/2019"}}, "", ""},
		"no stages":                    {tasks, nil, "", ""},
		"another table":                {"Fees", rows{{"Notification", "1/2/2019", "", "3/2/2019"}}, "", ""},
		"broken dates of other stages": {tasks, rows{{"Referral", "soon", "", "later"}, {"Notification", "1/2/2019", "", "3/2/2019"}}, "2019-02-01", "2019-02-03"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &council{list: results(application(0, "1 High St", "Application No.", "1")), details: []string{detail(c.summary, c.rows...)}}
			m, err := s.advertised(t, civica.Options{NoticePeriod: true})
			require.NoError(t, err)
			require.Len(t, m.Rows(), 1, m.Rejected)
			assert.Equal(t, c.from, m.Rows()[0]["on_notice_from"])
			assert.Equal(t, c.to, m.Rows()[0]["on_notice_to"])
			assert.Equal(t, "GET /eservice/daEnquiryDetails.do?index=0", s.log[1])
			assert.Contains(t, s.from[0], listPath, "the list is the referrer")
		})
	}
	t.Run("a row that is too short", func(t *testing.T) {
		s := &council{list: results(application(0, "1 High St", "Application No.", "1")), details: []string{`<table summary="` + tasks + `"><tr><td><td>Notification<td>1/2/2019</table>`}}
		m, err := s.advertised(t, civica.Options{NoticePeriod: true})
		require.NoError(t, err)
		assert.NotContains(t, m.Rows()[0], "on_notice_from")
	})
}

func TestNoticePeriodFailures(t *testing.T) {
	for name, c := range map[string]struct{ application, detail, rejected string }{
		"a broken opening":    {application(0, "1 High St", "Application No.", "1"), detail(tasks, [4]string{"Notification", "31/2/2019", "", ""}), `1: stage Notification: "31/2/2019" is no date`},
		"a broken completion": {application(0, "1 High St", "Application No.", "1"), detail(tasks, [4]string{"Notification", "1/2/2019", "", "soon"}), `1: stage Notification: "soon" is no date`},
		"no link":             {`<h4>1 High St</h4>` + block("Application No.", "1"), "", `1: no link to the detail page beside 1 High St`},
	} {
		t.Run(name, func(t *testing.T) {
			s := &council{list: results(c.application, application(1, "2 High St", "Application No.", "2")), details: []string{c.detail, ""}}
			m, err := s.advertised(t, civica.Options{NoticePeriod: true})
			require.NoError(t, err)
			require.Len(t, m.Rejected, 1)
			assert.Contains(t, m.Rejected[0], c.rejected)
			assert.Contains(t, m.ByReference, "2", "the others go on")
		})
	}
	t.Run("a page that fails", func(t *testing.T) {
		s := &council{list: results(application(0, "1 High St", "Application No.", "DA/1"), application(7, "2 High St", "Application No.", "DA/2")), details: []string{""}}
		m, err := s.advertised(t, civica.Options{NoticePeriod: true})
		var status *scraperutils.StatusError
		require.ErrorAs(t, err, &status)
		assert.ErrorContains(t, err, "fetch detail of DA/2: 404 Not Found for http")
		assert.Len(t, m.Rows(), 1, "what was read stays")
	})
	t.Run("a date that is broken in the list already costs no page", func(t *testing.T) {
		s := &council{list: results(application(0, "1 High St", "Application No.", "1", "Date Lodged", "soon"))}
		_, err := s.advertised(t, civica.Options{NoticePeriod: true})
		require.NoError(t, err)
		assert.Len(t, s.log, 1)
	})
}
