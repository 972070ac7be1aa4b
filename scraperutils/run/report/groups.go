package report

import "github.com/multiscraper/multiscraper/scraperutils/run/news"

// Group is failures of one kind on one platform.
type Group = news.Group[Change]

// Group sorts failures of the run as news.Alike does.
func (o *Overview) Group(failures []Change) []Group {
	var run []news.Looks
	for i := range o.Authorities {
		if a := &o.Authorities[i]; a.InRun {
			run = append(run, a.looks())
		}
	}
	return news.Alike(failures, Change.looks, run)
}

// alike says of each group that is a pattern what it is.
func (o *Overview) alike() []string {
	var all []string
	for _, g := range o.Group(o.Changes().Failures()) {
		if sentence := g.Sentence(); sentence != "" {
			all = append(all, sentence)
		}
	}
	return all
}

func (a *Authority) looks() news.Looks {
	return news.Looks{Platform: a.Platform, Verdict: a.Verdict, Class: a.Class, URL: a.URL}
}

// looks says of a failure since when it is one.
func (c Change) looks() news.Looks {
	l := c.Authority.looks()
	if n := len(c.Past); n > 0 && c.Streak.Runs > 0 {
		l.Since = c.Past[n-c.Streak.Runs].Run
	}
	return l
}
