package trace_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/trace"
)

var began = time.Date(2025, 5, 7, 10, 0, 0, 0, time.UTC)

func TestTimeline(t *testing.T) {
	line := trace.New(began)
	at := func(ms int, kind scraperutils.EventKind, wait scraperutils.Wait) {
		line.Observe(scraperutils.Event{Time: began.Add(time.Duration(ms) * time.Millisecond), Kind: kind, Label: "a", Wait: wait})
	}
	at(0, scraperutils.EventStarted, scraperutils.Wait{})
	at(10, scraperutils.EventSent, scraperutils.Wait{})
	at(110, scraperutils.EventAnswered, scraperutils.Wait{})
	at(120, scraperutils.EventResumed, scraperutils.Wait{})
	at(130, scraperutils.EventWaiting, scraperutils.Wait{Rule: "busy host"})
	at(140, scraperutils.EventWaiting, scraperutils.Wait{Rule: "max_load", Until: began.Add(time.Second)})
	at(1000, scraperutils.EventSent, scraperutils.Wait{})
	at(1100, scraperutils.EventAnswered, scraperutils.Wait{})
	at(1100, scraperutils.EventResumed, scraperutils.Wait{})
	at(1150, scraperutils.EventEnded, scraperutils.Wait{})
	l := line.Line("a")
	text, err := json.Marshal(l.Segments)
	require.NoError(t, err)
	assert.JSONEq(t, `[["reading",0,10,""],["server",10,110,""],["queued",110,120,"turn"],["reading",120,130,""],["queued",130,140,"busy host"],
		["polite",140,1000,"max_load"],["server",1000,1100,""],["reading",1100,1150,""]]`, string(text))
	assert.Equal(t, 860*time.Millisecond, l.Totals["polite: max_load"])
	assert.Equal(t, 200*time.Millisecond, l.Totals["server"])
	var back []trace.Segment
	require.NoError(t, json.Unmarshal(text, &back))
	assert.Equal(t, l.Segments, back)
	assert.Nil(t, line.Line("nobody"))
	assert.Error(t, json.Unmarshal([]byte(`{"segments":[["x", "y"]]}`), &trace.Line{}))
	assert.Error(t, json.Unmarshal([]byte(`{"totals":[]}`), &trace.Line{}))
}

// What is stored of a line says the same when it is read: to the nanosecond in its totals, to the millisecond in its stretches.
func TestStoredLine(t *testing.T) {
	line := &trace.Line{
		Segments: []trace.Segment{{Activity: trace.Polite, From: time.Second, To: 2 * time.Second, Rule: "max_load"}},
		Totals:   trace.Totals{"polite": 1_007_407_402, "polite: max_load": time.Second + 1, "server": 6*time.Hour + 7},
	}
	text, err := json.Marshal(line)
	require.NoError(t, err)
	assert.JSONEq(t, `{"segments":[["polite",1000,2000,"max_load"]],"totals":{"polite":1.007407402,"polite: max_load":1.000000001,"server":21600.000000007}}`, string(text))
	var back trace.Line
	require.NoError(t, json.Unmarshal(text, &back))
	assert.Equal(t, line.Segments, back.Segments)
	assert.Equal(t, line.Totals, back.Totals)
	rule, ok := trace.PoliteRule("polite: max_load")
	assert.Equal(t, "max_load true", fmt.Sprint(rule, " ", ok))
	_, ok = trace.PoliteRule("polite")
	assert.False(t, ok)
}
