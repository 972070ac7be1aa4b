package metrics

import (
	"cmp"
	"io"
	"strconv"
	"time"

	"github.com/multiscraper/multiscraper/scraperutils/run/news"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
)

// Write writes the metrics of a run. runs are all that the database knows, this one among them; none are needed.
func Write(w io.Writer, run *news.Run, runs []runlog.Run) error {
	var e encoder
	for _, f := range families(run, runs) {
		e.write(f)
	}
	_, err := w.Write(e.text.Bytes())
	return err
}

// families returns the metrics. Their names begin with the project's: Prometheus itself has metrics that begin with "scrape_".
func families(run *news.Run, runs []runlog.Run) []family {
	source := string(cmp.Or(run.Source, runlog.FromNetwork))
	kept := newFamily("multiscraper_runs", "Runs of the last 30 days, by what they asked and by exit code.", "source", "exit_code")
	for _, r := range runs {
		if r.At.Before(run.Began.AddDate(0, 0, -runlog.KeepDays)) {
			continue
		}
		kept.add(1, string(cmp.Or(r.Source, runlog.FromNetwork)), exitCode(r))
	}
	began := newFamily("multiscraper_last_run_start_timestamp_seconds", "When the last run began, in Unix time.", "source")
	began.add(float64(run.Began.UnixMilli())/1000, source)
	took := newFamily("multiscraper_last_run_duration_seconds", "How long the last run took.", "source")
	took.add(run.Took.Seconds(), source)
	code := newFamily("multiscraper_last_run_exit_code", "Exit code of the last run: 0 if all was as expected.", "source")
	code.add(float64(run.ExitCode), source)
	waits := newFamily("multiscraper_last_run_wait_seconds", "Time that requests waited to be polite, all authorities together, by rule.", "rule")
	for rule, d := range run.Waits {
		waits.add(d.Seconds(), rule)
	}
	return append([]family{kept, began, took, code, waits}, ofAuthorities(run.Authorities)...)
}

// ofAuthorities returns what is known of each authority, added up by platform.
func ofAuthorities(all []news.Authority) []family {
	verdicts := newFamily("multiscraper_last_run_authorities", "Authorities by verdict and by class of failure; no class where nothing failed.", "platform", "verdict", "class")
	changes := newFamily("multiscraper_last_run_changes", "Authorities that fail or work again, against the run before.", "platform", "change")
	records := newFamily("multiscraper_last_run_records", "Records that were saved.", "platform")
	rejected := newFamily("multiscraper_last_run_rejected_records", "Records that were refused.", "platform")
	requests := newFamily("multiscraper_last_run_requests", "Requests that scrapers made.", "platform")
	bytes := newFamily("multiscraper_last_run_page_bytes", "Bytes of pages that scrapers read, decoded.", "platform")
	longest := newFamily("multiscraper_last_run_longest_seconds", "Time that the slowest authority took.", "platform")
	seconds := newFamily("multiscraper_last_run_authority_seconds", "Time that authorities took, added up.", "platform")
	slowest := map[string]time.Duration{}
	for _, a := range all {
		for _, c := range news.Changes() { // 0 too: a series that comes and goes raises no alert
			changes.add(map[bool]float64{true: 1}[a.Change() == c], a.Platform, string(c))
		}
		verdicts.add(1, a.Platform, string(cmp.Or(a.Verdict, "none")), string(a.Class))
		records.add(float64(a.Saved), a.Platform)
		rejected.add(float64(a.Unprocessable), a.Platform)
		requests.add(float64(a.Effort.Requests), a.Platform)
		bytes.add(float64(a.Bytes), a.Platform)
		seconds.add(a.Effort.Took.Seconds(), a.Platform)
		slowest[a.Platform] = max(slowest[a.Platform], a.Effort.Took)
	}
	for platform, d := range slowest {
		longest.add(d.Seconds(), platform)
	}
	return []family{verdicts, changes, records, rejected, requests, bytes, longest, seconds}
}

func exitCode(r runlog.Run) string {
	if r.Ended.IsZero() {
		return "none" // it was killed
	}
	return strconv.Itoa(r.ExitCode)
}
