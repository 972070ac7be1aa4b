package report_test

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils/run/report"
	"github.com/multiscraper/multiscraper/scraperutils/run/trace"
)

func segment(a trace.Activity, from, to int) trace.Segment {
	return trace.Segment{Activity: a, From: time.Duration(from) * time.Second, To: time.Duration(to) * time.Second}
}

func TestPageTimeline(t *testing.T) {
	const s = time.Second
	fine := []trace.Segment{}
	for i := range 4000 { // in turns of an eighth of a column, 3 to 1
		from := time.Duration(i) * s / 4
		fine = append(fine, trace.Segment{Activity: trace.Polite, From: from, To: from + 3*s/16}, trace.Segment{Activity: trace.Server, From: from + 3*s/16, To: from + s/4})
	}
	tests := map[string]struct {
		segments []trace.Segment
		totals   map[string]float64
		want     map[string]string // paths by activity
	}{
		"each activity has a path": {
			segments: []trace.Segment{segment(trace.Polite, 0, 100), segment(trace.Server, 100, 130), segment(trace.Reading, 130, 131), segment(trace.Polite, 131, 1000)},
			want:     map[string]string{"polite": "M0 6h100M131 6h869", "server": "M100 6h30", "reading": "M130 6h1"},
		},
		"what is shorter than a column is seen": {
			segments: []trace.Segment{{Activity: trace.Reading, From: 500 * s, To: 500*s + 1}, segment(trace.Queued, 999, 1000)},
			want:     map[string]string{"reading": "M500 6h1", "queued": "M999 6h1"},
		},
		"what does not fit is cut": {
			segments: []trace.Segment{segment(trace.Polite, -50, 10), segment("walking", 10, 20), segment(trace.Server, 30, 25), segment(trace.Queued, 999, 1000)},
			want:     map[string]string{"polite": "M0 6h10", "queued": "M999 6h1"},
		},
		"time of which only the total was kept": {
			segments: []trace.Segment{segment(trace.Polite, 0, 100), segment(trace.Server, 100, 200)},
			totals:   map[string]float64{"polite": 500, "polite: max_load": 500, "server": 500},
			want:     map[string]string{"polite": "M0 6h100", "server": "M100 6h100", "unkept": "M200 6h800"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			o := &report.Overview{Terms: report.Councils, Run: report.Run{Seconds: 1000}, Authorities: []report.Authority{{Label: "kyogle", Segments: test.segments, Totals: test.totals}}}
			_, doc := pageOf(t, o)
			got := map[string]string{}
			doc.Find(".lanes path").Each(func(_ int, p *goquery.Selection) {
				got[strings.TrimPrefix(p.AttrOr("class", ""), "a-")] = p.AttrOr("d", "")
			})
			assert.Equal(t, test.want, got)
		})
	}

	t.Run("shares stay right where stretches are finer than columns", func(t *testing.T) {
		o := &report.Overview{Terms: report.Councils, Run: report.Run{Seconds: 1000}, Authorities: []report.Authority{{Label: "kyogle", Segments: fine}}}
		_, doc := pageOf(t, o)
		drawn := 0
		for _, h := range regexp.MustCompile(`h(\d+)`).FindAllStringSubmatch(doc.Find(".lanes .a-polite").AttrOr("d", ""), -1) {
			n, err := strconv.Atoi(h[1])
			require.NoError(t, err)
			drawn += n
		}
		assert.InDelta(t, 750, drawn, 2)
	})
}

func TestPageTimelineOrderAndScale(t *testing.T) {
	o := &report.Overview{Terms: report.Councils, Run: report.Run{Seconds: 7200}}
	for label, end := range map[string]int{"slow": 7200, "b": 600, "c": 300, "a": 600} {
		o.Authorities = append(o.Authorities, report.Authority{
			Label: label, Segments: []trace.Segment{segment(trace.Polite, 0, end)},
			Totals: map[string]float64{"polite": float64(end), "polite: max_load": float64(end) * 0.75, "polite: back-off": float64(end) * 0.25},
		})
	}
	_, doc := pageOf(t, o)
	assert.Equal(t, []string{"slow", "a", "b", "c"}, texts(doc.Find(".lanes .label")))
	assert.Equal(t, []string{"2h00m", "10m00s", "10m00s", "5m00s"}, texts(doc.Find(".lanes .end")))
	assert.Equal(t, []string{"1h30m waiting politely (max_load) 75%", "30m00s waiting politely (back-off) 25%"}, texts(doc.Find(".lanes .parts").First().Find("li")))

	groups := doc.Find(".lanes")
	require.Equal(t, 2, groups.Length(), "who took far longer than the others does not squeeze them")
	assert.Equal(t, []string{"0", "15m", "30m", "45m", "1h", "1h15m", "1h30m", "1h45m", "2h"}, texts(groups.Eq(0).Find(".ticks span")))
	assert.Equal(t, []string{"0", "2m", "4m", "6m", "8m", "10m"}, texts(groups.Eq(1).Find(".ticks span")))
	assert.Contains(t, said(doc, ".timeline"), "The others had all ended after 10m00s; here they are 12 times as wide.")
	assert.Equal(t, "M0 6h500", groups.Eq(1).Find("path").Last().AttrOr("d", ""))
}

func TestPageTicks(t *testing.T) {
	for _, test := range []struct {
		seconds float64
		want    string
	}{
		{0.5, "0"},
		{3, "0 1s 2s 3s"},
		{100, "0 15s 30s 45s 1m 1m15s 1m30s"},
		{4 * 86400, "0 12h 24h 36h 48h 60h 72h 84h 96h"},
		{90 * 86400, "0 288h 576h 864h 1152h 1440h 1728h 2016h"},
		{math.MaxInt64 / 1e9, "0 320256h 640512h 960768h 1281024h 1601280h 1921536h 2241792h"},
	} {
		end := time.Duration(math.Min(test.seconds*1e9, math.MaxInt64-1024))
		o := &report.Overview{Terms: report.Councils, Authorities: []report.Authority{{Label: "kyogle", Segments: []trace.Segment{{Activity: trace.Server, To: end}}}}}
		_, doc := pageOf(t, o)
		assert.Equal(t, test.want, strings.Join(texts(doc.Find(".ticks span")), " "))
	}
}

const hostile = `</script></style></title><img src=x onerror="document.documentElement.dataset.broken=1">'"&{{.}}` + "`${1}`"
