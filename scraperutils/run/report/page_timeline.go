package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/run/trace"
)

const (
	lanesAtOnce = 40   // authorities whose lanes stand open
	farOff      = 4    // times that one authority takes longer than the next so that the others get a scale of their own
	columns     = 1000 // what a lane tells apart: about what a screen does
)

// unkept is time in a lane of which only the totals are known.
const unkept trace.Activity = "unkept"

// activities is the order in which the page names them.
var activities = [...]trace.Activity{trace.Polite, trace.Server, trace.Reading, trace.Queued, unkept}

// activityNames says what an authority does.
var activityNames = map[trace.Activity]string{
	trace.Polite:  "waiting politely",
	trace.Server:  "waiting for its server",
	trace.Reading: "reading pages",
	trace.Queued:  "waiting for others",
	unkept:        "not kept in detail",
}

// criticalView is where the time of the authority that ended last went.
type criticalView struct {
	Sentence string
	Took     string
	Parts    []part
}

// part is a part of an authority's time.
type part struct {
	Activity trace.Activity
	Name     string
	Took     string
	Percent  float64
}

// timelineView is the run, a lane an authority, those that ended last first.
type timelineView struct {
	Open   []laneGroup
	Folded []laneGroup
	All    int
	Unkept bool // some lane has time that was not kept
	Terms  Terms
}

// laneGroup is lanes that are drawn to one scale.
type laneGroup struct {
	Heading string // of a scale that is not the run's
	Ticks   []tick
	Lanes   []lane
	Start   int // the number of the first lane
}

type tick struct {
	Percent float64
	Text    string
}

// lane is one authority in the timeline.
type lane struct {
	Label string
	End   string
	Paths []lanePath
	Parts []part
}

// lanePath is all that an authority did of one kind: a path of horizontal strokes, in columns.
type lanePath struct {
	Activity trace.Activity
	D        string
}

func critical(r Run) *criticalView {
	if r.Critical == nil {
		return nil
	}
	return &criticalView{r.Critical.Sentence, short(seconds(r.Critical.Seconds)), parts(r.Critical.Totals)}
}

// parts is what totals of an authority tell, the longest first: politeness by its rules.
func parts(totals map[string]float64) []part {
	spent, sum := map[part]float64{}, 0.0
	add := func(a trace.Activity, name string, s float64) {
		if s > 0 {
			spent[part{Activity: a, Name: name}] = s
			sum += s
		}
	}
	ruled := false
	for name, s := range totals {
		if rule, ok := trace.PoliteRule(name); ok {
			add(trace.Polite, activityNames[trace.Polite]+" ("+rule+")", s)
			ruled = true
		}
	}
	for _, a := range activities {
		if a != trace.Polite || !ruled {
			add(a, activityNames[a], totals[string(a)])
		}
	}
	var all []part
	for p, s := range spent {
		all = append(all, part{p.Activity, p.Name, short(seconds(s)), 100 * s / sum})
	}
	slices.SortFunc(all, func(a, b part) int { return cmp.Or(cmp.Compare(b.Percent, a.Percent), cmp.Compare(a.Name, b.Name)) })
	return all
}

// total is all the time that totals tell, in seconds.
func total(totals map[string]float64) (sum float64) {
	for _, a := range activities {
		sum += totals[string(a)]
	}
	return sum
}

// ended is an authority with when it did.
type ended struct {
	*Authority
	at time.Duration
}

// timelineOf draws the run, or nothing where no authority has a timeline.
func timelineOf(o *Overview) *timelineView {
	var drawn []ended
	for i := range o.Authorities {
		if a := &o.Authorities[i]; len(a.Segments) > 0 && endOf(a) > 0 {
			drawn = append(drawn, ended{a, endOf(a)})
		}
	}
	if len(drawn) == 0 {
		return nil
	}
	slices.SortStableFunc(drawn, func(a, b ended) int { return cmp.Or(cmp.Compare(b.at, a.at), cmp.Compare(a.Label, b.Label)) })
	v := &timelineView{All: len(drawn), Terms: o.Terms.withDefaults()}
	length, near := max(seconds(o.Run.Seconds), drawn[0].at), firstNear(drawn)
	v.add(drawn[:near], "", length)
	if near < len(drawn) {
		end := drawn[near].at
		v.add(drawn[near:], fmt.Sprintf("The others had all ended after %s; here they are %.0f times as wide.", short(end), length.Seconds()/end.Seconds()), end)
	}
	return v
}

// firstNear is the first authority, of those that ended last first, behind the widest gap: len(drawn) where none is wide.
func firstNear(drawn []ended) int {
	near, widest := len(drawn), float64(farOff)
	for i := 1; i < len(drawn); i++ {
		if gap := drawn[i-1].at.Seconds() / drawn[i].at.Seconds(); gap >= widest {
			near, widest = i, gap
		}
	}
	return near
}

// add draws authorities in a scale that ends at length, as many of them open as there is room for.
func (v *timelineView) add(drawn []ended, heading string, length time.Duration) {
	before, open := 0, lanesAtOnce
	for _, g := range v.Open {
		before, open = before+len(g.Lanes), open-len(g.Lanes)
	}
	for _, g := range v.Folded {
		before += len(g.Lanes)
	}
	g := laneGroup{Heading: heading, Ticks: ticks(length), Start: before + 1}
	for _, a := range drawn {
		segments := a.Segments
		if last := segments[len(segments)-1].To; a.at > last {
			segments = append(slices.Clip(segments), trace.Segment{Activity: unkept, From: last, To: a.at})
			v.Unkept = true
		}
		g.Lanes = append(g.Lanes, lane{a.Label, short(a.at), paths(segments, length), parts(a.Totals)})
	}
	rest := g
	open = min(open, len(g.Lanes))
	g.Lanes, rest.Lanes, rest.Start = g.Lanes[:open], g.Lanes[open:], g.Start+open
	if len(g.Lanes) > 0 {
		v.Open = append(v.Open, g)
	}
	if len(rest.Lanes) > 0 {
		v.Folded = append(v.Folded, rest)
	}
}

// endOf is when an authority ended. Of a long one only the first stretches are kept, but its totals count them all. Stretches
// are kept in whole milliseconds, so a small difference means nothing.
func endOf(a *Authority) time.Duration {
	var kept time.Duration
	for _, s := range a.Segments {
		kept += s.To - s.From
	}
	end := a.Segments[len(a.Segments)-1].To
	if missing := seconds(total(a.Totals)) - kept; missing > time.Second && missing > kept/100 {
		return end + missing
	}
	return end
}

// paths draws stretches of a run that took length.
func paths(segments []trace.Segment, length time.Duration) []lanePath {
	drawn := inColumns(segments, length)
	texts := map[trace.Activity]*strings.Builder{}
	for from := 0; from < columns; {
		to := from + 1
		for to < columns && drawn[to] == drawn[from] {
			to++
		}
		if a := drawn[from]; a != "" {
			if texts[a] == nil {
				texts[a] = &strings.Builder{}
			}
			fmt.Fprintf(texts[a], "M%d 6h%d", from, to-from)
		}
		from = to
	}
	var all []lanePath
	for _, a := range activities {
		if texts[a] != nil {
			all = append(all, lanePath{a, texts[a].String()})
		}
	}
	return all
}

// inColumns gives each column one of the activities it holds. What loses is carried on to the next column that holds it, so
// that the shares of a lane stay right where stretches are finer than columns.
func inColumns(segments []trace.Segment, length time.Duration) (drawn [columns]trace.Activity) {
	var held [columns]map[trace.Activity]float64
	for _, s := range segments {
		if activityNames[s.Activity] == "" {
			continue
		}
		from, to := columns*max(0, s.From.Seconds()/length.Seconds()), columns*min(1, s.To.Seconds()/length.Seconds())
		for c := int(from); float64(c) < to; c++ {
			if held[c] == nil {
				held[c] = map[trace.Activity]float64{}
			}
			held[c][s.Activity] += min(to, float64(c+1)) - max(from, float64(c))
		}
	}
	owed := map[trace.Activity]float64{}
	for c, shares := range held {
		sum := 0.0
		for _, a := range activities {
			if shares[a] == 0 {
				continue
			}
			owed[a] += shares[a]
			sum += shares[a]
			if drawn[c] == "" || owed[a] > owed[drawn[c]] {
				drawn[c] = a
			}
		}
		owed[drawn[c]] -= sum
	}
	return drawn
}

// ticks marks the time since the run began, at most nine times and at times that are easy to read.
func ticks(length time.Duration) []tick {
	steps := []time.Duration{
		time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
		time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
		time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
	}
	step := time.Duration(math.Ceil(length.Hours()/24/8)) * 24 * time.Hour // of what no step fits
	for _, s := range steps {
		if length/s <= 8 {
			step = s
			break
		}
	}
	var all []tick
	for i := range 9 {
		at := time.Duration(i) * step
		if at > length || at < 0 { // the longest time there is ends before it
			break
		}
		all = append(all, tick{100 * at.Seconds() / length.Seconds(), tickText(at)})
	}
	return all
}

// tickText leaves out what is zero: 0, 30s, 5m, 1h, 1h30m.
func tickText(at time.Duration) string {
	h, m, s := int(at.Hours()), int(at.Minutes())%60, int(at.Seconds())%60
	switch {
	case h > 0 && m > 0:
		return fmt.Sprintf("%dh%02dm", h, m)
	case h > 0:
		return fmt.Sprintf("%dh", h)
	case m > 0 && s > 0:
		return fmt.Sprintf("%dm%02ds", m, s)
	case m > 0:
		return fmt.Sprintf("%dm", m)
	case s > 0:
		return fmt.Sprintf("%ds", s)
	}
	return "0"
}
