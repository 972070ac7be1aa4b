package runlog

import (
	"fmt"
	"strings"
	"time"
)

// Text is the overview in some lines, for a terminal: what needs attention first.
func (o *Overview) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Run of %s: %s\n", o.Run.At.Format("2 Jan 2006 15:04 -07:00"), o.Run.end())
	fmt.Fprintf(&b, "%s; %d records, %d requests\n", o.Run.verdicts(), o.Run.Records, o.Run.Requests)
	if o.Run.Critical != nil {
		fmt.Fprintf(&b, "%s\n", o.Run.Critical.Sentence)
	}
	for _, a := range o.Authorities {
		if !a.InRun || !a.Verdict.Bad() && a.Remark == "" {
			continue
		}
		fmt.Fprintf(&b, "\n%s: %s", a.Label, a.Verdict)
		if a.Class != "" {
			fmt.Fprintf(&b, " (%s)", a.Class)
		}
		fmt.Fprintf(&b, ", %d records", a.Records)
		if a.Verdict == Silent {
			fmt.Fprintf(&b, ", none since %s", a.LastRecords)
		}
		b.WriteByte('\n')
		if a.Error != "" {
			fmt.Fprintf(&b, "  %s\n", strings.ReplaceAll(a.Error, "\n", "\n  "))
		}
		if a.Remark != "" {
			fmt.Fprintf(&b, "  %s\n", a.Remark)
		}
		if a.Replay != "" {
			fmt.Fprintf(&b, "  replay it: %s\n", a.Replay)
		}
	}
	if len(o.Run.Unfinished) > 0 {
		fmt.Fprintf(&b, "\nwithout an outcome: %s\n", strings.Join(o.Run.Unfinished, ", "))
	}
	return b.String()
}

func (r RunOverview) end() string {
	if r.Ended == nil {
		return "it has not ended (killed, or still going on)"
	}
	s := "took " + short(time.Duration(r.Seconds*float64(time.Second))) + fmt.Sprintf(", exit code %d", r.ExitCode)
	if r.Cause != "" {
		s += " (" + r.Cause + ")"
	}
	return s
}

// verdicts is how many authorities have each verdict.
func (r RunOverview) verdicts() string {
	var parts []string
	for _, v := range allVerdicts {
		if n := r.Verdicts[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	if n := len(r.Unfinished); n > 0 {
		parts = append(parts, fmt.Sprintf("%d without an outcome", n))
	}
	if len(parts) == 0 {
		return "no authorities"
	}
	return strings.Join(parts, ", ")
}
