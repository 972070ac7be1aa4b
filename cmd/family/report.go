package family

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/multiscraper/multiscraper/cmd/internal/cli"
	"github.com/multiscraper/multiscraper/scraperutils/run/report"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
)

// warn says at the start what the settings make of this run that may surprise.
func (j *job) warn(entries []registry.Entry, source runlog.Source) {
	direct := 0
	for _, e := range entries {
		if e.ByProxy && !j.network.Proxied(targetOf(e)) {
			direct++
		}
	}
	if direct > 0 && j.network.Live() {
		j.screen.log.Warn().Int(j.family.Registry.Sites, direct).Msg(j.family.variable(j.family.Proxy.Variable) + " is not set: " + strings.ReplaceAll(j.family.Proxy.For, "`", "") + " are asked directly")
	}
	if source == runlog.FromFixtures {
		j.screen.log.Warn().Msg("built-in sites are scraped: their records are made up")
		for _, warning := range withoutSite(j.family.BuiltIn, entries) {
			j.screen.log.Warn().Msg(warning)
		}
	}
	for _, warning := range append(j.settings.misspelt, j.settings.warnings()...) {
		j.screen.log.Warn().Msg(warning)
	}
}

// unlessStopped returns an error, or none where it comes from what ended the run early: a signal, or the database.
func (j *job) unlessStopped(ctx context.Context, err error) error {
	cause := stopped(ctx, err)
	if broken := brokenDatabase(cause); broken != nil {
		cause = broken
	}
	if cause == nil {
		return err
	}
	j.result.cause = cmp.Or(j.result.cause, cause)
	return nil
}

// finish writes the end of the run into the log tables and prints the report, last of all, and returns the exit code.
func (j *job) finish(ctx context.Context, c cli.Console, this runlog.Run, problem error) (int, error) {
	var outcomes []runlog.Outcome
	for _, label := range this.Authorities {
		outcomes = append(outcomes, j.result.outcomes[label])
	}
	final := report.New(outcomes, j.settings.expectBad, j.family.terms())
	problems := final.Problems()
	code, cause := cli.ExitCode(j.result.cause, len(problems) > 0 || problem != nil)
	this.Ended, this.Took, this.ExitCode, this.Cause = time.Now(), time.Since(j.began), code, cause
	this.Reasons = reasons(final.Reasons(), problem)
	saved := errors.Join(j.books.log.Save(this), j.books.log.Settle(context.Background()))
	if broken := brokenDatabase(saved); broken != nil { // that is told once
		code, cause = cli.ExitCode(cmp.Or(j.result.cause, broken), true)
	} else {
		problem = errors.Join(problem, saved)
	}
	if problem != nil {
		code = max(code, cli.ExitUnexpected)
	}
	this.ExitCode, this.Cause = code, cause
	n := j.news(this)
	j.announce(ctx, n)
	if missing := j.screen.progress.Close(); missing > 0 {
		j.screen.log.Warn().Int("lines", missing).Msg("lines of the log are missing: nobody read them in time")
	}
	if j.screen.short {
		if err := j.printNews(c, n, final); err != nil {
			return code, err
		}
	} else if err := j.print(c, final, problems, cause, code); err != nil {
		return code, err
	}
	switch {
	case cli.IsTerminal(c.Stdout) && cli.IsTerminal(c.Stderr): // the report has just said so on the same screen
	case cause != "":
		c.Complain(cause)
	default:
		for _, line := range problems {
			c.Complain(line)
		}
	}
	return code, problem
}

// reasons is what made a run's exit code 1, a line each.
func reasons(unexpected []string, problem error) string {
	if problem != nil {
		unexpected = append(unexpected, "ERROR: "+strings.Join(strings.Fields(problem.Error()), " "))
	}
	return strings.Join(unexpected, "\n")
}

// print writes the report to standard output: as text, or as one line of a JSON log.
func (j *job) print(c cli.Console, final *report.Report, problems []string, cause string, code int) error {
	if j.screen.format == "json" {
		var totals []string
		for _, t := range j.result.totals {
			totals = append(totals, t.String())
		}
		j.screen.log.Info().Interface("outcomes", final).Strs("totals", totals).Strs("warnings", j.settings.warnings()).Strs("problems", problems).Str("cause", cause).Int("exit_code", code).Msg("report")
		return nil
	}
	var b strings.Builder
	for _, t := range j.result.totals {
		fmt.Fprintf(&b, "\n%s\n", t)
	}
	fmt.Fprintf(&b, "\n%s\n", final.Table())
	for _, warning := range j.settings.warnings() {
		fmt.Fprintln(&b, "WARNING: "+warning)
	}
	for _, line := range final.Reasons() { // what went wrong with each stands in the table
		fmt.Fprintln(&b, line)
	}
	switch {
	case cause != "":
		fmt.Fprintln(&b, cause)
	case len(problems) > 0:
		fmt.Fprintln(&b, "See earlier output for details")
	default:
		fmt.Fprintln(&b, "Exiting with OK status!")
	}
	_, err := io.WriteString(c.Stdout, b.String())
	return err
}
