package conformance

import (
	"bytes"
	"encoding/json"
	"flag"
	"slices"
	"strings"
	"testing"
)

// suitesFile has the suites.
const suitesFile = "scraperutils.json"

// A suite is what the gem did with some inputs.
type suite struct {
	owner
	cases []rawCase
}

// rawCase is a case as it stands in the file.
type rawCase struct {
	In  json.RawMessage `json:"in"`
	Out json.RawMessage `json:"out"`
}

func (c rawCase) text() []byte {
	text, _ := json.Marshal(c) // it was read from JSON
	return text
}

func (c rawCase) line() string {
	var line bytes.Buffer
	_ = json.Compact(&line, c.text()) // it was read from JSON
	return line.String()
}

// members are those of an object; there are none in anything else.
func members(text []byte) map[string]json.RawMessage {
	var object map[string]json.RawMessage
	_ = json.Unmarshal(text, &object)
	return object
}

// owner says whose tests run a suite.
type owner struct {
	id, version string
	packages    []string          // each runs all cases, but for those of parts
	parts       map[string]string // the package that runs the cases whose input has a member of this name
	unrun       string            // why nobody does
}

func (o owner) runBy(name string) bool {
	for _, other := range o.parts {
		if other == name {
			return true
		}
	}
	return slices.Contains(o.packages, name)
}

// belongsTo reports whether a package runs a case.
func (o owner) belongsTo(c rawCase, name string) bool {
	for member := range members(c.In) {
		if part, ok := o.parts[member]; ok {
			return part == name
		}
	}
	return slices.Contains(o.packages, name)
}

const (
	app      = "cmd/family"
	councils = "cmd/internal/councils"
	agent    = "scraperutils/web/agent"
	dates    = "scraperutils/site/dates"
	pace     = "scraperutils/web/pace"
	quality  = "scraperutils/run/quality"
	report   = "scraperutils/run/report"
	runlog   = "scraperutils/run/runlog"
	validate = "authorities/validate"
)

// owners has a row for each suite.
var owners = []owner{
	{id: "scheduler_regressions", version: "0.8.2", packages: []string{"scheduler"}, parts: map[string]string{
		"robots_status": agent, "robots": agent, "good_records": quality,
		"env": app, "timeout_hits": app, "MORPH_EXPECT_BAD": app, "authorities_running": app,
	}},
	{id: "sqlite_contract", version: "fc50176", packages: []string{"db"}},
	{id: "morph_diff", version: "d18c9dbe", packages: []string{"db"}},
	{id: "report_on_results", version: "0.8.2", packages: []string{report}},
	{id: "log_scraping_run", version: "0.8.2", packages: []string{runlog}},
	{id: "pa_validation", version: "0.15.0", packages: []string{validate}},
	{id: "save_record", version: "0.8.2", packages: []string{validate, "db"}},
	{id: "pa_import_rules", version: "5f0362cb9", packages: []string{validate}},
	{id: "scheduler_batches", version: "0.8.2", unrun: "operations are alive at once or begin as others end; there is no barrier of a batch to test"},
	{id: "scheduler_errors", version: "0.8.2", packages: []string{"scheduler"}},
	{id: "scheduler_env", version: "0.8.2", packages: []string{app}},
	{id: "scheduler_timeout_text", version: "0.8.2", packages: []string{"scheduler", app}},
	{id: "adaptive_delay", version: "0.8.2", packages: []string{pace}},
	{id: "host_throttler", version: "0.15.0", packages: []string{pace}},
	{id: "post_connect_delay", version: "0.8.2", packages: []string{pace}},
	{id: "date_ranges", version: "0.8.2", packages: []string{dates}},
	{id: "dqm", version: "0.8.2", packages: []string{quality}},
	{id: "dqm", version: "0.15.0", packages: []string{quality}},
	{id: "selected_authorities", version: "0.8.2", packages: []string{app}},
	{id: "cleanup_old_records", version: "0.15.0", packages: []string{app}},
	{id: "geocodable", version: "0.15.0", packages: []string{validate}},
	{id: "geocodable", version: "0.8.2", packages: []string{validate}},
	{id: "reasonable_description", version: "0.15.0", packages: []string{validate}},
	{id: "info_url_sampling", version: "0.15.0", packages: []string{validate}},
	{id: "info_url_details", version: "0.15.0", packages: []string{validate}},
	{id: "validate_scraper_data_exe", version: "0.15.0", packages: []string{councils}},
	{id: "mechanize_actions", version: "0.8.2", packages: []string{agent + "/actions"}},
	{id: "agent_config_max_load", version: "0.8.2", packages: []string{app}},
	{id: "agent_random_range", version: "0.8.2", packages: []string{pace}},
	{id: "agent_display_line", version: "0.8.2", packages: []string{app}},
	{id: "agent_proxy_validation", version: "0.8.2", packages: []string{app}},
	{id: "agent_configured", version: "0.8.2", packages: []string{app}},
	{id: "date_ranges_today", version: "0.8.2", packages: []string{dates}},
	{id: "date_ranges_load", version: "0.8.2", packages: []string{dates}},
	{id: "cycle", version: "0.8.2", packages: []string{dates}},
	{id: "reasonable_description", version: "0.8.2", packages: []string{validate}},
	{id: "debug_level", version: "0.8.2", packages: []string{app}},
	{id: "backtrace", version: "0.8.2", packages: []string{runlog}},
	{id: "maintenance", version: "0.8.2", packages: []string{agent}},
	{id: "scheduler_summary_line", version: "0.8.2", packages: []string{"scheduler"}},
	{id: "log_line", version: "0.8.2", packages: []string{app}},
	{id: "randomize", version: "0.8.2", packages: []string{app}},
	{id: "overload_error", version: "0.15.0", packages: []string{pace}},
	{id: "fibonacci", version: "0.15.0", packages: []string{dates}},
	{id: "validate_thresholds", version: "0.15.0", packages: []string{validate}},
	{id: "unique_references", version: "0.15.0", packages: []string{validate}},
	{id: "bot_protection", version: "0.15.0", packages: []string{agent, validate}},
	{id: "agent_0_15", version: "0.15.0", unrun: "the agent is that of 0.8.2; a crawl-delay is what a robots.txt asks for, not an option"},
	{id: "save_record", version: "0.15.0", packages: []string{validate}},
	{id: "authority_label", version: "0.15.0", packages: []string{validate}},
	{id: "log_line", version: "0.15.0", packages: []string{app}},
	{id: "scraperwiki_vars", version: "fc50176", unrun: "a run keeps no variables of a scraper; what lasts between runs is in tables that have names"},
	{id: "morph_language", version: "d18c9dbe", unrun: "the platform's choice: the folder that make morph fills has a scraper.py, which is run as Python"},
	{id: "pa_normalise", version: "5f0362cb9", unrun: "PlanningAlerts does it when it shows a record; a record is saved as the council writes it"},
}

// allSuites reads the file.
func allSuites(t testing.TB) []suite {
	t.Helper()
	var file struct {
		Suites []struct {
			ID      string
			Version string `json:"gem_version"`
			Cases   []rawCase
		}
	}
	if err := json.Unmarshal(readFile(t, suitesFile), &file); err != nil {
		t.Fatal(err)
	}
	var all []suite
	for _, s := range file.Suites {
		found := suite{owner: owner{id: s.ID, version: s.Version}, cases: s.Cases}
		for _, o := range owners {
			if o.id == s.ID && o.version == s.Version {
				found.owner = o
			}
		}
		all = append(all, found)
	}
	return all
}

func find(t testing.TB, id, version string) suite {
	t.Helper()
	for _, s := range allSuites(t) {
		if s.id == id && s.version == version && len(s.cases) > 0 {
			return s
		}
	}
	t.Fatalf("no cases of %s %s", id, version)
	return suite{}
}

// Vocabulary decodes the lists of words that a version of the gem has.
func Vocabulary(t testing.TB, name string, into any) {
	t.Helper()
	var file struct {
		Vocabulary map[string]json.RawMessage
	}
	if err := json.Unmarshal(readFile(t, suitesFile), &file); err != nil {
		t.Fatal(err)
	}
	if err := decode(file.Vocabulary[name], into); err != nil {
		t.Fatalf("the vocabulary %q: %v", name, err)
	}
}

// selecting reports whether the flag -run picks cases.
func selecting() bool {
	run := flag.Lookup("test.run")
	return run != nil && strings.Contains(run.Value.String(), "/")
}
