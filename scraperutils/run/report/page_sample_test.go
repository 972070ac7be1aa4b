package report_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/report"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
	"github.com/multiscraper/multiscraper/scraperutils/run/trace"
)

// A made-up night for the page: the same for the same number of authorities.

var sampleBegan = time.Date(2026, 3, 17, 2, 0, 0, 0, time.FixedZone("", 11*3600))

var samplePlaces = strings.Fields(`ashbury barwon_vale boorook callala cowra_plains dandaloo eumundi_coast fernmount gundaroo_valley
	hillgrove irrewarra jerilderie_shire kalimna lowanna merriwa nambrook oberon_hills pambula quandary ravenswood saltwater_creek
	tallong ulmarra_rivers vasse wollomombi yackandoo`)

var samplePlatforms = strings.Fields("icon epathway technologyone masterview horizon civica atdis")

// sampleTrouble is what goes wrong for the authorities of these numbers; the 143 of the usual sample hold them all.
var sampleTrouble = map[int]struct {
	verdict runlog.Verdict
	class   scraperutils.Class
	text    string
}{
	4:   {runlog.Failed, scraperutils.ClassTimeout, `fetch list page 3 of lodged applications: GET https://eservices.council.example/datracker/Pages/XC.Track/SearchApplication.aspx?d=last14days&k=LodgementDate&t=437,438,439: context deadline exceeded (Client.Timeout exceeded while awaiting headers)`},
	17:  {runlog.Failed, scraperutils.ClassDNS, `fetch robots.txt: dial tcp: lookup planning.old-council.example: no such host`},
	23:  {runlog.Failed, scraperutils.ClassLayout, `no table.rgMasterTable in https://da.council.example/Common/Common/terms.aspx (found: div#maintenance, table.layout, form#aspnetForm)`},
	31:  {runlog.Partial, scraperutils.ClassHTTP5xx, `fetch detail of DA/2026/0117: 502 Bad Gateway for https://council.example/eplanning/Pages/XC.Track/Details.aspx?id=8812`},
	40:  {runlog.Silent, "", ""},
	58:  {runlog.Failed, scraperutils.ClassPanic, "panic: runtime error: index out of range [3] with length 3\n\nauthorities/icon/list.go:88 readRow\nauthorities/icon/list.go:41 readPage\nauthorities/icon/icon.go:60 Scrape\nscheduler/execute.go:51 runScraper"},
	66:  {runlog.Failed, scraperutils.ClassTLS, `GET https://epathway.council.example/ePathway/Production/Web/default.aspx: tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time 2026-03-17T02:11:09+11:00 is after 2026-03-16T23:59:59Z`},
	71:  {runlog.Partial, scraperutils.ClassQuality, `12 of 40 records were no good, more than 5.01 + 10% of those saved: address is blank (7), date_received is in the future (5)`},
	90:  {runlog.Failed, scraperutils.ClassBlocked, `GET https://council.example/horizon/logonGuest.aw: 403 Forbidden: the answer is a page of the site's firewall ("Attention Required!")`},
	97:  {runlog.Silent, "", ""},
	105: {runlog.Failed, scraperutils.ClassMaintenance, `https://council.example/eplanning says: "Our online services are unavailable due to scheduled maintenance"`},
	112: {runlog.Partial, scraperutils.ClassRunTimeout, `fetch detail of 24/2026: the run's time is up: context deadline exceeded`},
	131: {runlog.Failed, scraperutils.ClassTimeout, `fetch list: GET http://203.0.113.7:8080/masterview: net/http: request canceled while waiting for connection`},
}

const (
	sampleSlow       = 112 // takes all of six hours
	sampleUnfinished = 120
	sampleNotRun     = 125
)

func sampleLabel(i int) string {
	sides := []string{"", "north_", "south_", "upper_", "lower_", "greater_"}
	label := sides[i/len(samplePlaces)%len(sides)] + samplePlaces[i%len(samplePlaces)]
	if round := i / len(samplePlaces) / len(sides); round > 0 {
		label = fmt.Sprintf("%s_%d", label, round+1)
	}
	return label
}

// sampleOverview is the overview of a run of n authorities: 143 for the usual one.
func sampleOverview(n int) *report.Overview {
	rnd := rand.New(rand.NewPCG(7, uint64(n)))
	o := &report.Overview{Terms: report.Councils, Database: "data.sqlite", Made: sampleBegan.Add(7 * time.Hour)}
	for i := range runlog.KeepDays {
		o.Days = append(o.Days, sampleBegan.AddDate(0, 0, i-runlog.KeepDays+1).Format(time.DateOnly))
	}
	o.Run = report.Run{At: sampleBegan, Verdicts: map[runlog.Verdict]int{}}
	if n > sampleSlow {
		o.Run.ExitCode, o.Run.Cause = 124, "ERROR: Script exceeded maximum allowed runtime of 6.0 hours!"
	}
	for i := range n {
		a := sampleAuthority(rnd, i, o.Days)
		o.Authorities = append(o.Authorities, a)
		if i == sampleUnfinished {
			o.Run.Unfinished = append(o.Run.Unfinished, a.Label)
		}
		if a.InRun {
			o.Run.Verdicts[a.Verdict]++
			o.Run.Records += a.Records
			o.Run.Requests += a.Requests
		}
	}
	slowest := &o.Authorities[min(sampleSlow, n-1)]
	o.Run.Critical = &report.CriticalPath{
		Authority: slowest.Label, Seconds: slowest.Segments[0].From.Seconds() + slowest.Seconds, Totals: slowest.Totals,
		Sentence: fmt.Sprintf("The run could not have been shorter because %s took until 6h00m: %.0f minutes waiting politely, %.0f minutes waiting for its server (%d requests), %.0f minutes reading pages.",
			slowest.Label, slowest.Totals["polite"]/60, slowest.Totals["server"]/60, slowest.Requests, slowest.Totals["reading"]/60),
	}
	o.Run.Seconds = o.Run.Critical.Seconds + 9
	ended := sampleBegan.Add(time.Duration(o.Run.Seconds) * time.Second)
	o.Run.Ended = &ended
	return o
}

func sampleAuthority(rnd *rand.Rand, i int, days []string) report.Authority {
	a := report.Authority{
		Label: sampleLabel(i), InRun: true, Verdict: runlog.OK, Attempts: 1,
		Site: report.Site{Platform: samplePlatforms[i%len(samplePlatforms)], URL: "https://" + sampleLabel(i) + ".example/", Options: map[string]any{"period": "L28"}},
		Day:  days[len(days)-1], LastRecords: days[len(days)-1], UsualGap: 1 + 3*rnd.Float64(),
	}
	trouble, bad := sampleTrouble[i]
	if bad {
		a.Verdict, a.Class, a.Error = trouble.verdict, trouble.class, trouble.text
	}
	sampleDays(rnd, &a, i, len(days))
	if i == sampleUnfinished || i == sampleNotRun {
		a.Days[len(days)-1] = report.Day{}
	}
	a.LastRecords = ""
	for d, each := range a.Days {
		if each.Records > 0 {
			a.LastRecords = days[d]
		}
	}
	if a.Verdict == runlog.Silent {
		a.LastRecords = "2025-12-19"
	}
	for d, each := range a.Days {
		if each.Verdict != "" {
			a.Past = append(a.Past, report.PastRun{Run: days[d] + "T02:00:00", Day: days[d], Verdict: each.Verdict, Records: each.Records, Seconds: 20 + float64(each.Records)})
		}
	}
	if i == sampleUnfinished || i == sampleNotRun {
		a.InRun, a.Verdict, a.Attempts = false, runlog.OK, 0
		return a
	}
	last := &a.Past[len(a.Past)-1]
	last.Class, last.Error = a.Class, a.Error
	a.Records = a.Days[len(days)-1].Records
	a.Rejected = max(0, rnd.IntN(12)-9) * a.Records / 30
	if bad && a.Class != "" {
		a.Evidence = "evidence/2026-03-17T02-00/" + a.Label + ".yml"
		a.Replay = "scrape --authority " + a.Label + " --replay evidence/2026-03-17T02-00"
		if trouble.class != scraperutils.ClassPanic && trouble.class != scraperutils.ClassQuality {
			a.Attempts = 2
		}
	}
	sampleTimeline(rnd, &a, i)
	return a
}

// sampleDays is what an authority did in 30 days: its last day is its verdict of the run.
func sampleDays(rnd *rand.Rand, a *report.Authority, i, days int) {
	usual := 1 + rnd.IntN(60)
	badFrom := days - 1 - rnd.IntN(2)*rnd.IntN(12)
	if a.Verdict == runlog.Silent {
		badFrom = days - 9
	}
	for d := range days {
		day := report.Day{Verdict: runlog.OK, Records: 1 + rnd.IntN(2*usual)}
		switch {
		case d == 12 || i%37 == 5 && d < 20: // a night without a run; an authority that came later
			day = report.Day{}
		case a.Verdict.Bad() && d >= badFrom || d == days-1:
			day.Verdict = a.Verdict
			if a.Verdict == runlog.Failed || a.Verdict == runlog.Silent {
				day.Records = 0
			} else if d == days-1 && i%9 == 2 && a.Verdict == runlog.OK {
				day, a.Verdict = report.Day{Verdict: runlog.Empty}, runlog.Empty
			}
		case a.Verdict == runlog.Silent || rnd.IntN(12) == 0 || i%5 == 0 && d%7 > 4:
			day = report.Day{Verdict: runlog.Empty}
		case rnd.IntN(40) == 0:
			day = report.Day{Verdict: runlog.Failed}
		case rnd.IntN(60) == 0:
			day = report.Day{Verdict: runlog.Partial, Records: 1 + rnd.IntN(usual)}
		}
		a.Days = append(a.Days, day)
	}
}

// sampleTimeline lets an authority ask for pages until it is done. Of the slow one only the first 3,000 stretches are kept,
// as in a real run.
func sampleTimeline(rnd *rand.Rand, a *report.Authority, i int) {
	const kept = 3000
	requests := 2 + a.Records + rnd.IntN(30)
	until := time.Duration(1<<62 - 1)
	if i == sampleSlow {
		requests, until = 1<<30, 6*time.Hour
	}
	a.Totals = map[string]float64{}
	at := time.Duration(rnd.IntN(4000)) * time.Millisecond
	began, slowness := at, time.Duration(200+rnd.IntN(4000))*time.Millisecond
	spend := func(activity trace.Activity, rule string, d time.Duration) {
		d = min(d.Truncate(time.Millisecond), until-at)
		if d <= 0 {
			return
		}
		a.Totals[string(activity)] += d.Seconds()
		if activity == trace.Polite {
			a.Totals[string(activity)+": "+rule] += d.Seconds()
		}
		if len(a.Segments) < kept {
			a.Segments = append(a.Segments, trace.Segment{Activity: activity, From: at, To: at + d, Rule: rule})
		}
		at += d
	}
	for r := 0; r < requests && at < until; r++ {
		took := slowness/2 + time.Duration(rnd.Int64N(int64(slowness)))
		if r > 0 {
			rule, wait := "max_load", slowness*3
			if r%97 == 96 {
				rule, wait = "back-off", 40*time.Second
			}
			spend(trace.Polite, rule, wait)
		}
		if rnd.IntN(5) == 0 {
			spend(trace.Queued, "busy host", took/2)
		}
		spend(trace.Server, "", took)
		spend(trace.Queued, "turn", time.Duration(rnd.IntN(40))*time.Millisecond)
		spend(trace.Reading, "", time.Duration(20+rnd.IntN(300))*time.Millisecond)
		a.Requests++
	}
	a.Seconds = (at - began).Seconds()
}
