package metrics

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"

	"github.com/multiscraper/multiscraper/scraperutils/run/news"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// Write writes the metrics of a run in Prometheus' text format. runs are all that the database knows, this one among them; none are needed.
func Write(w io.Writer, run *news.Run, runs []runlog.Run) error {
	families, err := of(run, runs).Gather()
	if err != nil {
		return fmt.Errorf("gather the metrics of a run: %w", err)
	}
	for _, f := range families {
		if _, err := expfmt.MetricFamilyToText(w, f); err != nil {
			return err
		}
	}
	return nil
}

// of returns the metrics of a run.
func of(run *news.Run, runs []runlog.Run) *prometheus.Registry {
	r, source := prometheus.NewRegistry(), string(cmp.Or(run.Source, runlog.FromNetwork))
	kept := gauge(r, "multiscraper_runs", "Runs of the last 30 days, by what they asked and by exit code.", "source", "exit_code")
	for _, other := range runs {
		if other.At.Before(run.Began.AddDate(0, 0, -runlog.KeepDays)) {
			continue
		}
		add(kept, 1, string(cmp.Or(other.Source, runlog.FromNetwork)), exitCode(other))
	}
	add(gauge(r, "multiscraper_last_run_start_timestamp_seconds", "When the last run began, in Unix time.", "source"), float64(run.Began.UnixMilli())/1000, source)
	add(gauge(r, "multiscraper_last_run_duration_seconds", "How long the last run took.", "source"), run.Took.Seconds(), source)
	add(gauge(r, "multiscraper_last_run_exit_code", "Exit code of the last run: 0 if all was as expected.", "source"), float64(run.ExitCode), source)
	waits := gauge(r, "multiscraper_last_run_wait_seconds", "Time that requests waited to be polite, all authorities together, by rule.", "rule")
	for rule, d := range run.Waits {
		add(waits, d.Seconds(), rule)
	}
	ofAuthorities(r, run.Authorities)
	return r
}

// ofAuthorities adds what is known of each authority, added up by platform.
func ofAuthorities(r *prometheus.Registry, all []news.Authority) {
	verdicts := gauge(r, "multiscraper_last_run_authorities", "Authorities by verdict and by class of failure; no class where nothing failed.", "platform", "verdict", "class")
	changes := gauge(r, "multiscraper_last_run_changes", "Authorities that fail or work again, against the run before.", "platform", "change")
	records := gauge(r, "multiscraper_last_run_records", "Records that were saved.", "platform")
	rejected := gauge(r, "multiscraper_last_run_rejected_records", "Records that were refused.", "platform")
	requests := gauge(r, "multiscraper_last_run_requests", "Requests that scrapers made.", "platform")
	bytes := gauge(r, "multiscraper_last_run_page_bytes", "Bytes of pages that scrapers read, decoded.", "platform")
	longest := gauge(r, "multiscraper_last_run_longest_seconds", "Time that the slowest authority took.", "platform")
	seconds := gauge(r, "multiscraper_last_run_authority_seconds", "Time that authorities took, added up.", "platform")
	slowest := map[string]time.Duration{}
	counted := slices.ContainsFunc(all, func(a news.Authority) bool { return a.Bytes > 0 }) // the log does not keep them
	for _, a := range all {
		for _, c := range news.Changes() { // 0 too: a series that comes and goes raises no alert
			add(changes, map[bool]float64{true: 1}[a.Change() == c], a.Platform, string(c))
		}
		add(verdicts, 1, a.Platform, string(cmp.Or(a.Verdict, "none")), string(a.Class))
		add(records, float64(a.Saved), a.Platform)
		add(rejected, float64(a.Unprocessable), a.Platform)
		add(requests, float64(a.Effort.Requests), a.Platform)
		if counted {
			add(bytes, float64(a.Bytes), a.Platform)
		}
		add(seconds, a.Effort.Took.Seconds(), a.Platform)
		slowest[a.Platform] = max(slowest[a.Platform], a.Effort.Took)
	}
	for platform, d := range slowest {
		add(longest, d.Seconds(), platform)
	}
}

func gauge(r *prometheus.Registry, name, help string, labels ...string) *prometheus.GaugeVec {
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
	r.MustRegister(g)
	return g
}

// add adds to a gauge. Prometheus' labels are UTF-8; what is not becomes U+FFFD.
func add(g *prometheus.GaugeVec, n float64, labels ...string) {
	for i, l := range labels {
		labels[i] = strings.ToValidUTF8(l, string(utf8.RuneError))
	}
	g.WithLabelValues(labels...).Add(n)
}

func exitCode(r runlog.Run) string {
	if r.Ended.IsZero() {
		return "none" // it was killed, or goes on
	}
	return strconv.Itoa(r.ExitCode)
}
