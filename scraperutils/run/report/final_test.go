package report_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/run/report"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

func TestReportTable(t *testing.T) {
	outcomes := []runlog.Outcome{
		{Authority: "good", Saved: 10, Verdict: runlog.OK},
		{Authority: "cut", Saved: 5, Unprocessable: 1, Err: errors.New("Part way"), Verdict: runlog.Partial, Class: "other"},
		{Authority: "broken", Unprocessable: 7, Err: errors.New("It is BROKEN\nindeed"), Verdict: runlog.Failed, Class: "other"},
		{Authority: "empty", Verdict: runlog.Empty},
		{Authority: "quiet", Verdict: runlog.Silent},
	}
	r := report.New(outcomes, []string{"broken", "cut"}, report.Councils)
	assert.Equal(t, `MORPH_EXPECT_BAD=broken, cut

Scraping Summary:
Authority                OK    Bad Exception
-------------------- ------ ------ --------------------------------------------------
good                     10      0 -
cut                       5      1 [EXPECT BAD] other - Part way
broken                    0      7 [EXPECT BAD] other - It is BROKEN indeed
empty                     0      0 -
quiet                     0      0 silent - it used to give records and has given none for too long
`, r.Table())
	assert.Equal(t, []string{"ERROR: Unexpected errors in: quiet (Add to MORPH_EXPECT_BAD?)", "  quiet: silent - it used to give records and has given none for too long"}, r.Problems())

	assert.Equal(t, []string{
		"WARNING: Remove good from MORPH_EXPECT_BAD as it now works!",
		"ERROR: Unexpected errors in: cut,broken (Add to MORPH_EXPECT_BAD?)", "  cut: other - Part way", "  broken: other - It is BROKEN indeed",
	}, report.New(outcomes[:4], []string{"good", "empty", "nosuch"}, report.Councils).Problems())
	assert.Empty(t, report.New(outcomes[:4], []string{"cut", "broken"}, report.Councils).Problems())

	wide := strings.Split(report.New([]runlog.Outcome{{Authority: "a_council_with_a_long_label", Saved: 1}}, nil, report.Councils).Table(), "\n")
	assert.Equal(t, "a_council_with_a_long_label      1      0 -", wide[5])
	assert.Equal(t, "Authority                       OK    Bad Exception", wide[3], "a long label makes the column wider")

	long := report.New([]runlog.Outcome{{Authority: "good", Saved: 10, Err: errors.New(strings.Repeat("e", 400)), Class: "other"}}, nil, report.Councils).Table()
	lines := strings.Split(strings.TrimSpace(long), "\n")
	assert.Len(t, lines[len(lines)-1], len("good                     10      0 ")+250)
}

// A turn that was held for too long is told wherever an outcome is, and makes no failure.
func TestOverdueThatEndsWell(t *testing.T) {
	const remark = "held its turn for longer than 60s"
	h := open(t, filepath.Join(t.TempDir(), "data.sqlite"), runAt)
	h.ran(t, runAt, runlog.FromNetwork, runlog.Outcome{Authority: "slow", Saved: 1, Overdue: true}, runlog.Outcome{Authority: "good", Saved: 1},
		runlog.Outcome{Authority: "broken", Err: errors.New("it broke"), Overdue: true})
	o, err := report.Read(t.Context(), h, report.View{Terms: report.Councils, Database: "x", Now: runAt})
	require.NoError(t, err)
	assert.Contains(t, o.Text(), "\n  slow: ok, 1 record\n    It "+remark)
	assert.NotContains(t, o.Text(), "good: ")
	_, page := pageOf(t, o)
	assert.Equal(t, []string{"New 1 well the time before, or never seen; 1 stuck", "Remarked 1 ended well, with a remark"}, texts(page.Find(".group h3")))
	assert.Contains(t, said(page, "#failed .what"), "it broke It "+remark)
	assert.Equal(t, "slow ok 1 saved last records on 2025-05-07 It "+remark+" (where: see the log).", said(page, "#is-remarked ~ ul li"))

	outcomes := []runlog.Outcome{
		{Authority: "slow", Saved: 1, Overdue: true, Verdict: runlog.OK},
		{Authority: "slow and bad", Err: errors.New("broken"), Overdue: true, Verdict: runlog.Failed, Class: "layout"},
	}
	final := report.New(outcomes, []string{"slow and bad"}, report.Councils)
	assert.Contains(t, final.Table(), "slow                      1      0 "+remark)
	assert.Contains(t, final.Table(), "[EXPECT BAD] layout - broken; "+remark)
	assert.Empty(t, final.Problems())
	text, err := final.MarshalJSON()
	require.NoError(t, err)
	assert.Contains(t, string(text), `"remark":"`+remark)
}
