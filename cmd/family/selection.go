package family

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rs/zerolog"

	"github.com/multiscraper/multiscraper/cmd/internal/egress"
	"github.com/multiscraper/multiscraper/scraperutils"
	"github.com/multiscraper/multiscraper/scraperutils/run/runlog"
	"github.com/multiscraper/multiscraper/scraperutils/site/registry"
)

// expand returns the labels that a list of labels and platform/* stands for. Its error names the list.
func expand(known *registry.Registry, name string, list []string) (labels []string, err error) {
	if len(list) == 0 { // which would be all of them
		return nil, nil
	}
	entries, err := known.Select(list)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for _, e := range entries {
		labels = append(labels, e.Label)
	}
	return labels, nil
}

// playable leaves out, of what is to be replayed, those that have no recording, and returns their labels too: all that a folder
// holds can be played so. One that was named by its label stays, and fails.
func (r *runCommand) playable(entries []registry.Entry, named []string) (left []registry.Entry, absent []string, err error) {
	if r.Replay == "" {
		return entries, nil, nil
	}
	for _, e := range entries {
		if egress.Exists(egress.TapePath(r.Replay, targetOf(e))) || slices.Contains(named, e.Label) || slices.Contains(named, e.Platform+"/"+e.Label) {
			left = append(left, e)
		} else {
			absent = append(absent, e.Label)
		}
	}
	if len(left) == 0 {
		return nil, nil, &scraperutils.ConfigError{Name: "--replay", Value: r.Replay, Accepted: "a folder with recordings of what is selected: PLATFORM/" + strings.ToUpper(r.family.Registry.Site) + ".yml"}
	}
	return left, absent, nil
}

// unknownFailuresError says that all that failed last time are sites of which no row is known.
type unknownFailuresError struct {
	labels []string
	flag   string // that names files of rows
}

func (e *unknownFailuresError) Error() string {
	return "--failed: no row is known of what failed last time: " + strings.Join(e.labels, ", ") + "; give the file of rows, --" + e.flag + " FILE"
}

// failedLastTime keeps, of a selection, those whose latest outcome is a failure, or whose run was over before they were. It says so
// where there are none.
func (r *runCommand) failedLastTime(ctx context.Context, q runlog.Querier, all *registry.Registry, entries []registry.Entry, log zerolog.Logger) (left []registry.Entry, err error) {
	failing, err := runlog.Failing(ctx, q)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if failing[e.Label] {
			left = append(left, e)
		}
	}
	unknown := &unknownFailuresError{withoutRow(all, failing), r.family.Registry.Sites}
	switch {
	case len(entries) < len(all.All()): // a selection: what else failed is not asked for
	case len(unknown.labels) > 0 && len(left) == 0:
		return nil, unknown
	case len(unknown.labels) > 0:
		log.Warn().Msg(unknown.Error())
	}
	if len(left) == 0 {
		log.Info().Msg("nothing failed last time")
	}
	return left, nil
}

// withoutRow returns the sites that fail and that a registry does not know.
func withoutRow(all *registry.Registry, failing map[string]bool) (labels []string) {
	known := map[string]bool{}
	for _, e := range all.All() {
		known[e.Label] = true
	}
	for _, label := range slices.Sorted(maps.Keys(failing)) {
		if failing[label] && !known[label] {
			labels = append(labels, label)
		}
	}
	return labels
}
