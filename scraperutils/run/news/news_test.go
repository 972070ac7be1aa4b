package news_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/news"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// authority is one of a platform, with its verdict before and now.
func authority(label, platform string, before, now runlog.Verdict) news.Authority {
	a := news.Authority{Platform: platform, Before: runlog.History{LastVerdict: before}, Outcome: runlog.Outcome{Authority: label, Verdict: now}}
	switch now {
	case runlog.OK:
		a.Saved = 10
	case runlog.Failed:
		a.Class, a.Err = scraperutils.ClassLayout, errors.New("no table of\n applications")
	}
	return a
}

// morning is a run in which three of icon fail, one of them as before, and one works again.
func morning() *news.Run {
	r := &news.Run{ID: "2026-11-21T01:17:00", Took: 11 * time.Second, Database: "/var/lib/scrape/data.sqlite", Source: runlog.FromNetwork, ExitCode: 1}
	r.Authorities = []news.Authority{
		authority("a", "icon", runlog.OK, runlog.OK), authority("b", "icon", runlog.OK, runlog.Failed), authority("c", "icon", runlog.Failed, runlog.Failed),
		authority("d", "icon", "", runlog.Failed), authority("e", "atdis", runlog.Silent, runlog.Empty), authority("f", "atdis", runlog.OK, runlog.Silent),
	}
	return r
}

func TestChange(t *testing.T) {
	for _, c := range []struct {
		before, now runlog.Verdict
		want        news.Change
	}{
		{runlog.OK, runlog.OK, news.None},
		{runlog.OK, runlog.Empty, news.None},
		{"", runlog.OK, news.None},
		{"", runlog.Failed, news.New},
		{runlog.Empty, runlog.Partial, news.New},
		{runlog.OK, runlog.Implausible, news.New},
		{runlog.OK, runlog.Silent, news.New},
		{runlog.Implausible, runlog.Failed, news.Still},
		{runlog.Failed, runlog.Empty, news.Recovered},
		{runlog.Silent, runlog.OK, news.Recovered},
	} {
		t.Run(fmt.Sprintf("%s to %s", c.before, c.now), func(t *testing.T) {
			assert.Equal(t, c.want, authority("a", "icon", c.before, c.now).Change())
		})
	}
	expected := authority("a", "icon", runlog.OK, runlog.Failed)
	expected.ExpectedBad = true
	assert.Equal(t, news.Still, expected.Change())
	cut := authority("a", "icon", runlog.OK, runlog.Failed)
	cut.Unfinished = true
	assert.Equal(t, news.Unfinished, cut.Change())
}

func TestChanged(t *testing.T) {
	same := &news.Run{Authorities: []news.Authority{authority("a", "icon", runlog.OK, runlog.OK), authority("b", "icon", runlog.Failed, runlog.Failed)}}
	assert.False(t, same.Changed())
	same.Cause = "ERROR: it took too long"
	assert.True(t, same.Changed())
	assert.True(t, morning().Changed())
}

func TestHeadline(t *testing.T) {
	r := morning()
	assert.Equal(t, "2 ok · 3 new failures · 1 still failing · 1 recovered · 10 records · 11 s → data.sqlite", r.Headline())
	for i := range r.Authorities {
		r.Authorities[i].Usual = 4
	}
	assert.Contains(t, r.Headline(), " · 10 records (-58 % on the usual) · ")
	r.Authorities = r.Authorities[:1]
	assert.Equal(t, "1 ok · 10 records (+150 % on the usual) · 11 s → data.sqlite", r.Headline())
}

func TestGroups(t *testing.T) {
	groups := morning().Groups()
	require.Len(t, groups, 2)
	g := groups[0]
	assert.Equal(t, "icon layout 4", fmt.Sprint(g.Platform, " ", g.Class, " ", g.Of))
	var labels []string
	for _, a := range g.Members {
		labels = append(labels, a.Authority)
	}
	assert.Equal(t, []string{"b", "d", "c"}, labels) // new ones first
	assert.Equal(t, "likely a change of the vendor", g.Meaning)
	assert.Empty(t, groups[1].Meaning)
}

func TestText(t *testing.T) {
	assert.Equal(t, `2 ok · 3 new failures · 1 still failing · 1 recovered · 10 records · 11 s → data.sqlite
New: b (icon) layout: no table of applications
New: d (icon) layout: no table of applications
New: f (atdis) silent: it used to give records and has given none for too long
Recovered: e (atdis), 0 records
Still failing: c (icon) layout: no table of applications
`, morning().Text())
	r := &news.Run{Source: runlog.FromFixtures, Database: "try.sqlite"}
	for i := range 30 {
		r.Authorities = append(r.Authorities, authority(fmt.Sprint(i), "icon", runlog.OK, runlog.Failed))
	}
	r.Authorities[0].Err = errors.New(strings.Repeat("long ", 1000))
	assert.Contains(t, r.Text(), "BUILT-IN SITES, INVENTED RECORDS: 0 ok")
	assert.Contains(t, r.Text(), "\nNew: 10 more\n")
	assert.Less(t, len(r.Text()), 3000)
}

// What a page says acts on no chat.
func TestJSON(t *testing.T) {
	r := morning()
	r.Authorities[1].Err = errors.New("<!channel> @here <https://bad.example|click> & more")
	text, err := json.Marshal(r)
	require.NoError(t, err)
	var got struct {
		Text     string
		ExitCode int `json:"exit_code"`
		Verdicts map[string]int
		New      []struct{ Authority, Platform, Verdict, Reason string }
		Still    []any
	}
	require.NoError(t, json.Unmarshal(text, &got))
	assert.Contains(t, got.Text, "&lt;!channel&gt; @\u200bhere &lt;https://bad.example|click&gt; &amp; more")
	assert.Equal(t, "<!channel> @here <https://bad.example|click> & more", got.New[0].Reason)
	assert.Equal(t, map[string]int{"ok": 1, "empty": 1, "failed": 3, "silent": 1}, got.Verdicts)
	assert.Len(t, got.New, 3)
	assert.Len(t, got.Still, 1)
	assert.Equal(t, 1, got.ExitCode)
}

// The end of a run tells what its report tells: the same rule sorts both.
func TestGroupsOfARun(t *testing.T) {
	failing := func(n int, platform string, class scraperutils.Class, verdict runlog.Verdict) (all []news.Authority) {
		for i := range n {
			all = append(all, news.Authority{Platform: platform, Outcome: runlog.Outcome{Authority: fmt.Sprint(platform, i), Verdict: verdict, Class: class}})
		}
		return all
	}
	for _, c := range []struct {
		name string
		all  []news.Authority
		want []string
	}{
		{"a vendor", failing(3, "icon", "http-5xx", runlog.Failed), []string{"3 of 3 icon fail in the same way (http-5xx): likely an outage of the vendor"}},
		{"our own network", slices.Concat(failing(3, "icon", "dns", runlog.Failed), failing(1, "atdis", "dns", runlog.Failed)),
			[]string{"3 of 3 icon fail in the same way (dns): likely our own network", ""}},
		{"three of very many", slices.Concat(failing(3, "icon", "layout", runlog.Failed), failing(28, "icon", "", runlog.OK)), []string{""}},
		{"a class that says nothing", failing(3, "icon", "stuck", runlog.Failed), []string{""}},
		{"without a class", slices.Concat(failing(2, "icon", "", runlog.Silent), failing(1, "icon", "", runlog.Implausible)), []string{"", ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, g := range (&news.Run{Authorities: c.all}).Groups() {
				got = append(got, g.Sentence())
			}
			assert.Equal(t, c.want, got)
		})
	}
}

func ExampleAlike() {
	run := []news.Looks{
		{Platform: "icon", Verdict: runlog.Failed, Class: scraperutils.ClassLayout}, {Platform: "icon", Verdict: runlog.Failed, Class: scraperutils.ClassLayout},
		{Platform: "icon", Verdict: runlog.Failed, Class: scraperutils.ClassLayout}, {Platform: "icon", Verdict: runlog.OK},
	}
	for _, g := range news.Alike(run[:3], func(l news.Looks) news.Looks { return l }, run) {
		fmt.Println(g.Sentence())
	}
	// Output: 3 of 4 icon fail in the same way (layout): likely a change of the vendor
}
