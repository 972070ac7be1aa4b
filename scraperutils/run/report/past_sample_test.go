package report_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/board"
	nights "github.com/multiscraper/multiscraper/scraperutils/run/history"
	"github.com/multiscraper/multiscraper/scraperutils/run/report"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// Made-up nights before the one of sampleOverview: the same for the same number.

// sampleRuns is so many nights up to that one: one was killed, and one ended early.
func sampleRuns(count int) (all []nights.Run) {
	rnd := rand.New(rand.NewPCG(9, uint64(count)))
	for i := range count {
		at := sampleBegan.AddDate(0, 0, i+1-count)
		took := time.Duration(3600+rnd.IntN(1800)) * time.Second
		r := nights.Run{
			Run:  runlog.Run{At: at, Day: at, Ended: at.Add(took), Took: took, Source: runlog.FromNetwork, ExitCode: 1, Authorities: make([]string, 143)},
			Name: at.Format("2006-01-02T15:04:05"), Asked: 143, Seconds: took.Seconds(), Records: 1800 + rnd.IntN(500), Requests: 5200 + rnd.IntN(900),
			Classes: map[string]int{}, Platforms: map[string]int{},
		}
		switch i {
		case count / 3:
			r.Ended, r.Took, r.Seconds, r.Records, r.Requests, r.Missing = time.Time{}, 0, 0, 610, 1800, 91
		case count / 2:
			r.Cause, r.ExitCode, r.Missing = "interrupted", 130, 12
		}
		r.Classes["layout"], r.Platforms["icon"] = 2+rnd.IntN(3), 2
		if i > 60 && i < 68 {
			r.Classes["timeout"], r.Platforms["epathway"] = 9+rnd.IntN(9), 9
		}
		if rnd.IntN(4) == 0 {
			r.Classes["maintenance"], r.Platforms["technologyone"] = 1, 1
		}
		for _, n := range r.Classes {
			r.Bad += n
		}
		all = append(all, r)
	}
	return all
}

// samplePast is what an authority did in the nights of sampleRuns: its last field is empty since a fortnight.
func samplePast(count int) *nights.Past {
	rnd := rand.New(rand.NewPCG(5, uint64(count)))
	p := &nights.Past{}
	for i, r := range sampleRuns(count) {
		records := 5 + rnd.IntN(20)
		o := runlog.Outcome{Authority: "x", Verdict: runlog.OK, Saved: records, Requests: records + 2}
		switch {
		case i%17 == 4:
			o.Verdict, o.Class, o.Saved, o.Err = runlog.Failed, scraperutils.ClassTimeout, 0, errors.New("no answer")
		case i%23 == 6:
			o.Verdict, o.Class = runlog.Implausible, scraperutils.ClassQuality
		case i%29 == 5:
			o.Verdict, o.Saved = runlog.Silent, 0
		case i%19 == 3:
			o.Verdict = runlog.Partial
		}
		p.Results = append(p.Results, runlog.Result{Outcome: o, Run: r.Run, At: r.At, Seconds: 10 + float64(records), Attempts: 1})
		if o.Verdict == runlog.OK {
			filled := map[string]int{"address": records, "council_reference": records, "description": records - records/5, "on_notice_to": records / 3}
			if i > count-14 {
				filled["description"] = 0
			}
			p.Given = append(p.Given, runlog.Given{Authority: "x", Run: r.Run, Yield: runlog.Yield{Records: records, Filled: filled}})
		}
	}
	return p
}

// sampleComparison is the last two of sampleRuns.
func sampleComparison(o *report.Overview) *nights.Comparison {
	runs := sampleRuns(90)
	c := &nights.Comparison{Before: runs[88], Now: runs[89], Percent: 20, OnlyNow: []string{"came"}, OnlyBefore: []string{"gone", "left"}, Unfinished: []string{"late"}}
	for _, r := range runs {
		c.Runs = append(c.Runs, r.Run)
	}
	well := nights.Outcome{Verdict: runlog.OK, Records: 40, Seconds: 30}
	pair := func(i int) nights.Pair {
		a := &o.Authorities[i]
		return nights.Pair{Label: a.Label, Platform: a.Platform, Before: well, Now: well}
	}
	for _, i := range []int{4, 17, 23} {
		p, a := pair(i), &o.Authorities[i]
		p.Now = nights.Outcome{Verdict: a.Verdict, Class: a.Class, Error: a.Error}
		c.New = append(c.New, p)
		p.Before, p.Now = p.Now, p.Before
		c.Recovered = append(c.Recovered, p)
	}
	fewer, slower, emptier := pair(7), pair(8), pair(9)
	fewer.Now.Records, slower.Now.Seconds = 12, 310
	emptier.Fell = []runlog.Fall{{Field: "description", Before: 0.98, Now: 0.02}, {Field: "on_notice_to", Before: 0.5, Now: 0}}
	c.Fewer, c.Slower, c.Emptier = []nights.Pair{fewer}, []nights.Pair{slower}, []nights.Pair{emptier}
	c.Alike = []string{"6 of 31 icon fail in the same way (layout): likely a change of the vendor"}
	return c
}

// samplePages is what a board shows of the nights before that of an overview.
func samplePages(o *report.Overview, two *nights.Comparison, count int) *board.Past {
	return &board.Past{
		Cover: func() report.Cover {
			return report.Cover{Database: o.Database, Made: o.Made, Terms: o.Terms}
		},
		History: func(context.Context) (*nights.History, error) {
			return &nights.History{Runs: sampleRuns(count)}, nil
		},
		Authority: func(context.Context, string) (*nights.Past, error) { return samplePast(count), nil },
		Run: func(_ context.Context, id string) (*report.Overview, error) {
			if _, err := time.Parse("2006-01-02T15:04:05", id); err != nil {
				return nil, &report.UnknownRunError{ID: id, Known: []string{"2026-03-17T02:00:00"}}
			}
			one := *o
			one.Run.ID = id
			return &one, nil
		},
		Compare: func(_ context.Context, q nights.Question) (*nights.Comparison, error) {
			c := *two
			if q.Percent > 0 {
				c.Percent = q.Percent
			}
			for _, r := range sampleRuns(count) {
				if r.Name == q.Before {
					c.Before = r
				}
				if r.Name == q.Now {
					c.Now = r
				}
			}
			return &c, nil
		},
	}
}
