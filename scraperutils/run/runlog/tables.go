package runlog

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/trace"
)

// Days that things are kept.
const (
	KeepDays    = 30 // records, unless a run says otherwise, and the gem's tables; a report looks back as far
	HistoryDays = 90 // runs, and what became of each authority in them
)

// The tables. Each column stands here alone: its name, what is written to it, and what is read from it. The first two tables are the
// ScraperUtils gem's, with columns of ours behind its own.

// labelColumn says in each table whose a row is.
const labelColumn = "authority_label"

// logTable has one row per authority and attempt.
var logTable = table[logged]{
	kind{"scrape_log", []string{labelColumn, "run_at"}, "run_at", KeepDays},
	[]column[logged]{
		{"run_at", func(l logged) any { return iso(l.at) }, func(l *logged, c *cell) { l.at = c.time() }},
		{"attempt", func(l logged) any { return l.Attempt }, func(l *logged, c *cell) { l.Attempt = c.int() }},
		{labelColumn, func(l logged) any { return l.Authority }, func(l *logged, c *cell) { l.Authority = c.text }},
		{"records_saved", func(l logged) any { return l.Saved }, func(l *logged, c *cell) { l.Saved = c.int() }},
		{"unprocessable_records", func(l logged) any { return l.Unprocessable }, func(l *logged, c *cell) { l.Unprocessable = c.int() }},
		{"status", func(l logged) any { return l.status() }, func(l *logged, c *cell) { l.Verdict = verdictOf(c.text) }}, // of a row of the gem's, which has no verdict
		{"error_message", func(l logged) any { return l.message() }, func(l *logged, c *cell) { l.Err = errorOf(c.text) }},
		{"error_class", func(l logged) any { return orNull(typeName(l.Err)) }, nil},
		{"error_backtrace", func(l logged) any { return orNull(strings.Join(backtrace(l.Err), "\n")) }, nil},
		{"verdict", func(l logged) any { return string(l.Verdict) }, func(l *logged, c *cell) {
			if c.text != "" {
				l.Verdict = Verdict(c.text)
			}
		}},
		{"failure_class", func(l logged) any { return orNull(string(l.Class)) }, func(l *logged, c *cell) { l.Class = scraperutils.Class(c.text) }},
		{"duration", func(l logged) any { return round1(l.Took) }, func(l *logged, c *cell) { l.seconds = c.float() }},
		{"requests", func(l logged) any { return l.Requests }, func(l *logged, c *cell) { l.Requests = c.int() }},
		{"evidence", func(l logged) any { return orNull(l.evidence()) }, func(l *logged, c *cell) { l.Evidence = c.text }},
		{"authorities_file", func(l logged) any { return orNull(l.File) }, func(l *logged, c *cell) { l.File = c.text }},
		{"remark", func(l logged) any { return orNull(l.Remark()) }, func(l *logged, c *cell) { l.remark = c.text }},
		{"source", func(l logged) any { return orNull(string(l.source)) }, func(l *logged, c *cell) { l.source = Source(c.text) }},
	},
}

// logged is an outcome with what a row of the log has beside it. Of one that was read back, Err has the text alone.
type logged struct {
	Outcome
	at       time.Time // when the attempt began
	source   Source
	seconds  float64 // as they were read, or of all attempts
	remark   string  // as it was read
	attempts int     // that it is of; 0: of one
}

func (l logged) message() any {
	if l.Err == nil {
		return nil
	}
	return l.Err.Error()
}

func errorOf(message string) error {
	if message == "" {
		return nil
	}
	return errors.New(message)
}

// resultTable has one row per authority and run, of all attempts together. It is kept for longer than logTable, and holds less: of an error
// the first line, and nothing that only repeats a failure. Replays are not in it.
var resultTable = table[logged]{
	kind{"authority_run", []string{labelColumn, "run_at"}, "run_at", HistoryDays},
	[]column[logged]{
		{labelColumn, func(l logged) any { return l.Authority }, func(l *logged, c *cell) { l.Authority = c.text }},
		{"run_at", func(l logged) any { return iso(l.at) }, func(l *logged, c *cell) { l.at = c.time() }},
		{"verdict", func(l logged) any { return string(l.Verdict) }, func(l *logged, c *cell) { l.Verdict = Verdict(c.text) }},
		{"failure_class", func(l logged) any { return orNull(string(l.Class)) }, func(l *logged, c *cell) { l.Class = scraperutils.Class(c.text) }},
		{"records", func(l logged) any { return l.Saved }, func(l *logged, c *cell) { l.Saved = c.int() }},
		{"rejected", func(l logged) any { return l.Unprocessable }, func(l *logged, c *cell) { l.Unprocessable = c.int() }},
		{"requests", func(l logged) any { return l.Requests }, func(l *logged, c *cell) { l.Requests = c.int() }},
		{"seconds", func(l logged) any { return l.seconds }, func(l *logged, c *cell) { l.seconds = c.float() }},
		{"attempts", func(l logged) any { return l.attempts }, func(l *logged, c *cell) { l.attempts = c.int() }},
		{"error", func(l logged) any { return l.brief() }, func(l *logged, c *cell) { l.Err = errorOf(c.text) }},
	},
}

// maxBrief is how many bytes of an error's first line are kept for long.
const maxBrief = 240

func (l logged) brief() any {
	text, _ := l.message().(string)
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return orNull(strings.ToValidUTF8(line[:min(len(line), maxBrief)], ""))
}

// summaryTable has one row per attempt. It is for other readers.
var summaryTable = table[summary]{
	kind{"scrape_summary", []string{"run_at"}, "run_at", KeepDays},
	[]column[summary]{
		{"run_at", func(s summary) any { return iso(s.at) }, nil},
		{"attempt", func(s summary) any { return s.attempt }, nil},
		{"duration", func(s summary) any { return round1(s.took) }, nil},
		{successful, func(s summary) any { return strings.Join(s.labels[successful], ",") }, nil},
		{failed, func(s summary) any { return strings.Join(s.labels[failed], ",") }, nil},
		{interrupted, func(s summary) any { return strings.Join(s.labels[interrupted], ",") }, nil},
		{"successful_count", func(s summary) any { return len(s.labels[successful]) }, nil},
		{"interrupted_count", func(s summary) any { return len(s.labels[interrupted]) }, nil},
		{"failed_count", func(s summary) any { return len(s.labels[failed]) }, nil},
		{"public_ip", func(summary) any { return nil }, nil},
	},
}

// summary is an attempt.
type summary struct {
	at      time.Time
	attempt int
	took    time.Duration
	labels  map[string][]string // of its authorities, by status
}

// runTable has one row per run. It is written when the run begins, so that the log also knows of a killed run.
var runTable = table[Run]{
	kind{"scrape_run", []string{"began_at"}, "began_at", HistoryDays},
	[]column[Run]{
		{"began_at", func(r Run) any { return iso(r.At) }, func(r *Run, c *cell) { r.At = c.time() }},
		{"day", func(r Run) any { return dateOrNull(r.Day) }, func(r *Run, c *cell) { r.Day = c.date() }},
		{"authorities", func(r Run) any { return strings.Join(r.Authorities, ",") }, func(r *Run, c *cell) { r.Authorities = listOf(c.text) }},
		{"ended_at", func(r Run) any { return r.onceEnded(iso(r.Ended)) }, func(r *Run, c *cell) { r.Ended = c.time() }},
		{"seconds", func(r Run) any { return r.onceEnded(r.Took.Seconds()) }, func(r *Run, c *cell) { r.Took = c.duration(time.Second) }},
		{"exit_code", func(r Run) any { return r.onceEnded(r.ExitCode) }, func(r *Run, c *cell) { r.ExitCode = c.int() }},
		{"cause", func(r Run) any { return orNull(r.Cause) }, func(r *Run, c *cell) { r.Cause = c.text }},
		{"source", func(r Run) any { return orNull(string(r.Source)) }, func(r *Run, c *cell) { r.Source = Source(c.text) }},
		{"reasons", func(r Run) any { return orNull(r.Reasons) }, func(r *Run, c *cell) { r.Reasons = c.text }},
	},
}

func listOf(labels string) []string {
	if labels == "" {
		return nil
	}
	return strings.Split(labels, ",")
}

// historyTable has one row per authority, which is never trimmed.
var historyTable = table[History]{
	kind{name: "authority_history", keys: []string{labelColumn}},
	historyColumns(),
}

func historyColumns() []column[History] {
	columns := []column[History]{
		{labelColumn, func(h History) any { return h.Authority }, func(h *History, c *cell) { h.Authority = c.text }},
		{"first_run_at", func(h History) any { return iso(h.FirstRun) }, func(h *History, c *cell) { h.FirstRun = c.time() }},
		{"last_run_at", func(h History) any { return iso(h.LastRun) }, func(h *History, c *cell) { h.LastRun = c.time() }},
		{"last_verdict", func(h History) any { return string(h.LastVerdict) }, func(h *History, c *cell) { h.LastVerdict = Verdict(c.text) }},
		{"last_class", func(h History) any { return orNull(string(h.LastClass)) }, func(h *History, c *cell) { h.LastClass = scraperutils.Class(c.text) }},
		{"last_duration", func(h History) any { return round1(h.LastTook) }, func(h *History, c *cell) { h.LastTook = c.duration(time.Second) }},
		{"last_records_on", func(h History) any { return dateOrNull(h.LastRecords) }, func(h *History, c *cell) { h.LastRecords = c.date() }},
		{"usual_gap_days", func(h History) any { return float64(h.UsualGap) / float64(day) }, func(h *History, c *cell) { h.UsualGap = c.duration(day) }},
	}
	for _, v := range allVerdicts {
		columns = append(columns, column[History]{
			string(v) + "_count", func(h History) any { return h.Verdicts[v] }, func(h *History, c *cell) { h.count(v, c.int()) },
		})
	}
	return append(columns, column[History]{
		"source", func(h History) any { return orNull(string(h.Source)) }, func(h *History, c *cell) { h.Source = Source(c.text) },
	})
}

// count takes over how often an authority had a verdict.
func (h *History) count(v Verdict, n int) {
	if h.Verdicts == nil {
		h.Verdicts = map[Verdict]int{}
	}
	h.Verdicts[v] = n
}

// yieldTable has a row for each time that an authority was scraped to its end.
var yieldTable = table[pastYield]{
	kind{"authority_yield", []string{labelColumn, "run_at"}, "run_at", HistoryDays},
	[]column[pastYield]{
		{labelColumn, func(y pastYield) any { return y.authority }, func(y *pastYield, c *cell) { y.authority = c.text }},
		{"run_at", func(y pastYield) any { return iso(y.at) }, func(y *pastYield, c *cell) { y.at = c.time() }},
		{"day", func(y pastYield) any { return y.day.Format(time.DateOnly) }, func(y *pastYield, c *cell) { y.day = c.date() }},
		{"source", func(y pastYield) any { return string(y.source) }, func(y *pastYield, c *cell) { y.source = Source(c.text) }},
		{"records", func(y pastYield) any { return y.Records }, func(y *pastYield, c *cell) { y.Records = c.int() }},
		{"filled", func(y pastYield) any { return jsonText(y.Filled) }, func(y *pastYield, c *cell) { c.json(&y.Filled) }},
		{"mark", func(y pastYield) any { return strconv.FormatUint(y.Mark, 16) }, func(y *pastYield, c *cell) { y.Mark = c.hex() }},
		{"doubted", func(y pastYield) any { return map[bool]int{true: 1}[y.doubted] }, func(y *pastYield, c *cell) { y.doubted = c.text == "1" }},
	},
}

// timelineTable has the last timeline of each authority.
var timelineTable = table[timeline]{
	kind{name: "scrape_timeline", keys: []string{labelColumn}},
	[]column[timeline]{
		{labelColumn, func(l timeline) any { return l.authority }, func(l *timeline, c *cell) { l.authority = c.text }},
		{"run_at", func(l timeline) any { return iso(l.at) }, func(l *timeline, c *cell) { l.at = c.time() }},
		{"line", func(l timeline) any { return jsonText(l.line) }, func(l *timeline, c *cell) { c.json(&l.line) }},
	},
}

// timeline says what an authority was doing at which time.
type timeline struct {
	authority string
	at        time.Time // when the run began
	line      *trace.Line
}

// kinds returns all tables.
func kinds() []kind {
	return []kind{logTable.kind, resultTable.kind, summaryTable.kind, runTable.kind, historyTable.kind, yieldTable.kind, timelineTable.kind}
}

// Tables returns the tables that a Log writes, with the columns that tell the rows of each apart.
func Tables() map[string][]string {
	all := map[string][]string{}
	for _, k := range kinds() {
		all[k.name] = k.keys
	}
	return all
}
